//! The text of an answer.

use hookgate::config::Loader;
use hookgate::stream::Exposure;
use hookgate::table::TextWindow;
use hookgate::{Engine, Event, Gate, Hook, Registry, Verdict};
use serde_json::json;

use crate::support::{Server, chunk, end, engine, is_cut, only_error, text, watch};

const SECRET: &str = "ghp_012345678901234567890123456789abcdef";

fn redacting() -> Engine {
    let registry = Registry::new();
    registry.add(hookgate::builtin::kind());
    let config = "[[hook]]\nid = \"secrets\"\nevent = \"post_llm_response\"\nbuiltin = { name = \"redact_secrets\" }\n";
    let config = format!("version = 1\n{config}");
    Engine::new(Loader::new(&registry).parse("hooks.toml", &config, ".".as_ref()).unwrap().table)
}

#[tokio::test]
async fn an_answer_comes_as_its_text() {
    let lines = ["Hel", "lo, ", "world."].map(text).into_iter().chain(end("stop")).collect();
    let server = Server::start(lines).await;
    let seen = watch(&engine([]), Exposure::NONE, server.stream().await).await;
    assert_eq!((seen.shown.as_str(), seen.errors.len()), ("Hello, world.", 0));
    let Some(Gate::Cleared(answer)) = seen.end else { panic!("it was cleared") };
    assert_eq!(answer.payload().stop_reason.as_deref(), Some("stop"));
    assert_eq!(answer.payload().model.as_deref(), Some("m"));
}

#[tokio::test]
async fn a_secret_that_is_cut_in_two_is_never_shown() {
    let whole = format!("The token is {SECRET}, keep it. And so on, and so forth.");
    let engine = redacting();
    for cut in 0..whole.len() {
        let (one, two) = whole.split_at(cut);
        let lines = [one, two].map(text).into_iter().chain(end("stop")).collect();
        let server = Server::start(lines).await;
        let seen = watch(&engine, Exposure::bytes(1000), server.stream().await).await;
        assert!(!seen.ever.contains("ghp_0"), "{cut}: {}", seen.ever);
        assert!(
            seen.shown.ends_with(", keep it. And so on, and so forth."),
            "{cut}: {}",
            seen.shown
        );
    }
}

#[tokio::test]
async fn words_of_a_refusal_are_text() {
    let lines = [chunk(0, &json!({ "refusal": format!("No {SECRET}.") }), None)];
    let server = Server::start(lines.into_iter().chain(end("stop")).collect()).await;
    let seen = watch(&redacting(), Exposure::NONE, server.stream().await).await;
    assert!(seen.shown.starts_with("No ") && !seen.shown.contains("ghp_"), "{}", seen.shown);
}

#[tokio::test]
async fn a_deny_in_the_middle_withholds_the_rest_and_the_tools() {
    let guard = Hook::sync("advice", |call| {
        let text = call.envelope.value()?["assistant_text"].to_string();
        Ok(if text.contains("buy") { Verdict::deny("no advice") } else { Verdict::none() })
    });
    let guard = guard.event(Event::PostLlmResponse).text_window(TextWindow::bytes(40).overlap(10));
    let before = "It rains. It pours. It is wet. It is cold. ".repeat(4);
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "f", "arguments": "{}" } }] });
    let mut lines: Vec<_> =
        [&before, "You must buy this now. ", "And this, too. ".repeat(20).as_str()]
            .map(text)
            .into();
    lines.push(chunk(0, &call, None));
    let server = Server::start(lines.into_iter().chain(end("tool_calls")).collect()).await;
    let seen = watch(&engine([guard]), Exposure::NONE, server.stream().await).await;
    assert!(is_cut(&seen), "{:?}", seen.errors);
    assert!(before.starts_with(&seen.shown) && !seen.shown.is_empty(), "{}", seen.shown);
    assert!(seen.end.is_none());
}

#[tokio::test]
async fn what_no_hook_can_judge_ends_the_answer() {
    for (line, what) in [
        (chunk(1, &json!({ "content": "other" }), None), "a second choice"),
        (chunk(0, &json!({ "audio": { "id": "a", "data": "AA==" } }), None), "audio"),
        (
            chunk(0, &json!({ "function_call": { "name": "f", "arguments": "{}" } }), None),
            "a `function_call`",
        ),
    ] {
        let lines = [text("Hello. "), line, text("More. ")];
        let server = Server::start(lines.into_iter().chain(end("stop")).collect()).await;
        let seen = watch(&engine([]), Exposure::NONE, server.stream().await).await;
        assert_eq!(only_error(&seen), format!("the answer has {what}, which no hook can judge"));
        assert_eq!(seen.shown, "Hello. ");
        assert!(seen.end.is_none());
    }
}
