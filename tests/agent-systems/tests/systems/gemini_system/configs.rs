//! Which hooks of which files run.

use std::time::Duration;

use hookgate_agent_systems::foreign::HookSystem;
use hookgate_agent_systems::gemini::GeminiSystem;
use serde_json::{Value, json};

use super::stage::{group, scene};

#[test]
fn the_same_command_under_the_same_name_is_the_same_hook() {
    let hook = |name: &str| json!({"type": "command", "command": "x", "name": name});
    let hooks =
        json!([{"type": "command", "command": "x"}, hook(""), hook("a"), hook("a"), hook("b")]);
    let hooks = scene().config(&[("project", group("BeforeTool", hooks))]).hooks;
    let same: Vec<_> = hooks.iter().map(|hook| GeminiSystem.is_same(&hooks[2], hook)).collect();
    assert_eq!(same, [false, false, true, true, false]);
    assert!(GeminiSystem.is_same(&hooks[0], &hooks[1]));
}

#[test]
fn switches_come_from_the_strongest_file_and_names_from_all() {
    let named = group(
        "BeforeTool",
        json!([
            {"type": "command", "command": "a", "name": "one"},
            {"type": "command", "command": "b"},
            {"type": "command", "command": "c"},
        ]),
    );
    let off = |names: Value| json!({"hooksConfig": {"disabled": names}});
    let config = scene().config(&[
        ("project", named.clone()),
        ("user", off(json!(["one"]))),
        ("system", off(json!(["b"]))),
    ]);
    assert_eq!((config.hooks.len(), config.warnings.len()), (1, 2));
    let switch = |is_on: bool| json!({"hooksConfig": {"enabled": is_on}});
    let count = |layers: &[(&str, Value)]| scene().config(layers).hooks.len();
    assert_eq!(count(&[("extension:x", named.clone()), ("user", switch(false))]), 0);
    let mut on = named.clone();
    on["hooksConfig"] = json!({"enabled": true});
    assert_eq!(count(&[("project", on.clone()), ("user", switch(false))]), 3);
    assert_eq!(count(&[("project", on), ("system", switch(false))]), 0);
}

#[test]
fn what_is_malformed_is_dropped_alone_and_told() {
    let config = json!({"hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "a"}]}],
        "AfterTool": {"hooks": []},
        "disabled": ["a"],
        "BeforeTool": [
            {"matcher": "x"}, "group", {"matcher": 1, "hooks": []},
            {"hooks": ["hook", {"command": "a"}, {"type": "http", "url": "a"}, {"type": "command"},
                {"type": "command", "command": ""}, {"type": "command", "command": "good", "future": 1}]},
        ],
    }});
    let config = scene().config(&[("project", config)]);
    assert_eq!(config.hooks.len(), 1);
    assert_eq!(config.warnings.len(), 11, "{:?}", config.warnings);
    assert_eq!(scene().config(&[("project", json!([]))]).warnings.len(), 1);
}

#[test]
fn limits_are_in_milliseconds() {
    let cases = [
        (json!(null), 60_000, false),
        (json!(1_500), 1_500, false),
        (json!(0.5), 1, true),
        (json!(0), 1, true),
        (json!(-5), 1, true),
        (json!(2_147_483_648_u64), 1, true),
        (json!("5"), 60_000, true),
    ];
    for (limit, expected, is_odd) in cases {
        let hooks = json!([{"type": "command", "command": "x", "timeout": limit}]);
        let config = scene().config(&[("project", group("BeforeTool", hooks))]);
        assert_eq!(config.hooks[0].timeout, Duration::from_millis(expected), "{limit}");
        assert_eq!(!config.warnings.is_empty(), is_odd, "{limit}");
    }
}
