//! Promise: an override adds hooks to one run and goes without others, and a mistake in it has a place.

use serde_json::json;

use crate::support::{Folder, HOOKS, bash};

const DENY_LS: &str = r#"{"entries": [
  {"id": "no-ls", "event": "pre_tool_use", "runs": "ls",
   "builtin": {"name": "deny", "reason": "not in this run"}}
]}"#;

#[test]
fn an_override_adds_hooks_to_run_and_eval() {
    let folder = Folder::with_hooks(HOOKS);
    for verb in ["run", "eval"] {
        let ended = folder.run(&[verb, "--hooks-override-json", DENY_LS], bash("ls"));
        assert_eq!(ended.lines()[0]["by"], json!(["no-ls"]), "{}", ended.err());
        // The hooks of the config go on.
        let ended = folder.run(&[verb, "--hooks-override-json", DENY_LS], bash("git push --force"));
        assert_eq!(ended.lines()[0]["by"], json!(["no-force-push"]));
        assert_eq!(folder.run(&[verb], bash("ls")).lines()[0]["decision"], "allow");
    }
    folder.write("extra.json", DENY_LS);
    let ended = folder.run(&["run", "--hooks-override-file", "extra.json"], bash("ls"));
    assert_eq!(ended.lines()[0]["by"], json!(["no-ls"]));
}

/// To disable an id and add it again replaces the hook.
#[test]
fn an_override_replaces_a_hook() {
    let folder = Folder::with_hooks(HOOKS);
    let text = r#"{"disable": ["no-force-push"], "entries": [
        {"id": "no-force-push", "event": "pre_tool_use", "runs": "git push --force",
         "builtin": {"name": "ask", "reason": "really?"}}]}"#;
    let ended = folder.run(&["run", "--hooks-override-json", text], bash("git push --force"));
    let record = &ended.lines()[0];
    assert_eq!((&record["decision"], &record["reason"]), (&json!("ask"), &json!("really?")));
    // Without the disable it is a second hook of that id.
    let twice = text.replace(r#""disable": ["no-force-push"], "#, "");
    let ended = folder.run(&["run", "--hooks-override-json", &twice], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (3, ""));
    assert!(ended.err().contains("no-force-push"), "{}", ended.err());
}

#[test]
fn a_mistake_has_a_line_and_a_column() {
    let folder = Folder::with_hooks(HOOKS);
    let cases = [
        (
            "{\"disable\": [\"no-force-psuh\"]}",
            "1:14: there is no hook `no-force-psuh`; did you mean",
        ),
        ("{\n \"entries\": [\n  {\"id\": \"a\", \"evnt\": \"stop\"}]}", "3:15: unknown key `evnt`"),
        ("{\n \"entrys\": []}", "2:2: unknown key `entrys`; did you mean `entries`?"),
        ("{\"disable\": \"lint\"}", "1:13: "),
        ("{\"disable\": [],\n\"disable\": []}", "2:"),
        ("{", "1:"),
        ("[]", "1:1: "),
    ];
    for (text, expected) in cases {
        let ended = folder.run(&["run", "--hooks-override-json", text], bash("ls"));
        assert_eq!((ended.code(), ended.out()), (3, ""), "{text}");
        let expected = format!("--hooks-override-json:{expected}");
        assert!(ended.err().contains(&expected), "{expected} in {}", ended.err());
    }
    folder.write("broken.json", "{\"entries\": [{}]}");
    let ended = folder.run(&["run", "--hooks-override-file", "broken.json"], bash("ls"));
    assert!(ended.err().contains("broken.json:1:14: "), "{}", ended.err());
}
