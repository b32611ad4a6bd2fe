//! What the tests of the hook system of Codex share.

use std::sync::Arc;

use hookgate_agent_systems::codex::CodexSystem;
use hookgate_agent_systems::foreign::{HookResult, HookStatus, HookSystem, Host, RawRun, RunEnd};
use serde_json::{Value, json};

use crate::scene::Scene;

pub(crate) const EVENTS: [&str; 12] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
];

pub(crate) fn scene() -> Scene {
    Scene::new(Arc::new(CodexSystem))
}

pub(crate) fn one(event: &str, hook: Value) -> Value {
    json!({"hooks": {event: [{"hooks": [hook]}]}})
}

pub(crate) fn command(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

pub(crate) fn input(event: &str) -> Value {
    json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"},
        "source": "startup", "trigger": "auto", "agent_type": "explorer", "reason": "other"})
}

/// Reads an answer without a process.
pub(crate) fn said(event: &str, stdout: &str) -> HookResult {
    ended(event, RunEnd::Exited(0), stdout, "")
}

pub(crate) fn ended(event: &str, end: RunEnd, stdout: &str, stderr: &str) -> HookResult {
    let config = scene().config(&[("user", one(event, command("x")))]);
    let run = RawRun {
        stderr: stderr.as_bytes().to_vec(),
        ..RawRun::new(end).with_stdout(stdout.as_bytes().to_vec())
    };
    let input = input(event).as_object().unwrap().clone();
    CodexSystem.read(&config.hooks[0], &input, &run, &Host::default())
}

pub(crate) fn fault(result: &HookResult) -> &str {
    match &result.status {
        HookStatus::Failed(text) => text,
        other => panic!("it did not fail: {other:?}"),
    }
}
