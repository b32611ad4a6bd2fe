//! Which hooks of which files run.

use std::time::Duration;

use hookgate_agent_systems::codex::trust_hash;
use serde_json::{Value, json};

use super::stage::{command, one, scene};

#[test]
fn a_manifest_of_a_plugin_may_nest_its_hooks_or_list_them() {
    let hooks = json!({"hooks": {"Stop": [{"hooks": [command("a")]}]}});
    for manifest in [json!({"hooks": hooks}), json!({"name": "x", "hooks": [hooks, hooks]})] {
        let config = scene().config(&[("plugin:x", manifest.clone())]);
        assert_eq!(config.warnings, [], "{manifest}");
        assert!(!config.hooks.is_empty(), "{manifest}");
    }
    let config = scene().config(&[("plugin:x", json!({"hooks": "./h.json"}))]);
    assert!(config.warnings[0].message.contains("give it as a layer"), "{config:?}");
}

#[test]
fn a_review_counts_for_the_hook_that_was_reviewed() {
    let hook = command("./guard");
    let hash = trust_hash("PreToolUse", None, &hook);
    let runs = |facts: Value, state: Value| {
        let mut scene = scene();
        scene.facts = facts;
        let key = format!("{}:pre_tool_use:0:0", scene.folder.path().join("user").display());
        let layers = [
            ("user", one("PreToolUse", hook.clone())),
            ("user_toml", json!({"hooks": {"state": {key: state}}})),
        ];
        let config = scene.config(&layers);
        assert_eq!(config.hooks.is_empty(), !config.warnings.is_empty(), "{config:?}");
        !config.hooks.is_empty()
    };
    let bypass = json!({"flags": ["--dangerously-bypass-hook-trust"], "trusted": false});
    let not = json!({"trusted": false});
    let stale = json!({"trusted_hash": "sha256:00"});
    assert!(runs(json!({}), json!({})));
    assert!(!runs(not.clone(), json!({})), "nobody has reviewed it");
    assert!(runs(not.clone(), json!({"trusted_hash": hash})));
    assert!(!runs(json!({"trusted": true}), stale.clone()), "it has changed since");
    assert!(runs(bypass.clone(), stale));
    assert!(!runs(bypass, json!({"enabled": false})), "what is off stays off");
    assert!(!runs(json!({}), json!({"enabled": false, "trusted_hash": hash})));
}

#[test]
fn a_project_cannot_vouch_for_itself() {
    let mut scene = scene();
    scene.facts = json!({"trusted": false});
    let hook = command("./guard");
    let key = format!("{}:stop:0:0", scene.folder.path().join("project").display());
    let state =
        json!({"hooks": {"state": {key: {"trusted_hash": trust_hash("Stop", None, &hook)}}}});
    let of = |layer: &'static str| [("project", one("Stop", hook.clone())), (layer, state.clone())];
    assert!(scene.config(&of("project_toml")).hooks.is_empty());
    assert_eq!(scene.config(&of("user_toml")).hooks.len(), 1);
    scene.facts = json!({"project_trusted": false});
    assert!(scene.config(&of("user_toml")).hooks.is_empty());
}

#[test]
fn what_an_administrator_requires_runs_first_and_cannot_be_switched_off() {
    let mut scene = scene();
    let hook = |name: &str| one("Stop", command(name));
    let layers = [
        ("plugin:p", hook("plugin")),
        ("project", hook("project")),
        ("user", hook("user")),
        ("session_toml", hook("session")),
        ("requirements", hook("required")),
    ];
    let order: Vec<_> = scene.config(&layers).hooks.into_iter().map(|hook| hook.layer).collect();
    assert_eq!(order, ["requirements", "user", "project", "session_toml", "plugin:p"]);
    scene.facts = json!({"trusted": false});
    let layers_left: Vec<_> =
        scene.config(&layers).hooks.into_iter().map(|hook| hook.layer).collect();
    assert_eq!(layers_left, ["requirements"]);
    let off = json!({"features": {"codex_hooks": false}});
    assert!(scene.config(&[("user", hook("a")), ("config", off.clone())]).hooks.is_empty());
    let on = json!({"features": {"hooks": true}});
    scene.facts = json!({});
    let layers = [("user", hook("a")), ("config", off.clone()), ("project_toml", on.clone())];
    assert_eq!(scene.config(&layers).hooks.len(), 1, "the stronger layer switches them on");
    let layers = [("user", hook("a")), ("requirements", off), ("project_toml", on)];
    assert!(scene.config(&layers).hooks.is_empty(), "nobody overrules what is required");
}

#[test]
fn one_fault_makes_a_file_void_and_an_unknown_name_does_not() {
    let good = json!({"hooks": [command("a")]});
    let faults = [
        json!({"hooks": [{"type": "shell", "command": "a"}]}),
        json!({"hooks": [{"command": "a"}]}),
        json!({"hooks": [{"type": "command"}]}),
        json!({"hooks": [{"type": "command", "command": "a", "timeout": "5"}]}),
        json!({"hooks": [{"type": "command", "command": "a", "timeout": -1}]}),
        json!({"hooks": [{"type": "command", "command": "a", "timeout": 1.5}]}),
        json!({"hooks": [{"type": "command", "command": "a", "async": "yes"}]}),
        json!({"hooks": [{"type": "mcp_tool", "server": "s"}]}),
        json!({"matcher": 1, "hooks": []}),
        json!("group"),
    ];
    for fault in faults {
        let file = json!({"hooks": {"Stop": [good], "PreToolUse": [good, fault]}});
        let other = one("Stop", command("b"));
        let config = scene().config(&[("user", file), ("project", other)]);
        assert_eq!(config.hooks.len(), 1, "only the other file counts: {fault}");
        assert!(config.warnings[0].message.starts_with("no hook of this file runs"), "{config:?}");
        assert!(config.warnings[0].pointer.starts_with("/hooks/PreToolUse/1"), "{config:?}");
    }
    let file = json!({"version": 1, "hooks": {"Notification": 5, "stop": [], "Stop": [
        {"hooks": [{"type": "command", "command": "a", "future": true}], "future": 1}]}});
    let config = scene().config(&[("user", file)]);
    assert_eq!(config.hooks.len(), 1);
    let pointers: Vec<_> = config.warnings.iter().map(|w| w.pointer.as_str()).collect();
    assert_eq!(pointers, ["/version", "/hooks/Notification", "/hooks/stop"]);
}

#[test]
fn toml_that_was_not_parsed_yet_is_parsed() {
    let text =
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"a\"\ntimeout = 5\n";
    let config = scene().config(&[("user_toml", json!(text)), ("user", one("Stop", command("b")))]);
    assert_eq!(config.hooks[1].timeout, Duration::from_secs(5));
    assert!(config.warnings[0].message.contains("the same layer has hooks"), "{config:?}");
    let config = scene().config(&[("user_toml", json!("[[hooks"))]);
    assert!(config.warnings[0].message.starts_with("none of its hooks runs"), "{config:?}");
}

#[test]
fn who_asks_for_more_time_than_there_is_is_told() {
    for (event, own, limit) in [
        ("SessionEnd", 60, Some(3)),
        ("Interrupt", 4, Some(3)),
        ("SessionEnd", 3, None),
        ("Stop", 7_200, None),
    ] {
        let hook = json!({"type": "command", "command": "x", "timeout": own});
        let config = scene().config(&[("user", one(event, hook))]);
        let told: Vec<_> = config.warnings.iter().map(|warning| &warning.message).collect();
        assert_eq!(told.len(), usize::from(limit.is_some()), "{event}: {told:?}");
        assert_eq!(config.hooks[0].timeout.as_secs(), limit.unwrap_or(own), "{event}");
    }
}

#[test]
fn who_asks_for_the_background_where_there_is_none_is_told() {
    let hook = json!({"type": "command", "command": "x", "async": true});
    for (event, is_background) in [("PostToolUse", true), ("SessionEnd", false)] {
        let config = scene().config(&[("user", one(event, hook.clone()))]);
        assert_eq!(config.hooks[0].background, is_background, "{event}");
        let is_told =
            config.warnings.iter().any(|warning| warning.message.contains("`async` means nothing"));
        assert_eq!(is_told, !is_background, "{event}: {config:?}");
    }
    let tool = json!({"type": "mcp_tool", "server": "s", "tool": "t", "async": true});
    let config = scene().config(&[("user", one("PostToolUse", tool))]);
    assert!(!config.hooks[0].background, "a tool is always waited for");
    assert_eq!(config.warnings.len(), 1, "{config:?}");
}
