//! What the tests of the hook system of Gemini CLI share.

use std::sync::Arc;

use hookgate_agent_systems::foreign::{HookResult, HookSystem, Host, Outcome, RawRun, RunEnd};
use hookgate_agent_systems::gemini::GeminiSystem;
use serde_json::{Value, json};

use crate::scene::Scene;

pub(crate) const EVENTS: [&str; 11] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "SessionStart",
    "SessionEnd",
    "PreCompress",
    "Notification",
];

pub(crate) fn scene() -> Scene {
    Scene::new(Arc::new(GeminiSystem))
}

pub(crate) fn group(event: &str, hooks: Value) -> Value {
    json!({"hooks": {event: [{"hooks": hooks}]}})
}

pub(crate) fn one(event: &str, command: &str) -> Value {
    group(event, json!([{"type": "command", "command": command}]))
}

pub(crate) fn input(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s-1", "tool_name": "read_file",
        "tool_input": {"file_path": "a"}, "tool_response": {"llmContent": "text"},
        "prompt": "p", "source": "startup", "reason": "exit", "trigger": "auto",
        "llm_request": {"model": "m", "config": {"topP": 1}},
        "llm_response": {"candidates": [{"content": {"parts": ["original"]}}]}})
}

/// Reads an output without a process.
pub(crate) fn said(event: &str, output: Value) -> HookResult {
    ended(event, RunEnd::Exited(0), &output.to_string(), "")
}

pub(crate) fn ended(event: &str, end: RunEnd, stdout: &str, stderr: &str) -> HookResult {
    let config = scene().config(&[("project", one(event, "x"))]);
    let run = RawRun {
        stderr: stderr.as_bytes().to_vec(),
        ..RawRun::new(end).with_stdout(stdout.as_bytes().to_vec())
    };
    let input = input(event).as_object().unwrap().clone();
    GeminiSystem.read(&config.hooks[0], &input, &run, &Host::default())
}

pub(crate) fn join(event: &str, outputs: &[Value]) -> Outcome {
    let results = outputs.iter().map(|output| said(event, output.clone())).collect();
    GeminiSystem.combine(input(event).as_object().unwrap(), results, &Host::default())
}
