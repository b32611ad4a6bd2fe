//! Promise: what a caller adds to a session tightens, and what would loosen is refused and recorded.

use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, Host};

fn deny_ls(id: &str) -> Value {
    json!({"id": id, "event": "pre_tool_use", "tool": "Bash", "input": {"/command": {"equals": "ls"}},
           "builtin": {"name": "deny", "reason": "no listing"}})
}

#[test]
fn a_session_adds_hooks_of_its_own_and_takes_out_its_own_only() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let added = host.ok("override", json!({"session": "s", "hooks": [deny_ls("mine")]}));
    assert_eq!(added["added"], json!(["mine"]));
    let judged = host.judge("s", "ls");
    assert_eq!(
        (&judged["verdict"], &judged["report"]["by"]),
        (&json!("deny"), &json!(["scope/mine"]))
    );
    assert_eq!(host.judge("other", "ls")["verdict"], "pass");
    assert_eq!(host.judge("s", "git push --force")["verdict"], "deny");
    // What is sent behind it meets it, although nobody has waited for it.
    host.send("override", json!({"session": "late", "hooks": [deny_ls("mine")]}));
    assert_eq!(host.judge("late", "ls")["verdict"], "deny");
    let gone = host.ok("override", json!({"session": "s", "disable": ["mine"]}));
    assert_eq!((&gone["added"], &host.judge("s", "ls")["verdict"]), (&json!([]), &json!("pass")));
    host.ok("override", json!({"session": "s", "hooks": [deny_ls("mine")]}));
    host.ok("session.end", json!({"session": "s"}));
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
}

#[test]
fn what_would_loosen_or_do_more_than_decide_is_refused_and_recorded() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    host.ok("events", json!({}));
    let hook = |rest: Value| {
        let mut hook = json!({"id": "x", "event": "pre_tool_use"});
        hook.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        json!({"session": "s", "hooks": [hook]})
    };
    let refused = [
        json!({"session": "s", "disable": ["no-force-push"]}),
        json!({"session": "s", "disable": ["scope/no-force-push"]}),
        hook(json!({"command": {"argv": ["sh", "-c", "id"]}})),
        hook(json!({"http": {"url": "http://127.0.0.1:1/"}})),
        hook(json!({"prompt": {"model": "m", "prompt": "p"}})),
        hook(json!({"handler": {"kind": "command", "argv": ["id"]}})),
        hook(json!({"builtin": {"name": "http_post", "url": "http://127.0.0.1:1/"}})),
        hook(json!({"builtin": {"name": "snapshot"}})),
        hook(json!({"builtin": {"name": "answer", "content": "x"}, "role": "rewrite"})),
        hook(json!({"builtin": {"name": "deny", "reason": "x"}, "may_allow": true})),
        // What the operator's hooks look for would be gone, or would be there.
        hook(json!({"builtin": "redact_secrets"})),
        hook(json!({"builtin": {"name": "add_context", "text": "x"}, "mark": "tested"})),
        hook(json!({"builtin": {"name": "deny", "reason": "x"}, "any": [{"mark": "tested"}]})),
    ];
    let count = refused.len();
    for params in refused {
        let (name, error) = host.err("override", params.clone());
        assert_eq!(name, "override_refused", "{params}: {error}");
    }
    // Mistakes are mistakes, each with its place.
    for (params, name) in [
        (json!({"session": "s", "shadow": ["no-force-push"]}), "invalid_params"),
        (
            json!({"session": "s", "hooks": [{"event": "pre_tool_use", "builtin": "deny"}]}),
            "invalid_params",
        ),
        (
            hook(json!({"builtin": {"name": "deny", "reason": "x"}, "modus": "off"})),
            "invalid_config",
        ),
        (hook(json!({"builtin": {"name": "deny"}, "command": {"argv": ["id"]}})), "invalid_config"),
    ] {
        assert_eq!(host.err("override", params.clone()).0, name, "{params}");
    }
    assert_eq!(host.judge("s", "git push --force")["verdict"], "deny");
    assert_eq!(host.judge("s", "ls")["verdict"], "pass", "a refused override changes nothing");
    assert_eq!(host.ok("status", json!({}))["overrides_refused"], count);
    let told = host.told.iter().filter(|told| told["told"].get("refused").is_some()).count();
    assert_eq!(told, count, "{:?}", host.told);
}

#[test]
fn a_hook_of_a_session_at_an_event_that_the_host_does_not_fire_is_refused() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    host.ok(
        "hello",
        crate::support::hello(&["pre_tool_use"], &["deny", "ask", "halt", "patch", "answer"]),
    );
    let stop = json!({"id": "x", "event": "stop", "builtin": {"name": "deny", "reason": "go on"}});
    assert_eq!(host.err("override", json!({"session": "s", "hooks": [stop]})).0, "unenforced");
}

#[test]
fn a_host_that_enforces_less_is_kept_out_of_a_session_with_hooks_of_another() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"notes\"\nevent = \"notification\"\nbuiltin = \"audit\"\n",
    );
    let (_server, mut host) = Host::spawn(&folder);
    host.ok("override", json!({"session": "s", "hooks": [deny_ls("mine")]}));
    assert_eq!(host.judge("s", "ls")["verdict"], "deny");
    host.ok("hello", crate::support::hello(&["pre_tool_use"], &[]));
    assert_eq!(host.err("judge", crate::support::judge("s", "ls")).0, "unenforced");
    assert_eq!(host.judge("other", "ls")["verdict"], "pass", "no guard is there");
}

#[test]
fn an_override_that_comes_after_the_end_of_its_session_is_in_force_or_refused() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    for number in 0..10 {
        let session = format!("s{number}");
        let params = |id: &str| json!({"session": session, "hooks": [deny_ls(id)]});
        host.send("override", params("one"));
        host.send("session.end", json!({"session": session}));
        let number = host.send("override", params("two"));
        let was_added = host.answer(number).unwrap().get("error").is_none();
        let verdict = host.judge(&session, "ls")["verdict"].clone();
        assert!(!was_added || verdict == "deny", "{number}: {verdict}");
    }
}
