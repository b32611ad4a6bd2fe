//! Promise: policies in Cedar are guards like any others: what they forbid or do not permit does not happen,
//! whatever goes wrong in them counts as the posture of the hook, and a changed file is another config.
#![cfg(feature = "cedar")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::path::Path;

use hookgate::config::Loader;
use hookgate::{Engine, Gate, HandlerTable, HookEngine, Registry, StepContext, ToolUse};
use serde_json::Value;

const POLICIES: &str = r#"
permit (principal, action == Action::"Bash", resource);

@reason("no deletes")
forbid (principal, action, resource)
when { context.tool_input.command like "rm*" };

@decision("ask")
@reason("who is that?")
forbid (principal, action, resource)
when { context.tool_input.command like "ask*" };

// An attribute that is not there, another type, a number that is too large.
forbid (principal, action, resource)
when { context.tool_input.command like "missing*" && context.none };

forbid (principal, action, resource)
when { context.tool_input.command like "type*" && context.tool_input.command < 1 };

forbid (principal, action, resource)
when { context.tool_input.command like "overflow*" && 9223372036854775807 + 1 > 0 };
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("policy.cedar"), POLICIES).unwrap();
    folder
}

/// A table with one hook that asks the policies; `keys` are further keys of the hook.
fn table(base: &Path, keys: &str) -> Result<HandlerTable, String> {
    let text = format!(
        "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\n{keys}\ncedar = {{ policies = 'policy.cedar' }}\n"
    );
    let registry = Registry::from_iter([hookgate::cedar::kind()]);
    let loaded = Loader::new(&registry).parse("hooks.toml", &text, base);
    loaded.map(|loaded| loaded.table).map_err(|errors| errors.to_string())
}

/// What becomes of a call: cleared, asked or denied, and why.
async fn outcome(engine: &Engine, tool: &str, command: &str) -> (&'static str, String) {
    let arguments = serde_json::json!({"command": command}).to_string();
    let step = ToolUse::propose(tool, arguments.as_str()).unwrap();
    match engine.dispatch(step, &StepContext::new("s")).await {
        Gate::Cleared(_) => ("cleared", String::new()),
        Gate::Denied(denied) => ("denied", denied.feedback()),
        Gate::Asked(asked) => ("asked", asked.question().to_owned()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_they_forbid_or_do_not_permit_does_not_happen() {
    let folder = folder();
    let engine = Engine::new(table(folder.path(), "").unwrap());
    assert_eq!(outcome(&engine, "Bash", "ls").await.0, "cleared");
    for (tool, command, state, why) in [
        ("Bash", "rm -rf /", "denied", "no deletes"),
        ("Bash", "ask me", "asked", "who is that?"),
        ("Write", "ls", "denied", "no policy permits"),
    ] {
        let (found, reason) = outcome(&engine, tool, command).await;
        assert_eq!(found, state, "{tool} {command}");
        assert!(reason.contains(why), "{tool} {command}: {reason}");
    }
}

#[tokio::test]
async fn a_failure_counts_as_the_posture() {
    let folder = folder();
    for (keys, expected) in [
        ("", "denied"),
        ("on_failure = 'deny'", "denied"),
        ("on_failure = 'ask'", "asked"),
        ("on_failure = 'allow'", "cleared"),
    ] {
        let engine = Engine::new(table(folder.path(), keys).unwrap());
        for command in ["missing", "type", "overflow"] {
            assert_eq!(outcome(&engine, "Bash", command).await.0, expected, "{keys} {command}");
        }
        // The control: what is forbidden is denied, whatever a failure counts as.
        assert_eq!(outcome(&engine, "Bash", "rm").await.0, "denied", "{keys}");
    }
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_place() {
    let folder = folder();
    let text = "permit (principal, action, resource);\nforbid (principal, acton, resource);";
    std::fs::write(folder.path().join("policy.cedar"), text).unwrap();
    let error = table(folder.path(), "").unwrap_err();
    assert!(error.contains("policy.cedar:2:20"), "{error}");
}

/// A table keeps the policies that it was loaded with; a changed file is another config.
#[tokio::test]
async fn a_changed_policy_is_another_table() {
    let folder = folder();
    let first = table(folder.path(), "").unwrap();
    assert_eq!(first.config_hash(), table(folder.path(), "").unwrap().config_hash());
    let path = folder.path().join("policy.cedar");
    let named = first.specs().flat_map(|hook| hook.sources()).any(|source| *source == path);
    assert!(named, "a host that watches its config watches the policies");

    std::fs::write(&path, "permit (principal, action, resource);").unwrap();
    let changed = table(folder.path(), "").unwrap();
    assert_ne!(first.config_hash(), changed.config_hash());
    assert_eq!(outcome(&Engine::new(first), "Bash", "rm").await.0, "denied");
    assert_eq!(outcome(&Engine::new(changed), "Bash", "rm").await.0, "cleared");
}

/// The library makes serde_json keep the order of keys. What is hashed must not depend on it: `.ci/run` runs
/// the tests that know hashes by heart (of configs, permits, AGENT-HOOKS) in a build with this feature as
/// well. This is the control that such a build is another one.
#[test]
fn a_build_with_cedar_keeps_the_order_of_keys() {
    let value: Value = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"b":1,"a":2}"#);
    assert_eq!(hookgate::contract::json::canonical(&value), r#"{"a":2,"b":1}"#);
}
