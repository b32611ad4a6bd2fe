//! Promise: the guards in `examples/` do what their README says, in both modes.
#![cfg(feature = "command")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use hookgate_test_support as support;

use std::path::{Path, PathBuf};

use hookgate::config::Loader;
use hookgate::contract::payload::ToolCall;
use hookgate::{Engine, Outcome, ToolUse};
use serde_json::json;
use support::context;

fn folder(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example)
}

fn engine(example: &str, mode: &str) -> Engine {
    let folder = folder(example);
    let config = std::fs::read_to_string(folder.join("hooks.toml")).unwrap();
    assert!(config.contains("mode = \"worker\""), "{config}");
    let config = config
        .replace("mode = \"worker\"", &format!("mode = \"{mode}\""))
        .replace("timeout = \"2s\"", "timeout = \"20s\"");
    let loaded = Loader::new(&support::registry()).parse("hooks.toml", &config, &folder);
    Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table)
}

async fn guards(example: &str) {
    for mode in ["plain", "worker"] {
        let engine = engine(example, mode);
        for (call, expected) in [
            (ToolCall::new("Bash", json!({"command": "ls"})), Outcome::Allow),
            (ToolCall::new("Bash", json!({"command": "git push --force"})), Outcome::Deny),
            (ToolCall::new("Bash", json!({"command": "rm -rf ~/x"})), Outcome::Ask),
            (ToolCall::new("Write", json!({"content": "AKIAIOSFODNN7EXAMPLE"})), Outcome::Deny),
            (ToolCall::new("Write", json!({"content": "hello"})), Outcome::Allow),
            (ToolCall::new("Read", json!({"path": "/"})), Outcome::Allow),
        ] {
            let step = ToolUse::from(call);
            let (_, report) = engine.dispatch_reported(step, &context()).await;
            assert_eq!(report.decision, expected, "{example} {mode}: {report:?}");
            let failed = report.votes.iter().any(|vote| vote.failure.is_some());
            assert!(!failed, "{example} {mode}: {report:?}");
        }
    }
}

#[tokio::test]
async fn a_guard_in_python() {
    guards("python-guard").await;
}

#[tokio::test]
async fn a_guard_in_node() {
    if !hookgate_test_support::needs::program("node") {
        return;
    }
    guards("node-guard").await;
}
