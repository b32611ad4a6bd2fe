//! Envelopes: nothing is lost on the way in, and what is written is read as the same payload.

use std::path::Path;

use hookgate::envelope::Incoming;
use hookgate_contract::dialect::DialectError;
use hookgate_test_support::needs;
use serde_json::{Map, Value, json};

use crate::samples::{dialect, map, sample, step};

/// Returns the keys of an envelope that are neither in the step nor in `host`, with their value.
fn lost(native: &Map<String, Value>, envelope: &Map<String, Value>) -> Vec<String> {
    let host = envelope.get("host").and_then(Value::as_object).cloned().unwrap_or_default();
    let is_there = |key: &String, value: &Value| {
        key == "hook_event_name"
            || host.get(key) == Some(value)
            || envelope.values().any(|v| v == value)
    };
    native.iter().filter(|(key, value)| !is_there(key, value)).map(|(key, _)| key.clone()).collect()
}

#[test]
fn nothing_of_an_envelope_is_lost() {
    for agent in ["claude", "codex"] {
        for event in dialect(agent).events() {
            let native = sample(agent, event.name);
            let step = step(agent, event.name);
            assert_eq!(lost(&native, &step.envelope), [""; 0], "{agent} {}", event.name);
            assert_eq!(step.native, native);
            assert_eq!(step.envelope["hook_event_name"], event.ours);
            Incoming::from_object(step.envelope).unwrap();
        }
    }
}

#[test]
fn recorded_and_documented_envelopes_are_read_without_loss() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    if !needs::path(&shared) {
        return;
    }
    let mut count = 0;
    for agent in ["claude", "codex"] {
        for file in std::fs::read_dir(shared.join(agent).join("inputs")).unwrap() {
            let native: Value =
                serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
            check(agent, map(native));
            count += 1;
        }
    }
    for file in std::fs::read_dir(shared.join("real/codex-0.169.0")).unwrap() {
        for line in std::fs::read_to_string(file.unwrap().path()).unwrap().lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            check("codex", map(record["input"].clone()));
            count += 1;
        }
    }
    assert!(count > 80, "{count}");
}

fn check(agent: &str, native: Map<String, Value>) {
    let step = dialect(agent).read(None, native.clone()).unwrap();
    assert_eq!(lost(&native, &step.envelope), [""; 0], "{agent} {native:?}");
    let incoming = Incoming::from_object(step.envelope.clone()).unwrap();
    assert!(incoming.payload.to_value().unwrap().is_object());
    // What is written again is the same envelope, but for keys that were filled in.
    let written = dialect(agent).write(&step.envelope).unwrap();
    for (key, value) in &native {
        assert_eq!(written.envelope.get(key), Some(value), "{agent}: {key} of {native:?}");
    }
}

#[test]
fn what_is_written_is_read_as_the_same_payload() {
    let envelopes = [
        json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"command": "ls"},
               "safety": "read_only", "tool_use_id": "1", "provenance": {"kind": "mcp", "source_id": "fs"}}),
        json!({"hook_event_name": "permission_request", "tool_name": "Bash", "tool_input": {}, "suggestions": [1]}),
        json!({"hook_event_name": "post_tool_use", "tool_name": "Bash", "tool_input": {}, "tool_response": "x",
               "is_error": true, "duration_ms": 3}),
        json!({"hook_event_name": "user_prompt_submit", "prompt": "p", "source": "steering", "attachments": [1]}),
        json!({"hook_event_name": "session_start", "source": "resume", "model": "m", "title": "t"}),
        json!({"hook_event_name": "session_end", "reason": "done"}),
        json!({"hook_event_name": "stop", "stop_reason": "end", "stop_hook_active": true, "continues_so_far": 2}),
        json!({"hook_event_name": "subagent_stop", "last_assistant_message": "m", "parent_session_id": "p"}),
        json!({"hook_event_name": "pre_compact", "trigger": "auto", "token_estimate": 9, "summary": "s"}),
        json!({"hook_event_name": "post_compact", "summary": "s", "tokens_after": 4}),
    ];
    for envelope in envelopes {
        let mut envelope = map(envelope);
        envelope.extend(map(json!({
            "protocol": 1, "session_id": "s", "turn": 4, "cwd": "/w", "agent_id": "a", "agent_type": "t",
            "generation": 3, "step_id": "x", "host": {"transcript_path": "/t"},
        })));
        for agent in ["claude", "codex"] {
            let written = dialect(agent).write(&envelope).unwrap();
            let native = map(written.envelope);
            assert_eq!(native["transcript_path"], "/t");
            assert!(native.get("protocol").is_none() && native.get("host").is_none());
            let back = dialect(agent).read(None, native).unwrap();
            let payload = |envelope: &Map<String, Value>| {
                let incoming = Incoming::from_object(envelope.clone()).unwrap();
                assert_eq!(incoming.header.session_id, "s");
                assert_eq!(incoming.header.agent_id.as_deref(), Some("a"));
                incoming.payload.to_value().unwrap()
            };
            assert_eq!(payload(&back.envelope), payload(&envelope), "{agent}");
        }
    }
}

#[test]
fn what_an_agent_does_not_have_is_said() {
    let envelope = map(json!({"hook_event_name": "turn_boundary"}));
    let error = dialect("codex").write(&envelope).unwrap_err();
    assert_eq!(error.to_string(), "Codex has no event for `turn_boundary`");
    let error =
        dialect("claude").read(None, map(json!({"hook_event_name": "PreTolUse"}))).unwrap_err();
    assert_eq!(error.to_string(), "Claude Code has no event `PreTolUse`");
    let error = dialect("claude").read(None, map(json!({"session_id": "s"}))).unwrap_err();
    assert_eq!(error, DialectError::NoEvent { field: "hook_event_name" });
    let given = dialect("claude").read(Some("SessionEnd"), map(json!({"reason": "r"}))).unwrap();
    assert_eq!(given.event.name, "SessionEnd");
}

#[test]
fn a_failed_tool_is_a_result_for_codex() {
    let envelope = map(json!({
        "hook_event_name": "post_tool_use_failure", "tool_name": "Bash", "tool_input": {}, "error": "exit 1",
    }));
    let written = dialect("codex").write(&envelope).unwrap();
    assert_eq!(
        (written.event.as_str(), &written.envelope["tool_response"]),
        ("PostToolUse", &json!("exit 1"))
    );
}

#[test]
fn a_sender_cannot_speak_for_the_engine() {
    let mut native = sample("claude", "PreToolUse");
    for key in ["decision", "generation", "protocol", "turn", "step_id", "rejudge"] {
        native.insert(key.into(), json!("deny"));
    }
    let step = dialect("claude").read(None, native).unwrap();
    let incoming = Incoming::from_object(step.envelope).unwrap();
    assert_eq!(incoming.header.host["decision"], "deny");
    assert_eq!((incoming.header.turn, incoming.header.step_id), (0, None));
}
