//! Promise: what a step says in Rust, its envelope says in JSON, and nothing is lost on the way
//! back; an envelope that cannot be read is an error that says why.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support::corpus;
use hookgate_test_support::envelopes;

use std::path::{Path, PathBuf};

use envelopes::{incoming, shapes};
use hookgate::contract::Envelope;
use hookgate::contract::payload::*;
use hookgate::contract::{PROTOCOL, StepId};
use hookgate::envelope::alias::ALIASES;
use hookgate::envelope::{Incoming, IncomingError};
use hookgate::{Event, StepContext};
use serde_json::{Map, Value, json};

/// The envelope of a payload, written and read again.
fn sent(payload: &dyn AnyPayload, context: &StepContext<'_>) -> Incoming {
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(payload, context, &id, 12, 1 << 20);
    let bytes = envelope.bytes().unwrap();
    assert_eq!(&serde_json::from_slice::<Value>(bytes).unwrap(), envelope.value().unwrap());
    // All of 64 bits: a payload may have counts as large.
    Incoming::parse_with(bytes, hookgate::contract::json::Integers::Exact)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The envelope of what came in, as the next process gets it.
fn written(incoming: &Incoming) -> Map<String, Value> {
    let id = StepId::new(incoming.header.step_id.as_deref(), || "made".to_owned());
    let context = incoming.header.context();
    let payload = incoming.payload.snapshot();
    let envelope = Envelope::new(&*payload, &context, &id, 3, 1 << 20);
    serde_json::from_slice(envelope.bytes().unwrap()).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("{value} is no object") };
    map
}

// ==== Rust and back ====

/// Sends a payload and compares it, in its own type, with what arrives.
fn returns<P: AnyPayload + PartialEq + std::fmt::Debug>(payload: P) -> Event {
    let context = StepContext::new("s").turn(4).cwd("/srv").agent("a1", "reviewer");
    let arrived = sent(&payload, &context);
    assert_eq!(arrived.event, payload.contract().event);
    let header = arrived.header.clone();
    assert_eq!((header.session_id.as_str(), header.turn), ("s", 4));
    assert_eq!(header.step_id.as_deref(), Some("step-1"));
    assert_eq!(header.cwd.as_deref(), Some("/srv"));
    assert_eq!(
        (header.agent_id.as_deref(), header.agent_type.as_deref()),
        (Some("a1"), Some("reviewer"))
    );
    assert!(header.host.is_empty(), "{:?}", header.host);
    let event = arrived.event;
    // By reference, as a handler sees it, and by value.
    assert_eq!(arrived.payload.as_any().downcast_ref::<P>(), Some(&payload), "{event}");
    assert_eq!(arrived.into_payload::<P>(), Some(payload), "{event}");
    event
}

fn call() -> ToolCall {
    ToolCall::new("Bash", json!({"command": "ls\n\u{1f600}", "n": 1.5, "deep": [[]]}))
        .tool_use_id("toolu_1")
        .tool_category("shell")
        .safety(Safety::Destructive)
        .provenance(Provenance::new("mcp").source_id("fs"))
}

fn planning() -> Planning {
    let mut planning = Planning::new("fix it");
    planning.tool_names = Some(vec!["Bash".into()]);
    planning.contexts = Some(json!([{"id": "a"}]));
    planning
}

fn request() -> PreLlmRequest {
    let mut request = PreLlmRequest::new("m", 2);
    request.temperature = Some(0.1);
    request.max_tokens = Some(u64::MAX);
    request.provider_params = Some(object(json!({"seed": -1})));
    request.messages = Some(json!([{"role": "user", "content": "\u{0}\u{2028}"}]));
    request
}

fn response() -> PostLlmResponse {
    let mut response = PostLlmResponse::new("ok", vec!["Bash".into()]);
    response.cost = Some(0.000_3);
    response.usage = Some(json!({"in": 1}));
    response
}

fn result() -> PostToolUse {
    let mut result = PostToolUse::new(call(), json!({"stdout": "x"}));
    result.is_error = Some(true);
    result.content_blocks = Some(json!([{"type": "image"}]));
    result
}

fn prompt() -> UserPromptSubmit {
    let mut prompt = UserPromptSubmit::new("hi");
    prompt.source = PromptSource::Followup;
    prompt.attachments = Some(vec![json!("a.png")]);
    prompt
}

#[test]
fn every_payload_comes_back_as_it_was_sent() {
    let batch = BatchResult::new("Bash", true).tool_use_id("t");
    let mut failure = PostToolUseFailure::new(call(), "no");
    failure.is_interrupt = Some(true);
    let mut decided = PermissionDecided::new(call(), "deny");
    decided.approval_source = Some("user".into());
    let mut compact = PreCompact::new("auto");
    compact.summary = Some("s".into());
    compact.threshold = Some(0);
    let seen = [
        returns(SessionStart::new(SessionSource::Fork)),
        returns(SessionResume::new().new_max_iterations(9)),
        returns(SessionEnd::new("done")),
        returns(RunStarted::new().prompt("go")),
        returns(RunCompleted::new("", 3)),
        returns(RunFailed::new("boom")),
        returns(prompt()),
        returns(UserPromptAccepted::new("hi")),
        returns(UserInputRequested::new().message("?")),
        returns(TurnPolicy(planning())),
        returns(TurnStart::new(1)),
        returns(PromptContext(planning())),
        returns(PromptContextPlanned(planning())),
        returns(ToolSelection(planning())),
        returns(PromptCompile(planning())),
        returns(PromptCompiled::new(vec!["a".into()]).token_estimate(1)),
        returns(request()),
        returns(response()),
        returns(call()),
        returns(PermissionRequest::new(call()).suggestions(json!([1]))),
        returns(decided),
        returns(result()),
        returns(failure),
        returns(PostToolBatch::new(vec![batch])),
        returns(TurnBoundary::new().voluntary(false)),
        returns(Stop::new().continues_so_far(2)),
        returns(SubagentStart::new().prompt("look")),
        returns(SubagentStop::new().stop_hook_active(true)),
        returns(AgentSwitch::new("a", "b")),
        returns(compact),
        returns(PostCompact::new().tokens_after(1)),
        returns(MaxIterations::new(50)),
        returns(Notification::new("hello")),
        returns(ConfigChange::new("project")),
        returns(WorktreeCreate::new("/w")),
    ];
    assert!(seen.into_iter().eq(Event::NAMED.into_iter()), "all events, once each, in order");
}

#[test]
fn a_payload_is_no_payload_of_another_event() {
    assert_eq!(incoming(Event::Stop).into_payload::<SubagentStop>(), None);
    assert_eq!(incoming(Event::PreToolUse).into_payload::<PermissionRequest>(), None);
    assert!(incoming(Event::PreToolUse).into_payload::<ToolCall>().is_some());
}

// ==== Required and optional ====

#[test]
fn each_event_needs_what_the_design_says_and_no_more() {
    assert!(
        shapes().iter().map(|shape| shape.event).eq(Event::NAMED.into_iter()),
        "each event has a shape"
    );
    for shape in shapes() {
        let event = shape.event;
        Incoming::from_object(shape.least()).unwrap_or_else(|error| panic!("{event}: {error}"));
        for (name, _) in &shape.required {
            let mut without = shape.least();
            without.remove(*name);
            let error = Incoming::from_object(without).unwrap_err();
            let IncomingError::Payload { event: named, problem } = &error else {
                panic!("{event} without {name}: {error:?}")
            };
            assert_eq!(*named, event.name());
            assert!(problem.contains(name), "{event} without {name}: {problem}");
            let mut null = shape.least();
            null.insert((*name).into(), Value::Null);
            // A value of any kind may be null; nothing else that is required may.
            let any = matches!(*name, "tool_input" | "tool_response");
            assert_eq!(Incoming::from_object(null).is_ok(), any, "{event}: {name} is null");
        }
        for (name, _) in &shape.optional {
            let mut without = shape.whole();
            without.remove(*name);
            assert!(Incoming::from_object(without).is_ok(), "{event} without {name}");
        }
    }
}

/// Every field has a place of its own: nothing that the design lists is taken for a fact of the
/// host, and what is written again is what came in.
#[test]
fn every_field_is_known() {
    for shape in shapes() {
        let event = shape.event;
        for envelope in [shape.whole(), shape.least()] {
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
            let whole = envelope.len() == shape.whole().len();
            assert_eq!(more, if whole { &[] } else { defaults }, "{event}");
        }
    }
}

#[test]
fn a_field_of_the_wrong_type_is_an_error() {
    for shape in shapes() {
        for (name, value) in shape.required.iter().chain(&shape.optional) {
            let mut wrong = shape.whole();
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
            ];
            let read = Incoming::from_object(wrong);
            assert_eq!(read.is_ok(), any.contains(name), "{}: {name}", shape.event);
        }
    }
}

// ==== Header and host ====

#[test]
fn unknown_keys_are_facts_of_the_host() {
    for shape in shapes() {
        let mut envelope = shape.whole();
        envelope.insert("transcript_path".into(), json!("/t.jsonl"));
        envelope.insert("made_up".into(), json!({"a": [1, null]}));
        envelope.insert("host".into(), json!({"pid": 7}));
        let read = Incoming::from_object(envelope).unwrap();
        let host = json!({"transcript_path": "/t.jsonl", "made_up": {"a": [1, null]}, "pid": 7});
        assert_eq!(Value::Object(read.header.host.clone()), host, "{}", shape.event);
        // They stay where they are, however often the envelope is passed on.
        let again = written(&read);
        assert_eq!(again.get("host"), Some(&host), "{}", shape.event);
        let third = written(&Incoming::from_object(again.clone()).unwrap());
        assert_eq!(third, again, "{}", shape.event);
    }
}

/// A known field stays where it is, however little stands in it.
#[test]
fn an_empty_optional_field_is_no_fact_of_the_host() {
    for shape in shapes() {
        for (name, value) in shape.optional.iter().filter(|(_, value)| !value.is_boolean()) {
            let mut envelope = shape.whole();
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
            assert!(read.header.host.is_empty(), "{}: {:?}", shape.event, read.header.host);
            let again = written(&read).remove(*name);
            let same = again.as_ref().and_then(Value::as_f64) == Some(0.0) || again == Some(empty);
            assert!(same, "{}: {name} is {again:?}", shape.event);
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
fn what_is_ours_to_say_is_not_believed() {
    let envelope = json!({"hook_event_name": "session_end", "reason": "done", "generation": 99,
        "rejudge": true, "decision": {"outcome": "allow"}});
    let again = written(&Incoming::from_object(object(envelope)).unwrap());
    assert_eq!(again["generation"], 3);
    assert!(!again.contains_key("rejudge") && !again.contains_key("decision"));
    assert!(!again.contains_key("host"));
}

// ==== Errors ====

fn error(text: &str) -> IncomingError {
    Incoming::parse(text.as_bytes()).expect_err(text)
}

#[test]
fn an_envelope_that_cannot_be_read_says_why() {
    use IncomingError::{Header, Json, NoEvent, Protocol, UnknownEvent};
    for bad in [
        "",
        "[]",
        "1",
        "null",
        "{",
        "{} {}",
        "{\"a\":1,\"a\":1}",
        "\u{feff}{}",
        r#"{"hook_event_name":"pre_tool_use","tool_name":"x","tool_input":{"a":1,"a":2}}"#,
    ] {
        assert!(matches!(error(bad), Json(_)), "{bad}: {:?}", error(bad));
    }
    assert!(matches!(Incoming::parse(b"{\"a\":\"\xff\"}"), Err(Json(_))));
    for none in ["{}", r#"{"hook_event_name":null}"#, r#"{"tool_name":"Bash"}"#] {
        assert_eq!(error(none), NoEvent, "{none}");
    }
    let header = |field, expected| Header { field, expected };
    let end = |rest: &str| format!(r#"{{"hook_event_name":"session_end","reason":"x",{rest}}}"#);
    assert_eq!(error(r#"{"hook_event_name":7}"#), header("hook_event_name", "a string"));
    for field in ["step_id", "session_id", "cwd", "agent_id", "agent_type"] {
        assert_eq!(error(&end(&format!("\"{field}\":1"))), header(field, "a string"));
    }
    for turn in ["-1", "1.5", "\"3\"", "[]"] {
        let expected = header("turn", "a whole number, 0 or more");
        assert_eq!(error(&end(&format!("\"turn\":{turn}"))), expected);
    }
    assert_eq!(error(&end("\"host\":[]")), header("host", "an object"));
    for version in [json!(0), json!(2), json!("1"), json!(1.0), json!(null)] {
        assert_eq!(error(&end(&format!("\"protocol\":{version}"))), Protocol(version));
    }
    assert!(Incoming::parse(end(&format!("\"protocol\":{PROTOCOL}")).as_bytes()).is_ok());
    for (name, near) in [
        ("pre_tol_use", Some("pre_tool_use")),
        ("Stop!", Some("stop")),
        ("banana", None),
        ("x.Deploy", None),
        ("", None),
    ] {
        let text = format!(r#"{{"hook_event_name":"{name}"}}"#);
        match error(&text) {
            UnknownEvent { name: found, near: suggested } => {
                assert_eq!((found.as_str(), suggested.as_deref()), (name, near));
            }
            other => panic!("{name}: {other}"),
        }
    }
}

#[test]
fn an_alias_is_refused_with_our_name() {
    for alias in ALIASES {
        let text = format!(r#"{{"hook_event_name":"{}"}}"#, alias.name);
        let expected =
            IncomingError::Alias { name: alias.name.into(), event: alias.events[0].name() };
        assert_eq!(error(&text), expected);
    }
}

#[test]
fn an_event_that_nobody_registered_keeps_its_body() {
    let envelope = json!({"protocol": 1, "hook_event_name": "x.deploy", "step_id": "1",
        "session_id": "s", "turn": 1, "target": "prod", "nothing": null, "host": {"pid": 1}});
    let read = Incoming::from_object(object(envelope.clone())).unwrap();
    assert_eq!((read.event, read.payload.event_name()), (Event::Custom, "x.deploy"));
    let mut again = written(&read);
    again.remove("generation");
    assert_eq!(Value::Object(again), envelope);
}

// ==== Real sessions ====

#[test]
fn the_steps_of_real_sessions_are_written_as_they_were_read() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(folder) = corpus::corpus(repository, "") else { return };
    let entries = std::fs::read_dir(&folder).unwrap();
    let files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    let mut steps = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for (index, line) in text.lines().enumerate() {
            let place = format!("{}:{}", file.display(), index + 1);
            let read = Incoming::parse(line.as_bytes()).unwrap_or_else(|e| panic!("{place}: {e}"));
            assert!(read.header.host.is_empty(), "{place}: {:?}", read.header.host);
            let mut again = written(&read);
            assert_eq!(again.remove("generation"), Some(json!(3)), "{place}");
            let mut expected: Map<String, Value> = serde_json::from_str(line).unwrap();
            if read.event == Event::UserPromptSubmit {
                // The one field with a default that is written.
                expected.entry("source").or_insert_with(|| json!("user"));
            }
            assert_eq!(again, expected, "{place}");
            steps += 1;
        }
    }
    assert_eq!(steps, 1899);
}
