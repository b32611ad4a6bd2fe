//! Promise: `check` finds everything that is wrong in one run.

use serde_json::json;

use crate::support::{Folder, HOOKS};

const WRONG: &str = r#"[[hook]]
id = "a"
event = "pre_tool_us"
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "b"
event = "stop"
builtin = { name = "deni", reason = "no" }

[[hook]]
id = "c"
event = "pre_tool_use"
tool_glob = "a[b"
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "d"
event = "pre_tool_use"
command = { argv = ["./nowhere.py"] }
"#;

#[test]
fn several_mistakes_are_found_in_one_run() {
    let folder = Folder::with_hooks(WRONG);
    let ended = folder.run(&["check"], "");
    assert_eq!(ended.code(), 3);
    for found in [
        "hooks.toml:3:9: unknown event `pre_tool_us`; did you mean `pre_tool_use`?",
        "hooks.toml:9:",
        "did you mean `deny`?",
        "hooks.toml:14:",
        "hooks.toml:20:",
        "nowhere.py",
    ] {
        assert!(ended.err().contains(found), "{found} in {}", ended.err());
    }
    let line = &ended.lines()[0];
    let errors = line["errors"].as_array().unwrap();
    assert_eq!(line["valid"], json!(false));
    assert!(errors.iter().any(|error| error["line"] == 3 && error["column"] == 9), "{line}");
    let number = format!("has {} errors", errors.len());
    assert!(ended.err().contains(&number), "{number} in {}", ended.err());
}

#[test]
fn a_config_that_is_valid_is_counted() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["check"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let line = &ended.lines()[0];
    assert_eq!((&line["valid"], &line["hooks"]), (&json!(true), &json!(4)));
    assert_eq!(line["events"], json!(["pre_llm_request", "pre_tool_use"]));
    let text = folder.run(&["check", "--table"], "");
    assert!(
        text.out().starts_with("ok hooks.toml: 4 hooks at 2 events\n   sha256:"),
        "{}",
        text.out()
    );
}

#[test]
fn what_only_an_embedder_knows_is_a_warning() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"mine\"\nevent = \"x.deploy\"\nhandler = { kind = \"my-kind\" }\n",
    );
    let ended = folder.run(&["check"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(ended.err().contains("hooks.toml:3:9: warning: unverified"), "{}", ended.err());
    assert_eq!(ended.lines()[0]["warnings"].as_array().unwrap().len(), 2);
    // It fails when it is called, and a guard that fails denies.
    let step = r#"{"hook_event_name":"x.deploy","target":"prod"}"#;
    let evaluated = folder.run(&["eval"], step);
    assert_eq!(evaluated.code(), 2, "{}", evaluated.out());
}

#[test]
fn the_matrix_names_what_each_failure_counts_as() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"g\"\nevent = [\"pre_tool_use\", \"stop\"]\non_timeout = \"allow\"\n\
         command = { argv = [\"true\"] }\n",
    );
    let ended = folder.run(&["check", "--failures", "--json"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let rows = ended.lines()[0]["failures"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[0]["event"], &rows[1]["event"]), (&json!("pre_tool_use"), &json!("stop")));
    assert_eq!(rows[0]["postures"].as_object().unwrap().len(), 17);
    assert_eq!(rows[0]["postures"]["timeout"], "allow");
    assert_eq!(rows[0]["postures"]["exit"], "deny");
    assert_eq!(rows[1]["postures"]["exit"], "allow", "a crash keeps no agent from stopping");
    let text = folder.run(&["check", "--failures", "--table"], "");
    assert!(text.out().contains("all but timeout"), "{}", text.out());
}

#[test]
fn limits_that_an_agent_gives_no_figures_for_are_told() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = 'spent'\nevent = ['post_llm_response', 'pre_tool_use']\n\
         builtin = { name = 'limit', of = 'tokens', over = 1000, then = 'deny' }\n",
    );
    for (agent, is_told) in [("claude", false), ("codex", false), ("cursor", true), ("kimi", true)]
    {
        let ended = folder.run(&["check", "--agent", agent], "");
        assert_eq!(ended.code(), 0, "{}", ended.err());
        let found = ended.err().contains("`spent` cannot count with");
        assert_eq!(found, is_told, "{agent}: {}", ended.err());
    }
    assert_eq!(folder.run(&["check"], "").err(), "");
    assert_eq!(folder.run(&["check", "--agent", "claud"], "").code(), 64);
}
