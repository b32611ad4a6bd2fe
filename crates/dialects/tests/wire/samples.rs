//! One envelope for each event of Claude Code and Codex, as their documentation describes it.

use hookgate_contract::dialect::{Dialect, HostStep};
use hookgate_dialects::of_agents;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) fn dialect(name: &str) -> Arc<dyn Dialect> {
    of_agents().into_iter().find(|dialect| dialect.name() == name).expect("a dialect")
}

pub(crate) fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => panic!("not an object"),
    }
}

/// Returns an envelope of an event.
pub(crate) fn sample(agent: &str, event: &str) -> Map<String, Value> {
    let mut all = map(json!({
        "session_id": "s-1", "cwd": "/srv/ledger", "hook_event_name": event,
        "transcript_path": null, "permission_mode": "default",
        "an_unknown_key": {"of": ["a", "newer", "version"]},
    }));
    if agent == "codex" {
        all.extend(map(json!({ "turn_id": "t-1", "model": "m" })));
    }
    let response = match agent {
        "codex" => json!("one\ntwo\n"),
        _ => json!({ "stdout": "one\ntwo\n", "stderr": "", "interrupted": false, "type": "text" }),
    };
    let call = json!({
        "tool_name": "Bash", "tool_use_id": "call-1", "tool_input": {"command": "ls", "description": "list"},
    });
    let own = match event {
        "PreToolUse" | "PermissionRequest" => call,
        "PermissionDenied" => json!({
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "reason": "not now",
        }),
        "PostToolUse" => {
            let mut call = map(call);
            call.extend(map(json!({ "tool_response": response, "duration_ms": 12 })));
            Value::Object(call)
        }
        "PostToolUseFailure" => json!({
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "error": "Exit code 1", "is_interrupt": false,
        }),
        "PostToolBatch" => json!({ "tool_calls": [
            {"tool_name": "Read", "tool_input": {"file_path": "/a"}, "tool_use_id": "1", "tool_response": "a"},
            {"tool_name": "Read", "tool_input": {"file_path": "/b"}, "tool_use_id": "2"},
        ] }),
        "SessionStart" => json!({ "source": "startup", "model": "m", "session_title": "a title" }),
        "SessionEnd" => json!({ "reason": "other" }),
        "UserPromptSubmit" => json!({ "prompt": "rename it" }),
        "Stop" | "SubagentStop" => json!({
            "stop_hook_active": false, "last_assistant_message": "done", "agent_id": "a-1", "agent_type": "Explore",
        }),
        "SubagentStart" => json!({ "agent_id": "a-1", "agent_type": "Explore" }),
        "StopFailure" => json!({ "error": "rate_limit", "error_details": "429" }),
        "Notification" => json!({ "message": "look", "notification_type": "idle" }),
        "PreCompact" => json!({ "trigger": "manual", "custom_instructions": "keep the plan" }),
        "PostCompact" => json!({ "trigger": "auto", "compact_summary": "short" }),
        "ConfigChange" => json!({ "source": "project_settings", "file_path": "/srv/s.json" }),
        "WorktreeCreate" => json!({ "name": "feature" }),
        "Elicitation" => json!({ "mcp_server_name": "billing", "message": "Which region?" }),
        "FileChanged" => json!({ "file_path": "/srv/.envrc", "event": "change" }),
        _ => json!({ "what": "ever" }),
    };
    all.extend(map(own));
    all
}

/// Reads the sample of an event.
pub(crate) fn step(agent: &str, event: &str) -> HostStep {
    dialect(agent).read(None, sample(agent, event)).unwrap()
}
