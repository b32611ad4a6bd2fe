//! Promise: a guard that the host cannot enforce keeps it from working, and no verdict asks of it what it cannot do.

use serde_json::json;

use crate::support::{Folder, HOOKS, Host, bash, hello, judge};

const STOP: &str = r#"
[[hook]]
id = "tests-first"
event = "stop"
builtin = { name = "deny", reason = "run the tests" }

[[hook]]
id = "greeting"
event = "session_start"
builtin = { name = "add_context", text = "be brief" }
"#;

#[test]
fn nothing_comes_before_hello() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    let methods = [
        ("judge", judge("s", "ls")),
        ("judge_batch", json!({"items": []})),
        (
            "observe",
            json!({"session": "s", "step": {"hook_event_name": "session_end", "reason": "x"}}),
        ),
        ("session.begin", json!({"session": "s"})),
        ("session.end", json!({"session": "s"})),
        ("override", json!({"session": "s"})),
        ("replace", json!({"toml": ""})),
        ("status", json!({})),
        ("health", json!({})),
        ("metrics", json!({})),
        ("events", json!({})),
    ];
    for (method, params) in methods {
        assert_eq!(host.err(method, params).0, "hello_first", "{method}");
    }
    let mut later = hello(&["pre_tool_use"], &["deny"]);
    later["protocol"] = json!(2);
    assert_eq!(host.err("hello", later).0, "unsupported_protocol");
    assert_eq!(host.err("hello", hello(&["pre_tol_use"], &["deny"])).0, "invalid_params");
    assert_eq!(host.err("hello", hello(&["pre_tool_use"], &["fly"])).0, "invalid_params");
    assert_eq!(host.err("judge", judge("s", "ls")).0, "hello_first");
}

#[test]
fn a_guard_that_is_never_called_keeps_the_host_out_unless_it_says_so() {
    let folder = Folder::with_hooks(&format!("{HOOKS}{STOP}"));
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    let all = &["deny", "ask", "halt", "patch", "answer", "context"];
    let (name, error) = host.err("hello", hello(&["pre_tool_use"], all));
    assert_eq!(name, "unenforced");
    let listed = json!([{"hook": "tests-first", "event": "stop", "why": "the host does not fire this event", "blocking": true}]);
    assert_eq!(error["data"]["more"]["unenforced"], listed);
    assert_eq!(host.err("judge", judge("s", "ls")).0, "hello_first");

    let mut accepting = hello(&["pre_tool_use"], all);
    accepting["accept_unenforced"] = json!(["tests-first"]);
    let greeting = host.ok("hello", accepting);
    let hooks: Vec<_> = greeting["unenforced"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["hook"].as_str().unwrap())
        .collect();
    assert_eq!(hooks, ["greeting", "tests-first"]);
    assert_eq!((&greeting["protocol"], &greeting["generation"]), (&json!(1), &json!(1)));
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
    // A host that denies nothing enforces nothing.
    let (name, error) =
        host.err("hello", hello(&["pre_tool_use", "stop", "session_start"], &["ask"]));
    assert_eq!(
        (name.as_str(), error["data"]["more"]["unenforced"].as_array().unwrap().len()),
        ("unenforced", 7)
    );
}

#[test]
fn a_guard_that_comes_later_and_cannot_be_enforced_stops_the_host() {
    let folder = Folder::with_hooks(HOOKS);
    let (server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    let declared = hello(&["pre_tool_use"], &["deny", "ask", "halt", "patch", "answer"]);
    host.ok("hello", declared.clone());
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
    folder.write("hooks.toml", &format!("{HOOKS}{STOP}"));
    server.wait_for("reloaded");
    assert_eq!(host.err("judge", judge("s", "ls")).0, "unenforced");
    let health = host.ok("health", json!({}));
    assert_eq!(health["ok"], false, "{health}");
    let mut accepting = declared;
    accepting["accept_unenforced"] = json!(["tests-first"]);
    host.ok("hello", accepting);
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
    assert_eq!(host.ok("health", json!({}))["ok"], true);
}

#[test]
fn what_the_host_cannot_do_is_a_deny() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    host.ok("hello", hello(&["pre_tool_use"], &["deny"]));
    for (command, why) in [
        ("cargo publish", "a published version stays (the host can ask nobody)"),
        ("npm install", "a hook has rewritten the step, and the host takes no rewritten step"),
        ("date", "the host takes no result of a hook"),
    ] {
        let judged = host.judge("s", command);
        assert_eq!(
            (&judged["verdict"], &judged["report"]["reason"]),
            (&json!("deny"), &json!(why))
        );
        assert!(judged.get("step").is_none() && judged.get("question").is_none());
    }
    // The control: a host that can is let.
    host.hello();
    for (command, verdict) in
        [("cargo publish", "ask"), ("npm install", "pass"), ("date", "answered")]
    {
        assert_eq!(host.judge("s", command)["verdict"], verdict, "{command}");
    }
    assert_eq!(host.judge("s", "npm install")["step"]["tool_input"]["command"], "pnpm install");
}

#[test]
fn an_event_that_was_not_declared_or_is_told_the_wrong_way_is_an_error() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    host.ok(
        "hello",
        hello(&["pre_tool_use", "session_end"], &["deny", "ask", "halt", "patch", "answer"]),
    );
    let step = |step: serde_json::Value| json!({"session": "s", "step": step});
    let prompt =
        json!({"hook_event_name": "user_prompt_submit", "prompt": "hello", "source": "user"});
    assert_eq!(host.err("judge", step(prompt)).0, "undeclared_event");
    let end = json!({"hook_event_name": "session_end", "reason": "done"});
    assert_eq!(host.err("judge", step(end.clone())).0, "only_observed");
    assert_eq!(host.err("observe", step(bash("ls"))).0, "needs_verdict");
    let told = host.ok("observe", step(end));
    assert!(told.get("verdict").is_none() && told.get("decision").is_none(), "{told}");
    for wrong in [
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}),
        json!({"tool_name": "Bash", "tool_input": {}}),
        json!({"hook_event_name": "pre_tool_use", "tool_input": {}}),
        json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {}, "session_id": "other"}),
        json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {}, "protocol": 9}),
    ] {
        assert_eq!(host.err("judge", step(wrong.clone())).0, "invalid_step", "{wrong}");
    }
}
