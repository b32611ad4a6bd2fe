//! Promise: a hook that is fired and recorded is called later, by the config that queued it and no other.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookgate::contract::contribution::BackgroundJob;
use hookgate::contract::{BuiltHandler, Failure, FailureClass, Reply, Verdict};
use hookgate::jobs::Job;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Role, StepContext, ToolUse};
use hookgate_store::{EngineRuns, RunFilter, RunOutcome, RunState, RunStore, Worker};

use crate::support::{LONG, Place, done};

/// The keys with which a handler was called.
type Keys = Arc<Mutex<Vec<String>>>;

/// An engine whose hook notes the key of each call.
fn engine(store: &RunStore, id: &str, keys: &Keys, reply: fn() -> Reply) -> Arc<Engine> {
    let keys = Arc::clone(keys);
    let handler = BuiltHandler::async_fn(move |call| {
        keys.lock().unwrap().push(call.idempotency_key().unwrap().to_owned());
        Box::pin(async move { reply() })
    });
    let hook = Hook::new(id, "rust", handler).event(Event::PreToolUse).role(Role::Observe);
    let table = HandlerTable::builder().insert(hook.fire_and_record()).build().unwrap();
    Arc::new(Engine::new(table).with_jobs(store.clone()))
}

async fn dispatch(engine: &Engine, step: &str) {
    let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
    let context = StepContext::new("session-1").step_id(step);
    assert!(engine.dispatch(bash, &context).await.is_cleared());
}

async fn work(store: &RunStore, runs: EngineRuns) {
    let worker = Worker::new(store.clone(), runs).poll(Duration::from_millis(5));
    tokio::time::timeout(LONG, worker.until_idle()).await.unwrap().unwrap();
}

fn states(store: &RunStore) -> Vec<RunState> {
    store.list(&RunFilter::default()).unwrap().into_iter().map(|run| run.state).collect()
}

#[tokio::test]
async fn a_recorded_hook_is_called_later_with_the_key_of_its_run() {
    let place = Place::new();
    let (store, other, keys) = (place.store(), place.store(), Keys::default());
    let queues = engine(&store, "mirror", &keys, || Ok(Verdict::none()));
    dispatch(&queues, "step-1").await;
    // The same step, told again: it is one run.
    dispatch(&queues, "step-1").await;
    dispatch(&queues, "step-2").await;
    assert!(keys.lock().unwrap().is_empty(), "nothing was called");
    assert_eq!(states(&store), [RunState::Queued; 2]);
    let runs = store.list(&RunFilter::default()).unwrap();
    let of = (runs[0].hook.as_str(), runs[0].step.as_str(), runs[0].event.as_str());
    assert_eq!((of, runs[0].session.as_str()), (("mirror", "step-1", "pre_tool_use"), "session-1"));
    // Another process, with the same config.
    let does = engine(&other, "mirror", &keys, || Ok(Verdict::none()));
    work(&other, EngineRuns::new(does, other.clone())).await;
    assert_eq!(states(&store), [RunState::Succeeded; 2]);
    let (mut called, mut known) =
        (keys.lock().unwrap().clone(), [runs[0].key.clone(), runs[1].key.clone()]);
    called.sort();
    known.sort();
    assert_eq!(called, known);
}

#[tokio::test]
async fn another_config_does_not_make_the_call() {
    let place = Place::new();
    let (store, keys) = (place.store(), Keys::default());
    dispatch(&engine(&store, "mirror", &keys, || Ok(Verdict::none())), "step-1").await;
    let other = engine(&store, "another", &keys, || Ok(Verdict::none()));
    work(&store, EngineRuns::new(other, store.clone())).await;
    assert_eq!(states(&store), [RunState::Superseded]);
    assert!(keys.lock().unwrap().is_empty());
}

#[tokio::test]
async fn only_failures_that_may_go_away_are_tried_again() {
    for (reply, state, calls) in [
        (
            (|| Err(Failure::new(FailureClass::Malformed, "no verdict"))) as fn() -> Reply,
            RunState::Failed,
            1,
        ),
        (|| Err(Failure::new(FailureClass::Unreachable, "no service")), RunState::Queued, 1),
    ] {
        let place = Place::new();
        let (store, keys) = (place.store(), Keys::default());
        let engine = engine(&store, "mirror", &keys, reply);
        dispatch(&engine, "step-1").await;
        work(&store, EngineRuns::new(engine, store.clone())).await;
        assert_eq!((states(&store), keys.lock().unwrap().len()), (vec![state], calls));
    }
}

#[tokio::test]
async fn a_job_that_a_hook_has_asked_for_is_done_by_the_host() {
    let place = Place::new();
    let (store, keys) = (place.store(), Keys::default());
    let asks = || Ok(Verdict::none().contribute(BackgroundJob::new("tidy")));
    let engine = engine(&store, "mirror", &keys, asks);
    dispatch(&engine, "step-1").await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let runs = EngineRuns::new(Arc::clone(&engine), store.clone()).with_jobs(move |job: Job| {
        seen.lock().unwrap().push(job.contributed.unwrap().job_id);
        Box::pin(async { done() })
    });
    work(&store, runs).await;
    assert_eq!(states(&store), [RunState::Succeeded; 2]);
    assert_eq!(*asked.lock().unwrap(), ["tidy"]);
    assert!(matches!(done(), RunOutcome::Succeeded { .. }));
    // Without a host that does such jobs there is no handler.
    dispatch(&engine, "step-2").await;
    work(&store, EngineRuns::new(engine, store.clone())).await;
    assert_eq!(states(&store)[2..], [RunState::Succeeded, RunState::HandlerMissing]);
}
