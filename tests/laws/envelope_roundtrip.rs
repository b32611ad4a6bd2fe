//! Promise: the envelope of a step has in JSON what the step has in Rust, and nothing is lost on the
//! way back; an envelope that cannot be read is an error that says why.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod errors;
mod fields;

use std::path::{Path, PathBuf};

use hookgate::contract::Envelope;
use hookgate::contract::StepId;
use hookgate::contract::payload::*;
use hookgate::envelope::Incoming;
use hookgate::{Event, StepContext};
use hookgate_test_support::corpus;
use hookgate_test_support::envelopes::incoming;
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
    let Value::Object(map) = value else { panic!("{value} is not an object") };
    map
}

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
        returns(
            RuntimeInput::new("i2", "prompt", InputOutcome::Deduplicated).existing_input_id("i1"),
        ),
        returns(PeerMessage::new(MessageDirection::Out, "request").delivery("acked")),
        returns(InteractionCompleted::new("c1", "done").structured_output(json!({"a": 1}))),
    ];
    assert!(seen.into_iter().eq(Event::NAMED), "all events, once each, in order");
}

#[test]
fn a_payload_cannot_be_read_as_one_of_another_event() {
    assert_eq!(incoming(Event::Stop).into_payload::<SubagentStop>(), None);
    assert_eq!(incoming(Event::PreToolUse).into_payload::<PermissionRequest>(), None);
    assert!(incoming(Event::PreToolUse).into_payload::<ToolCall>().is_some());
}

#[test]
fn an_unregistered_event_keeps_its_body() {
    let envelope = json!({"protocol": 1, "hook_event_name": "x.deploy", "step_id": "1",
        "session_id": "s", "turn": 1, "target": "prod", "nothing": null, "host": {"pid": 1}});
    let read = Incoming::from_object(object(envelope.clone())).unwrap();
    assert_eq!((read.event, read.payload.event_name()), (Event::Custom, "x.deploy"));
    let mut again = written(&read);
    again.remove("generation");
    assert_eq!(Value::Object(again), envelope);
}

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
            let position = format!("{}:{}", file.display(), index + 1);
            let read =
                Incoming::parse(line.as_bytes()).unwrap_or_else(|e| panic!("{position}: {e}"));
            assert!(read.header.host.is_empty(), "{position}: {:?}", read.header.host);
            let mut again = written(&read);
            assert_eq!(again.remove("generation"), Some(json!(3)), "{position}");
            let mut expected: Map<String, Value> = serde_json::from_str(line).unwrap();
            if read.event == Event::UserPromptSubmit {
                // The one field with a default that is written.
                expected.entry("source").or_insert_with(|| json!("user"));
            }
            assert_eq!(again, expected, "{position}");
            steps += 1;
        }
    }
    assert_eq!(steps, 1899);
}
