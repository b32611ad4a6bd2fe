//! One envelope for each event of an agent.

use std::sync::Arc;

use hookgate_contract::dialect::{Dialect, HostEvent, HostStep};

use serde_json::{Map, Value, json};

/// The agents that these tests are about.
pub(crate) const AGENTS: [&str; 9] =
    ["claude", "cline", "codex", "copilot", "cursor", "gemini", "kimi", "opencode", "qwen"];

/// The systems and protocols beside them, in which hookgate is not installed.
pub(crate) const SYSTEMS: [&str; 4] = ["ahp", "defect", "docker-agent", "meerkat"];

/// Both.
pub(crate) fn every() -> Vec<&'static str> {
    AGENTS.into_iter().chain(SYSTEMS).collect()
}

pub(crate) fn dialects() -> Vec<Arc<dyn Dialect>> {
    hookgate_dialects::every()
}

pub(crate) fn dialect(name: &str) -> Arc<dyn Dialect> {
    dialects().into_iter().find(|dialect| dialect.name() == name).expect("a dialect")
}

pub(crate) fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

/// Returns an envelope of ours for an event of ours.
pub(crate) fn ours(event: &str) -> Map<String, Value> {
    let call = json!({
        "tool_name": "a_tool", "tool_use_id": "c-1", "tool_input": {"command": "ls", "file_path": "/w/a", "list": ["one", 2]},
    });
    let mut call = map(call);
    let own = match event {
        "pre_tool_use" | "permission_request" => Value::Object(call),
        "permission_decided" => {
            call.insert("approval_decision".into(), "deny".into());
            Value::Object(call)
        }
        "post_tool_use" => {
            call.insert("tool_response".into(), "one\ntwo\n".into());
            Value::Object(call)
        }
        "post_tool_use_failure" => {
            call.insert("error".into(), "it failed".into());
            Value::Object(call)
        }
        "post_tool_batch" => {
            json!({ "results": [{"tool_name": "a_tool", "tool_use_id": "c-1", "is_error": true}] })
        }
        "session_start" => json!({ "source": "resume" }),
        "session_end" => json!({ "reason": "done" }),
        "user_prompt_submit" => json!({ "prompt": "rename it" }),
        "run_failed" => json!({ "error": "rate_limit" }),
        "run_completed" => json!({ "result_text": "done", "turns": 3 }),
        "notification" => json!({ "message": "look" }),
        "pre_compact" => json!({ "trigger": "manual" }),
        "stop" | "subagent_stop" => json!({ "last_assistant_message": "done" }),
        "pre_llm_request" => json!({
            "model": "m", "message_count": 1, "messages": [{"role": "user", "content": "hi"}], "temperature": 0.5,
        }),
        "post_llm_response" => json!({
            "assistant_text": "hello", "tool_call_names": [], "model": "m", "stop_reason": "STOP",
        }),
        "config_change" => json!({ "source": "project_settings", "file_path": "/w/s.json" }),
        "worktree_create" => json!({ "path": "/w/feature", "name": "feature" }),
        "runtime_input" => {
            json!({ "input_id": "i-1", "input_kind": "prompt", "outcome": "accepted" })
        }
        "peer_message" => json!({ "direction": "in", "message_kind": "request", "peer_id": "p-1" }),
        "interaction_completed" => json!({ "interaction_id": "c-1", "result_text": "done" }),
        "tool_selection" => json!({ "input_text": "", "model": "m" }),
        _ => json!({}),
    };
    let mut all = map(json!({
        "hook_event_name": event, "protocol": 1, "step_id": "x", "session_id": "s-1", "turn": 4, "cwd": "/w",
        "generation": 2,
    }));
    all.extend(map(own));
    all
}

/// Returns an envelope that the agent sends at an event, made by its own dialect from one of ours.
pub(crate) fn sample(agent: &str, event: &HostEvent) -> Map<String, Value> {
    let mut envelope = ours(event.ours);
    envelope.insert("host".into(), json!({ "hook_event_name": event.name }));
    let written = dialect(agent).write(&envelope).unwrap();
    assert_eq!(written.event, event.name, "{agent}");
    map(written.envelope)
}

/// Reads the sample of an event.
pub(crate) fn step(agent: &str, event: &HostEvent) -> HostStep {
    dialect(agent).read(Some(event.name), sample(agent, event)).unwrap()
}
