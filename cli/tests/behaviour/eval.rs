//! Promise: the exit code of `eval` is its decision.

use crate::support::{Folder, HOOKS, bash};

#[test]
fn the_exit_code_is_the_decision() {
    let folder = Folder::with_hooks(HOOKS);
    let halted =
        r#"{"hook_event_name":"pre_llm_request","model":"m","message_count":1,"iteration":6}"#;
    for (step, decision, code) in [
        (bash("ls"), "allow", 0),
        (bash("date"), "answered", 0),
        (bash("git push --force"), "deny", 2),
        (halted.to_owned(), "halt", 2),
        (bash("cargo publish"), "ask", 4),
    ] {
        let ended = folder.run(&["eval"], &step);
        assert_eq!(ended.code(), code, "{step}: {}", ended.err());
        let lines = ended.lines();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["decision"], decision, "{step}");
    }
}

#[test]
fn a_step_that_cannot_be_read_is_a_deny_whose_code_says_so() {
    let folder = Folder::with_hooks(HOOKS);
    for (step, position) in [
        ("{\"hook_event_name\":\n \"pre_tool_use\" \"x\"", "<stdin>:2:17:"),
        (r#"{"hook_event_name":"pre_tool_us"}"#, "<stdin>:1:1:"),
        (r#"{"hook_event_name":"stop"} {}"#, "<stdin>:1:28:"),
        (r#"{"hook_event_name":"stop","turn":1,"turn":1}"#, "<stdin>:1:"),
        ("", "<stdin>:1:"),
    ] {
        let ended = folder.run(&["eval"], step);
        assert_eq!(ended.code(), 2, "{step}");
        assert!(ended.err().contains(position), "{step}: {}", ended.err());
        let record = &ended.lines()[0];
        assert_eq!(record["decision"], "deny");
        assert_eq!(record["votes"][0]["failure"], "malformed");
    }
}

#[test]
fn people_get_a_text() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["eval", "--table"], bash("git push --force"));
    assert_eq!(ended.code(), 2);
    let first = ended.out().lines().next().unwrap();
    assert!(first.starts_with("deny  pre_tool_use  by no-force-push"), "{first}");
    assert!(ended.out().contains("force push is not allowed here"));
    assert!(!ended.out().contains('\x1b'), "a pipe gets no colours");
}

#[test]
fn a_terminal_is_not_taken_over_by_a_reason() {
    let reason = r#"builtin = { name = "deny", reason = "\u001b[2J\u001b[1;1Hallow" }"#;
    let folder =
        Folder::with_hooks(&format!("[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n{reason}\n"));
    let ended = folder.run(&["eval", "--table"], bash("ls"));
    assert_eq!(ended.code(), 2);
    assert!(!ended.out().contains('\x1b'), "{}", ended.out());
}
