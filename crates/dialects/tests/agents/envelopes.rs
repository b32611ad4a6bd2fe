//! Envelopes: nothing is lost on the way in, whatever is in them, and what is written is the same again.

use std::path::Path;

use hookgate::envelope::Incoming;
use hookgate_test_support::needs;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::samples::{AGENTS, dialect, every, map, ours, sample};

/// Every key and value that was sent is written again, from our envelope alone.
fn check(agent: &str, given: Option<&str>, native: &Map<String, Value>) {
    let step = dialect(agent).read(given, native.clone()).unwrap();
    Incoming::from_object(step.envelope.clone()).unwrap();
    let written = dialect(agent).write(&step.envelope).unwrap();
    assert_eq!(written.event, step.event.name);
    for (key, value) in native {
        assert_eq!(written.envelope.get(key), Some(value), "{agent} {given:?}: {key}");
    }
}

#[test]
fn documented_and_recorded_envelopes_are_read_without_loss() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    if !needs::path(&shared) {
        return;
    }
    let mut count = 0;
    for agent in ["copilot", "cursor", "gemini"] {
        for file in std::fs::read_dir(shared.join(agent).join("inputs")).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_name().unwrap().to_str().unwrap();
            let event = name.split('.').next().unwrap();
            let native: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            check(agent, Some(event), &map(native));
            count += 1;
        }
    }
    for folder in std::fs::read_dir(shared.join("real")).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(agent) = AGENTS.iter().find(|agent| name.starts_with(**agent)) else { continue };
        for file in std::fs::read_dir(folder).unwrap() {
            for line in std::fs::read_to_string(file.unwrap().path()).unwrap().lines() {
                let record: Value = serde_json::from_str(line).unwrap();
                let event = record["event"].as_str().unwrap();
                check(agent, Some(event), &map(record["input"].clone()));
                count += 1;
            }
        }
    }
    assert!(count > 600, "{count}");
}

#[test]
fn what_is_written_is_read_as_the_same_payload() {
    for agent in every() {
        for event in dialect(agent).events() {
            let native = sample(agent, event);
            check(agent, Some(event.name), &native);
            let back = dialect(agent).read(Some(event.name), native.clone()).unwrap();
            assert_eq!(back.event.name, event.name);
            let incoming = Incoming::from_object(back.envelope.clone()).unwrap();
            if event.name != "workspaceOpen" {
                assert_eq!(incoming.header.session_id, "s-1", "{agent} {}", event.name);
            }
            let ours = ours(back.envelope["hook_event_name"].as_str().unwrap());
            // An event of Cursor's that knows one tool has only what that tool takes.
            let keys = ["tool_input", "tool_response", "prompt", "error", "messages"];
            let is_whole = match agent {
                "cursor" => event.name.contains("ToolUse"),
                // They tell the arguments before the call only.
                "defect" => ["before_tool_apply", "before_ingest"].contains(&event.name),
                "meerkat" => ["pre_tool_execution", "run_started"].contains(&event.name),
                _ => true,
            };
            for key in keys.into_iter().filter(|_| is_whole) {
                assert_eq!(back.envelope.get(key), ours.get(key), "{agent} {}: {key}", event.name);
            }
        }
    }
}

#[test]
fn a_sender_cannot_speak_for_the_engine() {
    // Meerkat has a number of the turn.
    for agent in every().into_iter().filter(|agent| *agent != "meerkat") {
        for event in dialect(agent).events() {
            let mut native = sample(agent, event);
            for key in ["decision", "generation", "protocol", "turn", "step_id", "rejudge"] {
                native.insert(key.into(), json!("deny"));
            }
            let step = dialect(agent).read(Some(event.name), native).unwrap();
            let incoming = Incoming::from_object(step.envelope).unwrap();
            // One agent has a field of that name.
            if event.name != "PermissionResult" {
                assert_eq!(incoming.header.host["decision"], "deny", "{agent} {}", event.name);
            }
            assert_eq!((incoming.header.turn, incoming.header.step_id), (0, None));
        }
    }
}

/// Whether a value is there with all that is in it; a call may stand in a second form beside it.
fn holds(written: &Value, sent: &Value) -> bool {
    match (written, sent) {
        (Value::Object(written), Value::Object(sent)) => sent
            .iter()
            .all(|(key, value)| written.get(key).is_some_and(|other| holds(other, value))),
        _ => written == sent,
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6).prop_map(Value::from),
        "[a-z{}\\[\\]\" ]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(key(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Mostly the keys that mean something to one of the agents.
fn key() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "hook_event_name",
        "hookName",
        "session_id",
        "sessionId",
        "cwd",
        "tool_name",
        "toolName",
        "tool_input",
        "toolArgs",
        "toolInput",
        "tool_call",
        "tool_result",
        "preToolUse",
        "postToolUse",
        "parameters",
        "name",
        "input",
        "output",
        "error",
        "message",
        "prompt",
        "parts",
        "text",
        "type",
        "llm_request",
        "llm_response",
        "config",
        "candidates",
        "content",
        "temperature",
        "tool_calls",
        "tool_response",
        "source",
        "reason",
        "event",
        "properties",
        "host",
        "decision",
        "turn",
        "command",
        "file_path",
        "edits",
        "trigger",
        "agentId",
        "agent_id",
        "timestamp",
        "tool_output",
        "result_json",
        "duration",
        "workspaceRoots",
        "taskId",
        "point",
        "tool_result",
        "llm_request",
        "prompt_input",
        "tool",
        "args",
        "is_error",
        "tool_error",
        "results",
        "approval_decision",
        "approval_source",
        "steering_messages",
        "params",
        "status",
    ];
    prop_oneof![4 => proptest::sample::select(KNOWN).prop_map(str::to_owned), 1 => "[a-z]{1,6}"]
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    proptest::collection::btree_map(key(), json_value(), 0..8)
        .prop_map(|map| map.into_iter().collect())
}

#[test]
fn a_field_of_ours_is_no_field_of_the_agent() {
    let native = json!({"results": []}).as_object().cloned().unwrap();
    assert!(dialect("claude").read(Some("PostToolBatch"), native).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Any object is either refused, or a step that the engine reads and of which nothing is lost.
    #[test]
    fn any_object_is_refused_or_read_without_loss(
        agent in proptest::sample::select(every()),
        index in any::<proptest::sample::Index>(),
        object in object(),
        whole in any::<bool>(),
    ) {
        let dialect = dialect(agent);
        let event = index.get(dialect.events());
        let mut native = if whole { sample(agent, event) } else { Map::new() };
        let mut object = object;
        if agent == "cline" {
            // It says a call twice. If that is not the same, what is written says twice what was judged.
            let twice = ["tool_call", "tool_result", "preToolUse", "postToolUse"];
            object.retain(|key, _| !twice.contains(&key.as_str()));
        }
        native.extend(object);
        if let Ok(step) = dialect.read(Some(event.name), native.clone()) {
            let read = Incoming::from_object(step.envelope.clone());
            prop_assert!(read.is_ok(), "{agent}: {:?} of {native:?}", read.err());
            let written = dialect.write(&step.envelope).unwrap();
            for (key, value) in &native {
                let kept = written.envelope.get(key);
                prop_assert!(kept.is_some_and(|kept| holds(kept, value)), "{agent} {}: {key} = {value} is {kept:?}", event.name);
            }
        }
    }
}

/// What Meerkat tells beside a run, since 0.9: each point is an event of ours with the field that says which point it
/// was, and our envelope alone is written as that point again.
#[test]
fn the_points_of_meerkat_beside_a_run_are_read_and_written() {
    let facts = |point: &str, facts: Value| {
        map(json!({
            "point": point, "session_id": "s-1",
            "observation": {"observation_type": point, "observation": facts},
        }))
    };
    let cases = [
        (
            facts(
                "runtime_input_accepted",
                json!({"input_id": "i", "input_kind": "prompt", "handling_mode": "steer"}),
            ),
            json!({"hook_event_name": "runtime_input", "input_id": "i", "input_kind": "prompt", "outcome": "accepted", "handling_mode": "steer"}),
        ),
        (
            facts(
                "runtime_input_rejected",
                json!({"input_id": "i", "input_kind": "prompt", "reason": {"reason_type": "not_ready", "state": "stopped"}}),
            ),
            json!({"hook_event_name": "runtime_input", "input_id": "i", "input_kind": "prompt", "outcome": "rejected", "reason": "not_ready", "runtime_state": "stopped"}),
        ),
        (
            facts(
                "runtime_input_deduplicated",
                json!({"input_id": "i", "input_kind": "peer_message", "existing_input_id": "h"}),
            ),
            json!({"hook_event_name": "runtime_input", "input_id": "i", "input_kind": "peer_message", "outcome": "deduplicated", "existing_input_id": "h"}),
        ),
        (
            facts(
                "peer_ingress_committed",
                json!({"kind": "request", "peer": {"id": "p", "display_name": "reviewer"}, "sender_taint": "tainted"}),
            ),
            json!({"hook_event_name": "peer_message", "direction": "in", "message_kind": "request", "peer_id": "p", "peer_name": "reviewer", "sender_taint": "tainted"}),
        ),
        (
            facts(
                "peer_egress_committed",
                json!({"kind": "response", "peer_id": "p", "envelope_id": "e", "delivery": {"durably_resolved": {"outcome": "accepted"}}, "in_reply_to": "c"}),
            ),
            json!({"hook_event_name": "peer_message", "direction": "out", "message_kind": "response", "peer_id": "p", "envelope_id": "e", "delivery": "durably_resolved", "in_reply_to": "c"}),
        ),
        (
            facts(
                "interaction_completed",
                json!({"interaction_id": "c", "result": "done", "structured_output": {"n": 1}}),
            ),
            json!({"hook_event_name": "interaction_completed", "interaction_id": "c", "result_text": "done", "structured_output": {"n": 1}}),
        ),
    ];
    for (native, expected) in cases {
        let point = native["point"].as_str().unwrap().to_owned();
        check("meerkat", None, &native);
        let mut envelope = dialect("meerkat").read(None, native).unwrap().envelope;
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(envelope.get(key), Some(value), "{point}: {key}");
        }
        // Without what the host has told, the fields say which point it is.
        envelope.remove("host");
        let written = dialect("meerkat").write(&envelope).unwrap();
        assert_eq!(written.event, point);
        assert_eq!(written.envelope["observation"]["observation_type"], json!(point));
        let again = dialect("meerkat").read(None, map(written.envelope)).unwrap().envelope;
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(again.get(key), Some(value), "{point}, written again: {key}");
        }
    }
}
