//! Promise: background calls belong to their runtime, keep to the limits in force, and are never
//! lost silently.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hookgate::contract::BuiltHandler;
use hookgate::contract::payload::PostToolUse;
use hookgate::events::{DropReason, HookEventKind};
use hookgate::table::Limits;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Mode, Role, StepContext, Verdict};

use crate::support::{bash, call, context, engine, sync, waiting};

/// An observer in the background that ends when it is let.
fn held(gate: &Arc<tokio::sync::Semaphore>) -> Hook {
    let gate = gate.clone();
    let hook = waiting("held", move |_| {
        let gate = gate.clone();
        Box::pin(async move {
            gate.acquire().await.unwrap().forget();
            Ok(Verdict::none())
        })
    });
    hook.role(Role::Observe).background(true).timeout(Duration::from_secs(600))
}

fn limited(queue: usize, concurrency: usize, hook: Hook) -> HandlerTable {
    let mut limits = Limits::default();
    limits.background_queue = queue;
    limits.concurrency = concurrency;
    HandlerTable::builder().limits(limits).insert(hook).build().unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn dispatch(engine: &Engine, times: usize) {
    for _ in 0..times {
        drop(engine.dispatch(bash("x"), &context()).await);
    }
}

#[test]
fn calls_of_a_runtime_that_has_ended_are_lost_counted_and_not_waited_for() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let engine = Engine::new(limited(64, 4, held(&gate)));
    let mut events = engine.subscribe();
    let first = runtime();
    first.block_on(async {
        dispatch(&engine, 20).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    });
    assert_eq!(engine.background().pending, 20, "{:?}", engine.background());
    drop(first);
    let counts = engine.background();
    assert_eq!((counts.pending, counts.lost, counts.finished), (0, 20, 0));
    let events = crate::stream::received(&mut events);
    let count =
        |is: fn(&HookEventKind) -> bool| events.iter().filter(|event| is(&event.what)).count();
    let dropped = |what: &HookEventKind| {
        matches!(what, HookEventKind::Dropped { why: DropReason::RuntimeEnded })
    };
    assert_eq!(count(dropped), 16, "those that had not begun");
    assert_eq!(count(|what| matches!(what, HookEventKind::Started)), 4);
    assert_eq!(count(|what| matches!(what, HookEventKind::Cancelled { .. })), 4);

    // Another runtime is none the worse for it.
    runtime().block_on(async {
        let started = Instant::now();
        assert_eq!(engine.drain(Duration::from_secs(60)).await.pending, 0);
        assert!(started.elapsed() < Duration::from_secs(30), "what is lost is not waited for");
        gate.add_permits(5);
        dispatch(&engine, 5).await;
        let counts = engine.drain(Duration::from_secs(60)).await;
        assert_eq!((counts.pending, counts.lost, counts.finished), (0, 20, 5));
    });
}

#[test]
fn a_runtime_that_hangs_does_not_hold_up_the_calls_of_another() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let engine = Engine::new(limited(64, 1, held(&gate)));
    let idle = runtime();
    idle.block_on(dispatch(&engine, 3));
    gate.add_permits(5);
    runtime().block_on(async {
        dispatch(&engine, 5).await;
        while engine.background().finished < 5 {
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(engine.background().pending, 3);
}

/// Polls a future outside of any runtime.
fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[test]
fn outside_of_a_runtime_calls_are_dropped_with_the_reason_and_a_drain_does_not_panic() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let engine = Engine::new(limited(64, 4, held(&gate)));
    let context = context();
    let (gate_of, report) = poll_once(engine.dispatch_reported(bash("x"), &context)).unwrap();
    assert!(gate_of.cleared().is_some());
    assert_eq!(
        report.messages,
        ["a call of the background hook `held` was dropped: the dispatch runs outside of a tokio \
          runtime"]
    );
    assert_eq!(engine.background().dropped, 1);
    let inside = runtime();
    inside.block_on(dispatch(&engine, 1));
    // There is one to wait for, and nothing to wait with.
    let counts = poll_once(engine.drain(Duration::from_secs(60))).unwrap();
    assert_eq!(counts.pending, 1);
}

#[tokio::test]
async fn the_limits_of_a_table_that_is_swapped_in_count() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let running = Arc::new(AtomicUsize::new(0));
    let hook = || {
        let (gate, running) = (gate.clone(), running.clone());
        let hook = waiting("held", move |_| {
            let (gate, running) = (gate.clone(), running.clone());
            Box::pin(async move {
                running.fetch_add(1, Ordering::SeqCst);
                gate.acquire().await.unwrap().forget();
                Ok(Verdict::none())
            })
        });
        hook.role(Role::Observe).background(true).timeout(Duration::from_secs(600))
    };
    let engine = Engine::new(limited(1, 1, hook()));
    dispatch(&engine, 10).await;
    let counts = engine.background();
    assert_eq!((counts.pending, counts.dropped), (2, 8));
    engine.swap(limited(100, 8, hook()));
    dispatch(&engine, 50).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let counts = engine.background();
    assert_eq!((counts.pending, counts.dropped), (52, 8), "the longer queue counts");
    assert_eq!(running.load(Ordering::SeqCst), 8, "and so does the concurrency");
    engine.swap(limited(1, 2, hook()));
    dispatch(&engine, 10).await;
    assert_eq!(engine.background().dropped, 18);
    gate.add_permits(100);
    let counts = engine.drain(Duration::from_secs(60)).await;
    assert_eq!((counts.pending, counts.finished), (0, 52));
}

#[tokio::test]
async fn drops_are_reported_and_do_not_flood() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let engine = Engine::new(limited(1, 1, held(&gate)));
    let mut messages = Vec::new();
    for _ in 0..1_002 {
        let (_, report) = engine.dispatch_reported(bash("x"), &context()).await;
        messages.extend(report.messages);
    }
    assert_eq!(engine.background().dropped, 1_000);
    assert_eq!(messages.len(), 4, "the 1st, 10th, 100th and 1000th: {messages:?}");
    assert!(messages[0].contains("too many calls are waiting"), "{messages:?}");
    assert!(messages[3].ends_with("1000 in total"), "{messages:?}");
}

#[tokio::test]
async fn a_shutdown_takes_no_more_calls_and_waits_for_the_others() {
    let gate = Arc::new(tokio::sync::Semaphore::new(3));
    let engine = Engine::new(limited(64, 1, held(&gate)));
    dispatch(&engine, 3).await;
    let counts = engine.shutdown(Duration::from_secs(60)).await;
    assert_eq!((counts.pending, counts.finished), (0, 3));
    let (gate_of, report) = engine.dispatch_reported(bash("x"), &context()).await;
    assert!(gate_of.cleared().is_some(), "steps are evaluated as before");
    assert!(report.messages[0].contains("shut down"), "{report:?}");
    assert_eq!(engine.background().dropped, 1);
}

#[tokio::test]
async fn hooks_in_the_background_tell_when_they_begin_and_end() {
    let quiet = sync("quiet", |_| Ok(Verdict::none())).role(Role::Observe).background(true);
    let fails = sync("fails", |_| panic!("boom")).role(Role::Observe).background(true);
    let engine = engine([quiet, fails]);
    let mut events = engine.subscribe();
    dispatch(&engine, 1).await;
    assert_eq!(engine.drain(Duration::from_secs(60)).await.failed, 1);
    let mut seen = crate::stream::event_names(&mut events);
    seen.sort();
    assert_eq!(
        seen,
        ["fails hook_failed", "fails hook_started", "quiet hook_completed", "quiet hook_started"]
    );
}

fn publisher(mode: Mode) -> Hook {
    let shorter =
        |_: hookgate::Invocation<'_>| Ok(Verdict::none().patch("tool_response", "shorter"));
    Hook::new("bg", "test", BuiltHandler::from_sync(shorter))
        .event(Event::PostToolUse)
        .background(true)
        .mode(mode)
}

/// Has a result evaluated in a session, and waits for what is made of it in the background.
async fn published(engine: &Engine, session: &str) {
    let line = format!(
        r#"{{"hook_event_name":"post_tool_use","session_id":"{session}","tool_name":"Bash","tool_input":{{}},"tool_response":"long"}}"#
    );
    let mut incoming = hookgate::envelope::Incoming::parse(line.as_bytes()).unwrap();
    drop(engine.evaluate(&mut incoming).await);
    assert_eq!(incoming.into_payload::<PostToolUse>().unwrap().tool_response, "long");
    engine.drain(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn a_background_rewriter_that_only_warns_or_is_in_shadow_publishes_nothing() {
    for (mode, patches) in [(Mode::Enforce, 1), (Mode::Warn, 0), (Mode::Shadow, 0)] {
        let engine = engine([publisher(mode)]);
        let mut events = engine.subscribe();
        published(&engine, "s").await;
        assert_eq!(engine.take_published("s").len(), patches, "{mode:?}");
        let messages = crate::stream::event_names(&mut events);
        let count = messages.iter().filter(|event| event.ends_with("hook_patch_published")).count();
        assert_eq!(count, patches, "{mode:?}");
    }
}

#[tokio::test]
async fn published_patches_can_be_taken_and_the_oldest_session_goes_out() {
    let engine = engine([publisher(Mode::Enforce)]);
    published(&engine, "a").await;
    assert_eq!(engine.take_published("a").len(), 1);
    assert_eq!(engine.take_published("a").len(), 0, "taken is taken");
    published(&engine, "b").await;
    engine.forget_session("b");
    assert_eq!(engine.take_published("b").len(), 0);
    for session in 0..=4_096 {
        let result = PostToolUse::new(call("x"), "long");
        let mut incoming = result_of(result, &session.to_string());
        drop(engine.evaluate(&mut incoming).await.published);
        if session % 500 == 0 {
            engine.drain(Duration::from_secs(60)).await;
        }
    }
    let counts = engine.drain(Duration::from_secs(60)).await;
    assert_eq!((counts.pending, counts.dropped, counts.patches_lost), (0, 0, 1));
    assert_eq!(engine.take_published("0").len(), 0, "the oldest went out");
    assert_eq!(engine.take_published("4096").len(), 1, "the newest is kept");
}

fn result_of(result: PostToolUse, session: &str) -> hookgate::envelope::Incoming {
    let mut value = serde_json::to_value(&result).unwrap();
    value["hook_event_name"] = "post_tool_use".into();
    value["session_id"] = session.into();
    hookgate::envelope::Incoming::parse(value.to_string().as_bytes()).unwrap()
}

#[tokio::test]
async fn a_session_of_its_own_is_not_another_one() {
    let engine = engine([publisher(Mode::Enforce)]);
    published(&engine, "a").await;
    let other = StepContext::new("b");
    assert_eq!(engine.take_published(other.session_id).len(), 0);
    assert_eq!(engine.take_published("a").len(), 1);
}
