//! Promise: whoever reads events late has the last ones, and knows how many were lost; each goes to one reader.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hookgate::config::{Loaded, Loader};
use hookgate::reload::ReloadError;
use hookgate::watch::{self, Places, Source, WatchEvent};
use hookgate::{Engine, HandlerTable, HookEngine as _, Registry};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::{PATIENCE, guard, next};

/// How many events wait to be read.
const BACKLOG: u64 = 64;

/// Another table at each load.
#[derive(Clone, Default)]
struct Always {
    loads: Arc<AtomicU64>,
    loaded: Arc<Notify>,
}

impl Source for Always {
    fn load(&self, _: &HandlerTable) -> Result<Loaded, ReloadError> {
        let load = self.loads.fetch_add(1, Ordering::Relaxed);
        self.loaded.notify_one();
        let text = guard("g", &format!("v{load}"));
        Ok(Loader::new(&Registry::from_iter([hookgate::builtin::kind()])).parse(
            "hooks.toml",
            &text,
            ".".as_ref(),
        )?)
    }

    fn places(&self) -> Places {
        Places::default()
    }
}

#[tokio::test]
async fn the_oldest_are_lost_and_counted() {
    let source = Always::default();
    let watching = watch::follow(Arc::new(Engine::without_hooks()), source.clone()).unwrap();
    while source.loads.load(Ordering::Relaxed) < BACKLOG + 20 {
        watching.reload_now();
        timeout(PATIENCE, source.loaded.notified()).await.unwrap();
    }
    let mut events = watching.events();
    let engine = Arc::clone(watching.engine());
    watching.stop().await;
    let last = engine.generation().get();
    let Some(WatchEvent::Missed(missed)) = events.next().await else { panic!() };
    assert_eq!(missed, last - 1 - BACKLOG, "each load was told, from generation 2 on");
    for generation in missed + 2..=last {
        let Some(WatchEvent::Reloaded(reloaded)) = events.next().await else { panic!() };
        assert_eq!(reloaded.generation.get(), generation);
    }
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn each_event_wakes_a_reader_wherever_it_waits() {
    let source = Always::default();
    let watching = watch::follow(Arc::new(Engine::without_hooks()), source.clone()).unwrap();
    let mut events = watching.events();
    next(&mut events).await;
    let readers = [(); 3].map(|()| {
        let mut events = watching.events();
        tokio::spawn(async move { next(&mut events).await.to_string() })
    });
    // So that all of them wait.
    tokio::task::yield_now().await;
    source.loaded.notified().await;
    for _ in &readers {
        watching.reload_now();
        timeout(PATIENCE, source.loaded.notified()).await.unwrap();
    }
    let mut seen = Vec::new();
    for reader in readers {
        seen.push(timeout(PATIENCE, reader).await.unwrap().unwrap());
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 3, "{seen:?}");
}
