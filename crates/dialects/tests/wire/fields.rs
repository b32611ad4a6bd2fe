//! Whether the fields that dialects take for ours are the ones that payloads can be read from.

use hookgate::envelope::Incoming;
use serde_json::{Value, json};

use crate::samples::{dialect, map, sample};

/// Whatever a field holds, the step can be read, or is refused because the payload must have the field.
#[test]
fn no_value_of_a_field_makes_an_envelope_that_the_engine_does_not_read() {
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(7),
        json!("text"),
        json!("startup"),
        json!([]),
        json!(["a"]),
        json!([{"tool_name": "t", "is_error": false}]),
        json!({}),
        json!({"kind": "mcp", "source_id": "fs"}),
        json!({"kind": "mcp", "more": 1}),
        json!("read_only"),
    ];
    let names = hookgate_contract::Event::NAMED
        .iter()
        .flat_map(|event| hookgate_contract::payload::fields(*event))
        .chain(&[
            "session_id",
            "cwd",
            "agent_id",
            "agent_type",
            "turn",
            "step_id",
            "host",
            "decision",
        ])
        .collect::<std::collections::BTreeSet<_>>();
    for agent in ["claude", "codex"] {
        for event in dialect(agent).events() {
            for name in &names {
                for value in &values {
                    let mut native = sample(agent, event.name);
                    native.insert((**name).to_owned(), value.clone());
                    let Ok(step) = dialect(agent).read(None, native.clone()) else { continue };
                    if let Err(error) = Incoming::from_object(step.envelope.clone()) {
                        panic!("{agent} {}: {name} = {value}: {error}", event.name);
                    }
                    // Nothing is lost: it is a field, or a fact of the host.
                    let host = step.envelope.get("host");
                    let kept = step.envelope.get(**name) == Some(value)
                        || host.and_then(|host| host.get(**name)) == Some(value);
                    assert!(
                        kept,
                        "{agent} {}: {name} = {value} in {:?}",
                        event.name, step.envelope
                    );
                }
            }
        }
    }
}

/// The other direction: each required field is really required.
#[test]
fn an_envelope_without_a_field_that_the_payload_needs_is_refused_with_its_own_name() {
    let mut without = sample("claude", "PreToolUse");
    without.remove("tool_input");
    let error = dialect("claude").read(None, without).unwrap_err().to_string();
    assert_eq!(error, "PreToolUse: `tool_input` must be there");
    let mut wrong = sample("codex", "UserPromptSubmit");
    wrong.insert("prompt".into(), json!(["a"]));
    let error = dialect("codex").read(None, wrong).unwrap_err().to_string();
    assert_eq!(error, "UserPromptSubmit: `prompt` must be a string");
}

#[test]
fn every_field_of_a_payload_is_taken_under_its_own_name() {
    let call = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "tool_category": "shell",
        "safety": "read_only", "provenance": {"kind": "mcp"}, "tool_use_id": "1",
    });
    let step = dialect("claude").read(None, map(call)).unwrap();
    let incoming = Incoming::from_object(step.envelope.clone()).unwrap();
    assert!(incoming.header.host.is_empty(), "{:?}", incoming.header.host);
    assert_eq!(step.envelope.get("safety"), Some(&Value::from("read_only")));
}
