//! Promise: a stream of text behind a gate yields what may be shown, ends its source when the text is cut, and keeps the
//! errors of the source out of the text.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt};
use hookgate::contract::payload::PostLlmResponse;
use hookgate::stream::{Exposure, GatedStream, Part, StreamError};
use hookgate::{Engine, Event, Gate, Hook, StepContext, Verdict};

use crate::stream_gate::{engine_of, no_bad, redacts, text_of};

const CONTEXT: StepContext<'static> = StepContext::new("session-1");

/// A model that says these parts, waits once before each, and tells when it is dropped.
struct Model {
    parts: VecDeque<Result<String, String>>,
    waits: bool,
    dropped: Arc<AtomicBool>,
}

impl Model {
    fn new(parts: &[Result<&str, &str>]) -> Self {
        let owned = |part: &Result<&str, &str>| part.map(str::to_owned).map_err(str::to_owned);
        Self { parts: parts.iter().map(owned).collect(), waits: true, dropped: Arc::default() }
    }
}

impl Stream for Model {
    type Item = Result<String, String>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.waits = !self.waits;
        if !self.waits {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.parts.pop_front())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::SeqCst);
    }
}

/// Reads a stream to its end: what a user sees in the end, errors, and the gate.
async fn read(
    mut text: GatedStream<'_, Engine, Model>,
) -> (String, Vec<StreamError<String>>, Option<Gate<PostLlmResponse>>) {
    let (mut shown, mut errors, mut end) = (String::new(), Vec::new(), None);
    while let Some(part) = text.next().await {
        match part {
            Ok(Part::Text(text)) => shown.push_str(&text),
            Ok(Part::TakeBack(piece)) => {
                shown.replace_range(piece.from..piece.to, &piece.replacement)
            }
            Ok(Part::End(gate)) => end = Some(gate),
            Ok(_) => panic!(),
            Err(error) => errors.push(error),
        }
    }
    assert!(text.next().await.is_none(), "the end stays the end");
    (shown, errors, end)
}

#[tokio::test]
async fn what_may_be_shown_is_yielded_and_the_whole_at_the_end() {
    let engine = engine_of([redacts()]);
    let model =
        Model::new(&[Ok("See here, DB_PA"), Ok("SS=correct7"), Ok("horse\nThat is all. "), Ok("")]);
    let text = GatedStream::new(&engine, &CONTEXT, Exposure::NONE, model)
        .respond_with(|text| PostLlmResponse::new(text, vec!["Bash".to_owned()]));
    let (shown, errors, end) = read(text).await;
    assert_eq!(
        (&*shown, errors.len()),
        ("See here, DB_PASS=[redacted:assignment]\nThat is all. ", 0)
    );
    let Some(Gate::Cleared(cleared)) = end else { panic!() };
    assert_eq!(cleared.payload().assistant_text, shown);
    assert_eq!(cleared.payload().tool_call_names, ["Bash"]);
}

#[tokio::test]
async fn errors_of_the_source_stay_outside_of_the_text() {
    let engine = engine_of([redacts()]);
    let parts = [Ok("Error: this is text, "), Err("connection reset"), Ok("and it goes on.")];
    let text = GatedStream::new(&engine, &CONTEXT, Exposure::NONE, Model::new(&parts));
    let (shown, errors, end) = read(text).await;
    assert_eq!(shown, "Error: this is text, and it goes on.");
    let [StreamError::Source(error)] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!(error, "connection reset");
    assert_eq!(errors[0].to_string(), "the source of the text failed: connection reset");
    assert!(end.is_some_and(|gate| gate.is_cleared()));
}

#[tokio::test]
async fn a_cut_drops_the_source_before_it_is_told() {
    let engine = engine_of([no_bad()]);
    let model =
        Model::new(&[Ok("all is well until a bad "), Ok("word comes, "), Ok("never asked for")]);
    let dropped = Arc::clone(&model.dropped);
    let mut text = GatedStream::new(&engine, &CONTEXT, Exposure::NONE, model);
    let mut shown = String::new();
    let cut = loop {
        match text.next().await.unwrap() {
            Ok(Part::Text(text)) => shown.push_str(&text),
            Err(StreamError::Cut(cut)) => break cut,
            other => panic!("{other:?}"),
        }
    };
    assert!(dropped.load(Ordering::SeqCst), "the request to the model is ended");
    assert_eq!((&*shown, cut.shown), ("all is well", shown.len()));
    assert!(text.next().await.is_none());
}

#[tokio::test]
async fn what_came_before_a_cut_is_dispatched() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let log = Hook::sync("log", move |call| {
        told.lock().unwrap().push(text_of(&call).to_owned());
        Ok(Verdict::none())
    });
    let log = log.event(Event::PostLlmResponse).role(hookgate::Role::Observe);
    let engine = engine_of([no_bad(), log]);
    let model = Model::new(&[
        Ok("some good words first "),
        Ok("and a bad one after "),
        Ok("them, at once"),
    ]);
    let (shown, errors, end) =
        read(GatedStream::new(&engine, &CONTEXT, Exposure::NONE, model)).await;
    assert!(end.is_none() && matches!(errors[..], [StreamError::Cut(_)]), "{errors:?}");
    assert!(!shown.contains("bad"));
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 1, "observers see the whole, and no pieces: {seen:?}");
    assert!(seen[0].starts_with("some good words first and a bad one after "));
}

#[tokio::test]
async fn a_denied_whole_is_taken_back() {
    let rude = Hook::sync("tone", |_| Ok(Verdict::deny("rude"))).event(Event::PostLlmResponse);
    let engine = engine_of([rude]);
    let model = Model::new(&[Ok("some words "), Ok("of a text")]);
    let (shown, _, end) =
        read(GatedStream::new(&engine, &CONTEXT, Exposure::bytes(6), model)).await;
    assert_eq!(shown, "denied by tone: rude");
    assert!(matches!(end, Some(Gate::Denied(_))));
}

#[tokio::test]
async fn an_empty_text_is_dispatched_as_well() {
    let engine = engine_of([redacts()]);
    let (shown, errors, end) =
        read(GatedStream::new(&engine, &CONTEXT, Exposure::NONE, Model::new(&[]))).await;
    assert_eq!((&*shown, errors.len()), ("", 0));
    assert!(end.is_some_and(|gate| gate.is_cleared()));
}
