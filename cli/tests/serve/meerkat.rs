//! Promise: `override` takes hooks in the words of Meerkat, and refuses what would loosen, run programs or is not whole.

use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, Host};

/// A guardrail that is whole.
fn entry() -> Value {
    json!({
        "id": "no_listing", "enabled": true, "point": "pre_tool_execution", "mode": "foreground", "capability": "guardrail",
        "priority": 10, "timeout_ms": 2000,
        "runtime": {"type": "in_process", "handler": "deny", "config": {"reason": "no listing"}},
    })
}

/// An entry with another value somewhere, or without one.
fn but(path: &str, value: Option<Value>) -> Value {
    let mut entry = entry();
    let (parent, key) = path.rsplit_once('/').unwrap();
    let of = entry.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => _ = of.insert(key.to_owned(), value),
        None => assert!(of.remove(key).is_some(), "{path}"),
    }
    entry
}

fn with(entry: &Value) -> Value {
    json!({"session": "s", "entries": [entry]})
}

#[test]
fn a_guardrail_of_meerkat_guards_the_session_that_it_is_added_to() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let added = host.ok("override", with(&entry()));
    assert_eq!(added["added"], json!(["no_listing"]));
    let judged = host.judge("s", "ls");
    assert_eq!(
        (&judged["verdict"], &judged["report"]["by"], &judged["report"]["reason"]),
        (&json!("deny"), &json!(["scope/no_listing"]), &json!("no listing"))
    );
    assert_eq!(host.judge("other", "ls")["verdict"], "pass");
    // At another point it is called there: a result is two events here.
    host.ok("override", with(&but("/point", Some(json!("post_tool_execution")))));
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
    for event in ["post_tool_use", "post_tool_use_failure"] {
        let step = match event {
            "post_tool_use" => {
                json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {}, "tool_response": "x"})
            }
            _ => {
                json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {}, "error": "x"})
            }
        };
        assert_eq!(
            host.ok("judge", json!({"session": "s", "step": step}))["verdict"],
            "deny",
            "{event}"
        );
    }
    // What Meerkat says has a default, and cannot be misspelt, may be left out.
    for key in ["/enabled", "/priority", "/timeout_ms"] {
        host.ok("override", with(&but(key, None)));
        let verdict = host.judge("s", "ls")["verdict"].clone();
        assert_eq!(verdict, "deny", "{key}");
    }
    // Meerkat obeys a deny of an observer that it waits for.
    host.ok("override", with(&but("/capability", Some(json!("observe")))));
    assert_eq!(host.judge("s", "ls")["verdict"], "deny");
    let both = json!({"session": "s", "entries": [but("/id", Some(json!("second")))], "disable": ["no_listing"]});
    assert_eq!(host.ok("override", both)["added"], json!(["second"]));
    let gone = host.ok("override", json!({"session": "s", "entries": [], "disable": ["second"]}));
    assert_eq!((&gone["added"], &host.judge("s", "ls")["verdict"]), (&json!([]), &json!("pass")));
}

#[test]
fn what_would_loosen_or_run_programs_or_is_not_whole_is_refused() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    host.ok("events", json!({}));
    let runtime = |runtime: Value| with(&but("/runtime", Some(runtime)));
    let mut refused = 0;
    for params in [
        json!({"session": "s", "entries": [], "disable": ["no-force-push"]}),
        runtime(json!({"type": "command", "command": "id"})),
        runtime(json!({"type": "http", "url": "http://127.0.0.1:1/"})),
        runtime(json!({"type": "in_process", "handler": "snapshot"})),
        runtime(json!({"type": "in_process", "handler": "redact_secrets"})),
        runtime(
            json!({"type": "in_process", "handler": "http_post", "config": {"url": "http://127.0.0.1:1/"}}),
        ),
        runtime(json!({"type": "in_process", "handler": "noop"})),
        runtime(
            json!({"type": "in_process", "handler": "deny", "config": {"reason": "x", "mark": "tested"}}),
        ),
        with(&but("/capability", Some(json!("rewrite")))),
    ] {
        let (name, error) = host.err("override", params.clone());
        assert_eq!(name, "override_refused", "{params}: {error}");
        refused += 1;
    }
    for key in
        ["/id", "/point", "/mode", "/capability", "/runtime", "/runtime/type", "/runtime/handler"]
    {
        let (name, error) = host.err("override", with(&but(key, None)));
        let missing = key.rsplit('/').next().unwrap();
        assert_eq!(name, "invalid_params", "{key}: {error}");
        assert!(error["message"].as_str().unwrap().contains(missing), "{key}: {error}");
    }
    for (key, value) in [
        ("/pont", json!("stop")),
        ("/failure_policy", json!("fail_open")),
        ("/point", json!("pre_tool_exekution")),
        ("/point", json!("pre_tool_use")),
        ("/point", json!(7)),
        ("/mode", json!("background")),
        ("/mode", json!("blocking")),
        ("/capability", json!("guard")),
        ("/enabled", json!(false)),
        ("/enabled", json!("true")),
        ("/priority", json!("first")),
        ("/timeout_ms", json!(0)),
        ("/timeout_ms", json!(-1)),
        ("/timeout_ms", json!("5s")),
        ("/id", json!("")),
        ("/id", json!(7)),
        ("/runtime", json!("deny")),
        ("/runtime/type", json!("wasm")),
        ("/runtime/handler", json!(7)),
        ("/runtime/name", json!("deny")),
        ("/runtime/config", json!("x")),
        ("/runtime/config/name", json!("snapshot")),
    ] {
        let params = with(&but(key, Some(value)));
        let (name, error) = host.err("override", params.clone());
        assert_eq!(name, "invalid_params", "{params}: {error}");
    }
    let (name, _) = host.err("override", with(&but("/runtime/config/reazon", Some(json!("x")))));
    assert_eq!(name, "invalid_config");
    let mut two = with(&entry());
    two["hooks"] =
        json!([{"id": "x", "event": "stop", "builtin": {"name": "deny", "reason": "x"}}]);
    assert_eq!(host.err("override", two).0, "invalid_params");
    let many: Vec<Value> =
        (0..65).map(|number| but("/id", Some(json!(format!("e{number}"))))).collect();
    assert_eq!(host.err("override", json!({"session": "s", "entries": many})).0, "too_many");
    assert_eq!(host.judge("s", "ls")["verdict"], "pass", "what was refused has changed nothing");
    assert_eq!(host.judge("s", "git push --force")["verdict"], "deny");
    assert_eq!(host.ok("status", json!({}))["overrides_refused"], refused);
}
