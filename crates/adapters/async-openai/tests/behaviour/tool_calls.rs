//! The tools that an answer calls.

use std::sync::{Arc, Mutex};

use hookgate::stream::Exposure;
use hookgate::{Event, Gate, Hook, HookEngine, StepContext, ToolUse, Verdict};
use hookgate_async_openai::tool_calls;
use serde_json::{Value, json};

use crate::support::{Seen, Server, chunk, end, engine, only_error, text, watch};

/// Two calls, each in fragments, the second between those of the first.
fn fragments() -> Vec<String> {
    let part = |index: u32, fields: &Value| {
        let mut call = json!({ "index": index });
        call.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        chunk(0, &json!({ "tool_calls": [call] }), None)
    };
    vec![
        text("I push it."),
        part(
            0,
            &json!({ "id": "call_1", "type": "function", "function": { "name": "Bash", "arguments": "" } }),
        ),
        part(0, &json!({ "function": { "arguments": "{\"comm" } })),
        part(
            1,
            &json!({ "id": "call_2", "type": "function", "function": { "name": "Read", "arguments": "{}" } }),
        ),
        part(0, &json!({ "function": { "arguments": "and\":\"git push\"}" } })),
    ]
}

async fn answer(engine: &hookgate::Engine, lines: Vec<String>) -> Seen {
    let server = Server::start(lines).await;
    watch(engine, Exposure::NONE, server.stream().await).await
}

/// A hook that keeps what it has read.
fn look(event: Event) -> (Hook, Arc<Mutex<Vec<Value>>>) {
    let seen = Arc::<Mutex<Vec<Value>>>::default();
    let into = seen.clone();
    let hook = Hook::sync(format!("look-{event}"), move |call| {
        into.lock().unwrap().push(call.envelope.value()?.clone());
        Ok(Verdict::none())
    });
    (hook.event(event), seen)
}

#[tokio::test]
async fn calls_are_judged_once_with_their_ids_and_arguments() {
    let (whole, answers) = look(Event::PostLlmResponse);
    let (each, calls) = look(Event::PreToolUse);
    let engine = engine([whole, each]);
    let seen = answer(&engine, fragments().into_iter().chain(end("tool_calls")).collect()).await;
    let Some(Gate::Cleared(cleared)) = seen.end else { panic!("{:?}", seen.errors) };
    let bash = json!({ "tool_name": "Bash", "tool_use_id": "call_1", "tool_input": { "command": "git push" } });
    let read = json!({ "tool_name": "Read", "tool_use_id": "call_2", "tool_input": {} });
    let answers = std::mem::take(&mut *answers.lock().unwrap());
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["tool_calls"], json!([bash, read]));

    let steps: Vec<ToolUse> = tool_calls(cleared).collect();
    for step in steps {
        assert!(engine.dispatch(step, &StepContext::new("s")).await.is_cleared());
    }
    let calls = calls.lock().unwrap();
    assert_eq!(calls.len(), 2);
    for (call, expected) in calls.iter().zip([bash, read]) {
        for name in ["tool_name", "tool_use_id", "tool_input"] {
            assert_eq!(call[name], expected[name]);
        }
    }
}

#[tokio::test]
async fn no_tool_of_a_denied_answer_is_given_out() {
    let no = Hook::sync("no", |_| Ok(Verdict::deny("no push"))).event(Event::PostLlmResponse);
    let seen =
        answer(&engine([no]), fragments().into_iter().chain(end("tool_calls")).collect()).await;
    assert!(matches!(seen.end, Some(Gate::Denied(_))));
}

#[tokio::test]
async fn tools_of_an_answer_that_breaks_off_are_not_given_out() {
    // The first fragment alone would be a call without arguments.
    let begun = fragments().into_iter().take(2);
    let (hook, answers) = look(Event::PostLlmResponse);
    let engine = engine([hook]);
    for finish in [None, Some("length"), Some("content_filter")] {
        let lines = begun.clone().chain(finish.into_iter().flat_map(end)).collect();
        let seen = answer(&engine, lines).await;
        assert!(only_error(&seen).contains("breaks off"), "{:?}", seen.errors);
        assert!(seen.end.is_none() && seen.shown == "I push it.");
    }
    assert!(answers.lock().unwrap().iter().all(|answer| answer["tool_calls"].is_null()));
}

#[tokio::test]
async fn tools_are_not_given_out_if_a_part_has_failed() {
    let mut lines = fragments();
    lines.insert(2, "this is no JSON".to_owned());
    let seen = answer(&engine([]), lines.into_iter().chain(end("tool_calls")).collect()).await;
    assert!(seen.end.is_none(), "{:?}", seen.end);
    assert!(!seen.errors.is_empty());
}

#[tokio::test]
async fn arguments_that_readers_would_read_differently_are_refused() {
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c",
        "function": { "name": "Bash", "arguments": "{\"a\":1,\"a\":2}" } }] });
    let lines = [chunk(0, &call, None)].into_iter().chain(end("tool_calls")).collect();
    let seen = answer(&engine([]), lines).await;
    assert!(only_error(&seen).contains("`Bash`"), "{:?}", seen.errors);
    assert!(seen.end.is_none());
}
