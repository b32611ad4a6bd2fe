//! Promise: a policy in Rego is a guard like any other: what it denies does not happen, whatever goes wrong
//! in it counts as the posture of the hook, and a changed file is another config.
#![cfg(feature = "rego")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use hookgate::config::Loader;
use hookgate::{Engine, Gate, HandlerTable, HookEngine, Registry, StepContext, ToolUse};

const POLICY: &str = r#"
package hookgate

deny contains "no deletes" if startswith(input.tool_input.command, "rm")

# An error of a function, another type, a function that is not there.
deny contains "broken" if {
    startswith(input.tool_input.command, "number")
    to_number(input.tool_input.command) > 1
}

deny contains "broken" if {
    startswith(input.tool_input.command, "divide")
    input.tool_input.command / 2 > 1
}

deny contains "broken" if {
    startswith(input.tool_input.command, "unknown")
    no_such_function(input.tool_input.command)
}

deny contains "never" if {
    input.tool_input.command == "forever"
    some a in numbers.range(1, 1000)
    some b in numbers.range(1, 1000)
    some c in numbers.range(1, 1000)
    a * b * c == -1
}

allow if input.tool_input.command == "ls"

verdict := {"decision": "allow"} if input.tool_input.command == "ls"
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("policy.rego"), POLICY).unwrap();
    folder
}

/// A table with one hook that asks a rule; `keys` are further keys of the hook.
fn table(base: &Path, rule: &str, keys: &str) -> Result<HandlerTable, String> {
    let text = format!(
        "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\n{keys}\n\
         rego = {{ file = 'policy.rego', query = 'data.hookgate.{rule}' }}\n"
    );
    let registry = Registry::from_iter([hookgate::rego::kind()]);
    let loaded = Loader::new(&registry).parse("hooks.toml", &text, base);
    loaded.map(|loaded| loaded.table).map_err(|errors| errors.to_string())
}

fn engine(base: &Path, rule: &str, keys: &str) -> Engine {
    Engine::new(table(base, rule, keys).unwrap())
}

/// What becomes of a command: cleared, asked or denied, and why.
async fn outcome(engine: &Engine, command: &str) -> (&'static str, String) {
    let arguments = serde_json::json!({"command": command}).to_string();
    let step = ToolUse::propose("Bash", arguments.as_str()).unwrap();
    match engine.dispatch(step, &StepContext::new("s")).await {
        Gate::Cleared(_) => ("cleared", String::new()),
        Gate::Denied(denied) => ("denied", denied.feedback()),
        Gate::Asked(asked) => ("asked", asked.question().to_owned()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_it_denies_does_not_happen() {
    let folder = folder();
    let deny = engine(folder.path(), "deny", "");
    assert_eq!(outcome(&deny, "ls").await.0, "cleared");
    let (state, reason) = outcome(&deny, "rm -rf /").await;
    assert_eq!(state, "denied");
    assert!(reason.contains("no deletes"), "{reason}");
    // What an `allow` does not hold for is denied, as the policy says.
    let allow = engine(folder.path(), "allow", "");
    assert_eq!(outcome(&allow, "ls").await.0, "cleared");
    assert_eq!(outcome(&allow, "cat").await.0, "denied");
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
        let deny = engine(folder.path(), "deny", keys);
        for command in ["number", "divide", "unknown", "forever"] {
            assert_eq!(outcome(&deny, command).await.0, expected, "{keys} {command}");
        }
        // The control: what is denied is denied, whatever a failure counts as.
        assert_eq!(outcome(&deny, "rm").await.0, "denied", "{keys}");
        // A verdict that is undefined.
        let verdict = engine(folder.path(), "verdict", keys);
        assert_eq!(outcome(&verdict, "ls").await.0, "cleared", "{keys}");
        assert_eq!(outcome(&verdict, "cat").await.0, expected, "{keys}");
    }
}

#[tokio::test]
async fn an_evaluation_ends_in_time() {
    let folder = folder();
    let deny = engine(folder.path(), "deny", "");
    let begun = Instant::now();
    assert_eq!(outcome(&deny, "forever").await.0, "denied");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_place() {
    let folder = folder();
    std::fs::write(folder.path().join("policy.rego"), "package hookgate\n\ndeny contains :x\n")
        .unwrap();
    let error = table(folder.path(), "deny", "").unwrap_err();
    assert!(error.contains("policy.rego:3:"), "{error}");
}

/// A table keeps the policy that it was loaded with; a changed file is another config.
#[tokio::test]
async fn a_changed_policy_is_another_table() {
    let folder = folder();
    let first = table(folder.path(), "deny", "").unwrap();
    let again = table(folder.path(), "deny", "").unwrap();
    assert_eq!(first.config_hash(), again.config_hash());
    let path = folder.path().join("policy.rego");
    let named = first.specs().flat_map(|hook| hook.sources()).any(|source| *source == path);
    assert!(named, "a host that watches its config watches the policy");

    std::fs::write(&path, "package hookgate\n\ndeny contains \"x\" if false\n").unwrap();
    let changed = table(folder.path(), "deny", "").unwrap();
    assert_ne!(first.config_hash(), changed.config_hash());
    assert_eq!(outcome(&Engine::new(first), "rm").await.0, "denied");
    assert_eq!(outcome(&Engine::new(changed), "rm").await.0, "cleared");
}
