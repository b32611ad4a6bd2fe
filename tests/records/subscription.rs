//! Promise: a subscription is a stream that reports how many events it lost.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;
use hookgate::{HookEngine, Verdict};

use crate::support::{bash, context, engine, sync};

#[tokio::test]
async fn a_subscription_is_a_stream_that_ends_with_its_engine() {
    let engine = engine([sync("h", |_| Ok(Verdict::none()))]);
    let mut events = engine.subscribe();
    drop(engine.dispatch(bash("x"), &context()).await);
    let mut types = Vec::new();
    for _ in 0..2 {
        let event = poll_fn(|cx| Pin::new(&mut events).poll_next(cx)).await.unwrap().unwrap();
        types.push(serde_json::to_value(event).unwrap()["what"]["type"].clone());
    }
    assert_eq!(types, ["hook_started", "hook_completed"]);
    drop(engine);
    assert!(poll_fn(|cx| Pin::new(&mut events).poll_next(cx)).await.is_none());
    assert!(events.next().await.is_none() && events.try_next().is_none(), "and stays at its end");
}

#[tokio::test]
async fn waiting_in_vain_loses_no_event() {
    let engine = engine([sync("h", |_| Ok(Verdict::none()))]);
    let mut events = engine.subscribe();
    for _ in 0..3 {
        let wait = tokio::time::timeout(Duration::from_millis(5), events.next());
        assert!(wait.await.is_err(), "there is nothing yet");
    }
    assert!(events.try_next().is_none());
    drop(engine.dispatch(bash("x"), &context()).await);
    assert!(events.try_next().unwrap().is_ok() && events.next().await.unwrap().is_ok());
    assert!(events.try_next().is_none());
}

#[tokio::test]
async fn a_subscriber_that_waits_is_woken() {
    let engine = engine([sync("h", |_| Ok(Verdict::none()))]);
    let mut events = engine.subscribe();
    let waits = tokio::spawn(async move { events.next().await });
    tokio::task::yield_now().await;
    drop(engine.dispatch(bash("x"), &context()).await);
    let woken = tokio::time::timeout(Duration::from_secs(20), waits).await.unwrap().unwrap();
    assert_eq!(woken.unwrap().unwrap().hook, "h");
}
