//! Promise: each event needs exactly the fields that it declares, and no field is mistaken for a
//! fact of the host.

use hookgate::Event;
use hookgate::envelope::{Incoming, IncomingError};
use hookgate_test_support::envelopes::{event_fields, incoming};
use serde_json::{Value, json};

use super::{object, written};

#[test]
fn each_event_needs_exactly_the_fields_of_the_design() {
    assert!(
        event_fields().iter().map(|fields| fields.event).eq(Event::NAMED),
        "each event has fields"
    );
    for fields in event_fields() {
        let event = fields.event;
        Incoming::from_object(fields.least()).unwrap_or_else(|error| panic!("{event}: {error}"));
        for (name, _) in &fields.required {
            let mut without = fields.least();
            without.remove(*name);
            let error = Incoming::from_object(without).unwrap_err();
            let IncomingError::Payload { event: named, problem } = &error else {
                panic!("{event} without {name}: {error:?}")
            };
            assert_eq!(*named, event.name());
            assert!(problem.contains(name), "{event} without {name}: {problem}");
            let mut null = fields.least();
            null.insert((*name).into(), Value::Null);
            // A value of any kind may be null; nothing else that is required may.
            let any = matches!(*name, "tool_input" | "tool_response");
            assert_eq!(Incoming::from_object(null).is_ok(), any, "{event}: {name} is null");
        }
        for (name, _) in &fields.optional {
            let mut without = fields.whole();
            without.remove(*name);
            assert!(Incoming::from_object(without).is_ok(), "{event} without {name}");
        }
    }
}

/// Every field has a position of its own: nothing that the design lists is taken for a fact of the
/// host, and what is written again is what came in.
#[test]
fn every_field_is_known() {
    for fields in event_fields() {
        let event = fields.event;
        for envelope in [fields.whole(), fields.least()] {
            let read = Incoming::from_object(envelope.clone()).unwrap();
            assert!(read.header.host.is_empty(), "{event}: {:?}", read.header.host);
            let again = written(&read);
            for (name, value) in &envelope {
                assert_eq!(again.get(name), Some(value), "{event}: {name}");
            }
            let ours = ["protocol", "step_id", "session_id", "turn", "generation"];
            let known = |name: &str| envelope.contains_key(name) || ours.contains(&name);
            let more: Vec<_> = again.keys().filter(|name| !known(name)).collect();
            let defaults: &[&str] =
                if event == Event::UserPromptSubmit { &["source"] } else { &[] };
            let whole = envelope.len() == fields.whole().len();
            assert_eq!(more, if whole { &[] } else { defaults }, "{event}");
        }
    }
}

#[test]
fn a_field_of_the_wrong_type_is_an_error() {
    for fields in event_fields() {
        for (name, value) in fields.required.iter().chain(&fields.optional) {
            let mut wrong = fields.whole();
            // No field of any event takes both a number and an object with this key.
            let other = if value.is_number() { json!("x") } else { json!(-1) };
            wrong.insert((*name).into(), other);
            // These take any value.
            let any = [
                "tool_input",
                "tool_response",
                "plan",
                "policies",
                "contexts",
                "messages",
                "usage",
                "suggestions",
                "content_blocks",
                "structured_output",
            ];
            let read = Incoming::from_object(wrong);
            assert_eq!(read.is_ok(), any.contains(name), "{}: {name}", fields.event);
        }
    }
}

#[test]
fn unknown_keys_are_facts_of_the_host() {
    for fields in event_fields() {
        let mut envelope = fields.whole();
        envelope.insert("transcript_path".into(), json!("/t.jsonl"));
        envelope.insert("made_up".into(), json!({"a": [1, null]}));
        envelope.insert("host".into(), json!({"pid": 7}));
        let read = Incoming::from_object(envelope).unwrap();
        let host = json!({"transcript_path": "/t.jsonl", "made_up": {"a": [1, null]}, "pid": 7});
        assert_eq!(Value::Object(read.header.host.clone()), host, "{}", fields.event);
        // They stay where they are, however often the envelope is passed on.
        let again = written(&read);
        assert_eq!(again.get("host"), Some(&host), "{}", fields.event);
        let third = written(&Incoming::from_object(again.clone()).unwrap());
        assert_eq!(third, again, "{}", fields.event);
    }
}

/// A known field stays where it is, even if it is empty.
#[test]
fn an_empty_optional_field_is_not_taken_for_a_fact_of_the_host() {
    for fields in event_fields() {
        for (name, value) in fields.optional.iter().filter(|(_, value)| !value.is_boolean()) {
            let mut envelope = fields.whole();
            let empty = match value {
                // An object is empty only where every object will do.
                Value::Object(_) if *name != "provenance" => json!({}),
                Value::Array(_) => json!([]),
                Value::String(_) if !matches!(*name, "safety" | "source") => json!(""),
                Value::Number(_) => json!(0),
                other => other.clone(),
            };
            envelope.insert((*name).into(), empty.clone());
            let read = Incoming::from_object(envelope).unwrap();
            assert!(read.header.host.is_empty(), "{}: {:?}", fields.event, read.header.host);
            let again = written(&read).remove(*name);
            let same = again.as_ref().and_then(Value::as_f64) == Some(0.0) || again == Some(empty);
            assert!(same, "{}: {name} is {again:?}", fields.event);
        }
    }
}

#[test]
fn the_header_has_defaults() {
    let read = incoming(Event::SessionEnd);
    assert_eq!(read.header, hookgate::envelope::Header::default());
    let again = written(&read);
    let expected = json!({"protocol": 1, "hook_event_name": "session_end", "step_id": "made",
        "session_id": "", "turn": 0, "generation": 3, "reason": "done"});
    assert_eq!(Value::Object(again), expected);
    // Null is the same as absent.
    let nulls = json!({"hook_event_name": "session_end", "reason": "done", "step_id": null,
        "session_id": null, "turn": null, "cwd": null, "agent_id": null, "agent_type": null,
        "host": null});
    assert_eq!(Incoming::from_object(object(nulls)).unwrap().header, read.header);
}

#[test]
fn fields_that_only_the_engine_writes_are_ignored() {
    let envelope = json!({"hook_event_name": "session_end", "reason": "done", "generation": 99,
        "rejudge": true, "decision": {"outcome": "allow"}});
    let again = written(&Incoming::from_object(object(envelope)).unwrap());
    assert_eq!(again["generation"], 3);
    assert!(!again.contains_key("rejudge") && !again.contains_key("decision"));
    assert!(!again.contains_key("host"));
}
