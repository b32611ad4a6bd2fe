//! Conditions on effects in a config, from the file to the decision.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use hookgate::config::Loader;
use hookgate::testing::tool_call;
use hookgate::{Engine, HookEngine, Outcome, StepContext};
use hookgate_effects::conditions;
use hookgate_test_support::registry;

const CONFIG: &str = r#"
[[tool]]
name = "mcp__notes__save"
writes = "/file"

[[tool]]
name = "mcp__clock__*"
effects = "none"

[[hook]]
id = "stay-inside"
event = "pre_tool_use"
writes = { outside = "$cwd" }
builtin = { name = "deny", reason = "outside" }

[[hook]]
id = "no-force-push"
event = "pre_tool_use"
runs = "git push -f|--force"
not = { agent = "release" }
builtin = { name = "deny", reason = "force" }

[[hook]]
id = "known-hosts"
event = "pre_tool_use"
connects = { outside = "docs.rs" }
on_unclear = "deny"
builtin = { name = "ask", reason = "host" }
"#;

#[tokio::test]
async fn a_config_with_effects_decides() {
    let registry = registry();
    for kind in conditions::kinds_at_home(Some("/home/u".into())) {
        registry.add_condition(kind).unwrap();
    }
    registry.add_section(conditions::section()).unwrap();
    let loaded = Loader::new(&registry).parse("hooks.toml", CONFIG, ".".as_ref()).unwrap();
    let engine = Engine::new(loaded.table);
    let outcome = async |tool: &str, key: &str, value: &str| {
        let context = StepContext::new("s").cwd("/home/u/proj");
        engine.dispatch(tool_call(tool).input(key, value).step(), &context).await.outcome()
    };

    assert_eq!(outcome("Write", "file_path", "src/a").await, Outcome::Allow);
    assert_eq!(outcome("Write", "file_path", "~/.bashrc").await, Outcome::Deny);
    assert_eq!(outcome("mcp__notes__save", "file", "/etc/x").await, Outcome::Deny);
    assert_eq!(outcome("mcp__notes__save", "file", "notes.md").await, Outcome::Allow);
    assert_eq!(outcome("mcp__clock__now", "zone", "UTC").await, Outcome::Allow);
    assert_eq!(outcome("Bash", "command", "sudo git -C x push -f").await, Outcome::Deny);
    assert_eq!(outcome("Bash", "command", "echo x >> ~/.bashrc").await, Outcome::Deny);
    assert_eq!(outcome("WebFetch", "url", "https://docs.rs/x").await, Outcome::Allow);
    assert_eq!(outcome("WebFetch", "url", "https://docs.rs@evil.com").await, Outcome::Ask);
    // What cannot be told counts as the posture says, at each hook.
    assert_eq!(outcome("Bash", "command", "echo x > $OUT").await, Outcome::Ask);
    assert_eq!(outcome("WebFetch", "link", "https://docs.rs/x").await, Outcome::Deny);
    // A tool without manifest may do anything.
    assert_eq!(outcome("mcp__other__save", "file", "a").await, Outcome::Deny);
}
