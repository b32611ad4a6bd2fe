//! Promise: following ends when the host wants it, and if it ends otherwise, that is told. The engine goes on.

use std::future::Future as _;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hookgate::HookEngine as _;
use hookgate::reload::ReloadError;
use hookgate::watch::WatchEvent;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::{Folder, PATIENCE, guard, reason, reloaded};

#[tokio::test]
async fn after_stop_nothing_is_put_in_force() {
    let folder = Folder::with(&guard("g", "v1"));
    let (watching, mut events) = folder.follow().await;
    let engine = Arc::clone(watching.engine());
    folder.replace("hooks.toml", &guard("g", "v2"));
    reloaded(&mut events).await;
    watching.reload_now();
    timeout(PATIENCE, watching.stop()).await.unwrap();
    folder.replace("hooks.toml", &guard("g", "v3"));
    // The answer to the request may have come before.
    while let Some(event) = timeout(PATIENCE, events.next()).await.unwrap() {
        assert!(matches!(event, WatchEvent::Reloaded(_)), "{event}");
    }
    assert!(events.next().await.is_none() && events.try_next().is_none());
    assert_eq!((engine.generation().get(), Arc::strong_count(&engine)), (2, 1));
    assert_eq!(reason(&engine).await.as_deref(), Some("v2"));
}

#[tokio::test]
async fn a_drop_ends_it_too() {
    let folder = Folder::with(&guard("g", "v1"));
    let (watching, mut events) = folder.follow().await;
    let engine = Arc::clone(watching.engine());
    drop(watching);
    assert!(timeout(PATIENCE, events.next()).await.unwrap().is_none());
    folder.replace("hooks.toml", &guard("g", "v2"));
    assert_eq!(reason(&engine).await.as_deref(), Some("v1"));
    assert_eq!(engine.generation(), 1);
}

#[test]
fn the_end_of_the_runtime_is_told() {
    let folder = Folder::with(&guard("g", "v1"));
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    let (watching, mut events) = runtime.block_on(folder.follow());
    drop(runtime);
    let other = Builder::new_current_thread().enable_time().build().unwrap();
    other.block_on(async {
        let event = timeout(PATIENCE, events.next()).await.unwrap().unwrap();
        let told = "the config is not followed any more: the tokio runtime has ended";
        assert_eq!(event.to_string(), told);
        assert!(events.next().await.is_none());
        // The guards are still in force.
        assert_eq!(reason(watching.engine()).await.as_deref(), Some("v1"));
        watching.stop().await;
    });
}

#[test]
fn a_missing_runtime_is_told_in_words() {
    let folder = Folder::with(&guard("g", "v1"));
    let mut start = pin!(folder.builder().start());
    let outside = start.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(outside, Poll::Ready(Err(ReloadError::NoRuntime))));
    let without_clock = Builder::new_current_thread().build().unwrap();
    let told = without_clock.block_on(folder.builder().start()).unwrap_err();
    assert!(told.to_string().contains("enable_time"), "{told}");
}
