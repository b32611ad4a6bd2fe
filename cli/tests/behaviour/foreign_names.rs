//! Promise: a name of another hook system is understood, or refused with our name for it.

use serde_json::Value;

use crate::support::{Folder, bash};

fn hook(event: &str, handler: &str) -> String {
    format!("[[hook]]\nid = \"h\"\nevent = \"{event}\"\n{handler}\n")
}

fn command(shell: &str) -> String {
    format!("command = {{ shell = '{shell}' }}")
}

/// How a step is decided by one hook.
fn eval(hook: &str, step: &str) -> Value {
    let folder = Folder::with_hooks(hook);
    let ended = folder.run(&["eval"], step);
    ended.lines().into_iter().next().unwrap_or_else(|| panic!("{}", ended.err()))
}

const RESULT: &str = r#"{"hook_event_name":"post_tool_use","tool_name":"Bash","tool_input":{},"tool_response":"out"}"#;
const BOUNDARY: &str = r#"{"hook_event_name":"turn_boundary"}"#;
const STOP: &str = r#"{"hook_event_name":"stop"}"#;

#[test]
fn a_notifier_that_fails_does_not_end_the_run() {
    for name in ["turn_end", "turn.post_turn"] {
        let folder = Folder::with_hooks(&hook(name, &command("exit 3")));
        assert_eq!(folder.run(&["list"], "").lines()[0]["role"], "observe", "{name}");
        assert_eq!(folder.run(&["eval"], BOUNDARY).code(), 0, "{name}");
    }
    // Under our name it is a guard, and what is made to deny denies under any name.
    assert_eq!(eval(&hook("turn_boundary", &command("exit 3")), BOUNDARY)["decision"], "deny");
    let deny = "builtin = { name = \"deny\", reason = \"no\" }";
    assert_eq!(eval(&hook("turn_end", deny), BOUNDARY)["decision"], "deny");
}

#[test]
fn a_program_that_is_missing_withholds_results_only_if_the_hook_says_so() {
    let jq = command("exec no-such-jq .tool_response");
    for (name, decision, note) in [
        ("PostToolUse", "allow", "a failure lets the result pass at post_tool_use"),
        ("AfterTool", "allow", "a failure lets the result pass at post_tool_use"),
        ("after_tool_apply", "allow", "a failure lets the result pass at post_tool_use"),
        ("post_tool_use", "deny", "a failure withholds the result at post_tool_use"),
        ("post_tool_execution", "deny", "a failure withholds the result at post_tool_use"),
    ] {
        let folder = Folder::with_hooks(&hook(name, &jq));
        let record = folder.run(&["eval"], RESULT).lines().remove(0);
        assert_eq!(record["decision"], decision, "{name}: {record}");
        assert_eq!(record["votes"][0]["failure"], "exit", "it is reported in either case");
        let checked = folder.run(&["check"], "").lines().remove(0);
        let notes = checked["handlers"][0]["notes"].to_string();
        assert!(notes.contains(note), "{name}: {notes}");
    }
    // A hook that sets what a failure counts as gets no warning.
    let config = hook("post_tool_use", &format!("on_failure = \"deny\"\n{jq}"));
    let checked = Folder::with_hooks(&config).run(&["check"], "").lines().remove(0);
    assert!(!checked["handlers"].to_string().contains("a failure"), "{checked}");
    // A builtin is not a script of another system.
    let redact = "builtin = { name = \"redact_secrets\" }";
    let folder = Folder::with_hooks(&hook("PostToolUse", redact));
    let checked = folder.run(&["check", "--failures"], "").lines().remove(0);
    assert_eq!(checked["failures"][0]["postures"]["exit"], "deny");
}

#[test]
fn a_script_under_a_foreign_name_is_warned_of() {
    let http = "http = { url = \"https://hooks.example.com/\" }";
    for handler in [command("true"), http.to_owned()] {
        for (name, ours) in [("PreToolUse", "pre_tool_use"), ("before_tool_apply", "pre_tool_use")]
        {
            let folder = Folder::with_hooks(&hook(name, &handler));
            let ended = folder.run(&["check"], "");
            let warned = ended.err().lines().find(|line| line.contains("is the name of"));
            assert!(
                warned.is_some_and(|line| line.starts_with("hooks.toml:3:9: warning: ")),
                "{name} {}",
                ended.err()
            );
            assert!(ended.err().contains(&format!("write `{ours}`")), "{}", ended.err());
        }
        let ended = Folder::with_hooks(&hook("pre_tool_use", &handler)).run(&["check"], "");
        assert!(!ended.err().contains("is the name of"), "{}", ended.err());
    }
    let builtin = hook("PreToolUse", "builtin = { name = \"deny\", reason = \"no\" }");
    assert_eq!(Folder::with_hooks(&builtin).run(&["check"], "").err(), "");
}

#[test]
fn a_block_in_the_format_of_another_agent_is_a_deny_also_where_failures_let_pass() {
    let says = |answer: &str, more: &str| {
        hook("stop", &format!("{more}\n{}", command(&format!("echo {answer:?}"))))
    };
    let record = eval(&says(r#"{"decision":"block","reason":"not yet"}"#, ""), STOP);
    assert_eq!(
        (&record["decision"], &record["votes"][0]["failure"]),
        (&"deny".into(), &"malformed".into())
    );
    let detail = record["votes"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("print hookgate's verdict instead"), "{detail}");
    for answer in [
        r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
        r#"{"permission":"deny"}"#,
        r#"{"decision":"reject"}"#,
        r#"{"decision":"block""#,
    ] {
        let hook = says(answer, "on_failure = \"allow\"").replace("\"stop\"", "\"pre_tool_use\"");
        assert_eq!(eval(&hook, &bash("ls"))["decision"], "deny", "{answer}");
    }
    // What says nothing of the kind follows the posture.
    for answer in [r#"{"decision":"approve"}"#, r#"{"continue":true}"#] {
        assert_eq!(eval(&says(answer, ""), STOP)["decision"], "allow", "{answer}");
    }
}

#[test]
fn a_foreign_key_is_refused_with_the_name_of_ours() {
    for (key, ours) in [
        ("enabled = false", "mode"),
        ("point = \"pre_tool_use\"", "event"),
        ("capability = \"guard\"", "role"),
        ("failure_policy = \"closed\"", "on_failure"),
        ("matcher = \"Bash\"", "tool"),
        ("name = \"x\"", "id"),
        ("timeout_ms = 500", "timeout = \"500ms\""),
    ] {
        let hook = hook("stop", &format!("{key}\nbuiltin = \"audit\""));
        let ended = Folder::with_hooks(&hook).run(&["check"], "");
        assert_eq!(ended.code(), 3, "{key}");
        let help = ended.lines()[0]["errors"][0]["help"].as_str().unwrap_or_default().to_owned();
        assert!(help.contains(&format!("`{ours}")), "{key}: {help}");
    }
}

#[test]
fn an_event_without_hooks_is_reported_once() {
    let folder = Folder::with_hooks(&hook("x.known", "builtin = \"audit\""));
    let step = |event: &str| format!("{{\"hook_event_name\":\"{event}\",\"a\":1}}\n");
    let known = format!("{}{}", step("x.known"), step("stop"));
    assert!(!folder.run(&["run", "--quiet"], known).err().contains("no hook is for"));
    let steps = format!("{0}{0}{1}", step("x.pre_tool_use"), step("x.other"));
    let ended = folder.run(&["run", "--quiet"], steps);
    for name in ["x.pre_tool_use", "x.other"] {
        let expected = format!("no hook is for the event `{name}`");
        assert_eq!(ended.err().matches(&expected).count(), 1, "{}", ended.err());
    }
    assert!(folder.run(&["eval"], step("x.other")).err().contains("`x.other`"));
    let stop = "{\"hook_event_name\":\"stop\",\"stop_response\":\"done\"}\n";
    let ended = folder.run(&["run", "--quiet"], stop.repeat(3));
    assert_eq!(ended.err().matches("`last_assistant_message`").count(), 1, "{}", ended.err());
}
