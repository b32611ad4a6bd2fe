//! Promise: a worker does what is due, so much at the same time, and what cannot go on is given back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate_store::{RunFilter, RunOutcome, RunState, Worker};
use serde_json::json;
use tokio::sync::{Barrier, Notify};

use crate::support::{Handled, LONG, Place, done, failed, new_run};

fn states(place: &Place) -> Vec<RunState> {
    place.store().list(&RunFilter::default()).unwrap().into_iter().map(|run| run.state).collect()
}

#[tokio::test]
async fn as_many_runs_as_are_allowed_are_done_at_the_same_time() {
    let place = Place::new();
    let store = place.store();
    for number in 0..9 {
        store.enqueue(&new_run(&number.to_string())).unwrap();
    }
    // Three have to be there before any of them goes on.
    let (together, now, most) =
        (Arc::new(Barrier::new(3)), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let handler = Handled(move |_, _| {
        let (together, now, most) = (Arc::clone(&together), Arc::clone(&now), Arc::clone(&most));
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            together.wait().await;
            now.fetch_sub(1, Ordering::SeqCst);
            done()
        }
    });
    let worker = Worker::new(store, handler).concurrency(3).poll(Duration::from_millis(10));
    let ended = tokio::time::timeout(LONG, worker.until_idle()).await.unwrap().unwrap();
    assert_eq!((ended, seen.load(Ordering::SeqCst)), (9, 3));
    assert_eq!(states(&place), [RunState::Succeeded; 9]);
}

#[tokio::test]
async fn what_comes_of_each_run_is_recorded() {
    let place = Place::new();
    let store = place.store();
    for key in ["done", "fails", "broken", "panics", "slow", "idle"] {
        let slow = Duration::from_millis(if key == "slow" { 20 } else { 60_000 });
        store.enqueue(&new_run(key).attempts(2).timeout(slow)).unwrap();
    }
    let handler = Handled(|_, input: serde_json::Value| async move {
        match input["of"].as_str().unwrap() {
            "done" => RunOutcome::Succeeded { contributions: vec![json!(1)], audit: Vec::new() },
            "fails" => failed(true),
            "broken" => failed(false),
            "panics" => panic!("as it is meant to"),
            "slow" => std::future::pending().await,
            _ => RunOutcome::Skipped { why: "nothing to do".to_owned() },
        }
    });
    let worker = Worker::new(store.clone(), handler).poll(Duration::from_millis(5));
    tokio::time::timeout(LONG, worker.until_idle()).await.unwrap().unwrap();
    use RunState::{DeadLettered, Failed, Skipped, Succeeded};
    let all = [Succeeded, DeadLettered, Failed, DeadLettered, DeadLettered, Skipped];
    assert_eq!(states(&place), all);
    let classes: Vec<_> = store
        .list(&RunFilter::default())
        .unwrap()
        .into_iter()
        .map(|run| run.class.unwrap_or_default())
        .collect();
    assert_eq!(classes, ["", "exit", "exit", "panic", "timeout", "skipped"]);
}

#[tokio::test]
async fn what_is_queued_meanwhile_is_done_and_what_is_under_way_at_the_end_is_given_back() {
    let place = Place::new();
    let store = place.store();
    let (begun, stop) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let tell = Arc::clone(&begun);
    let handler = Handled(move |_, _| {
        let tell = Arc::clone(&tell);
        async move {
            tell.notify_one();
            std::future::pending::<()>().await;
            done()
        }
    });
    // It looks by itself once in an hour: what is queued here is seen at once.
    let worker = Worker::new(store.clone(), handler).poll(Duration::from_secs(3600));
    let until = Arc::clone(&stop);
    let working = tokio::spawn(async move { worker.run_until(until.notified()).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let id = store.enqueue(&new_run("one")).unwrap().id;
    tokio::time::timeout(LONG, begun.notified()).await.unwrap();
    assert_eq!(store.run(id).unwrap().state, RunState::Running);
    stop.notify_one();
    assert_eq!(tokio::time::timeout(LONG, working).await.unwrap().unwrap().unwrap(), 0);
    assert_eq!(store.run(id).unwrap().state, RunState::Queued);
}

#[tokio::test]
async fn a_run_that_is_cancelled_is_stopped_at_the_next_sign_of_life() {
    let place = Place::new();
    let store =
        hookgate_store::RunStore::open(place.settings().lease(Duration::from_millis(30))).unwrap();
    let id = store.enqueue(&new_run("one")).unwrap().id;
    let (begun, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, tell_dropped) = (Arc::clone(&begun), Arc::clone(&dropped));
    struct Tell(Arc<Notify>);
    impl Drop for Tell {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let handler = Handled(move |_, _| {
        let (tell, at_end) = (Arc::clone(&tell), Tell(Arc::clone(&tell_dropped)));
        async move {
            let _at_end = at_end;
            tell.notify_one();
            std::future::pending::<()>().await;
            done()
        }
    });
    let worker = Worker::new(store.clone(), handler).poll(Duration::from_millis(5));
    let working = tokio::spawn(async move { worker.until_idle().await });
    tokio::time::timeout(LONG, begun.notified()).await.unwrap();
    assert_eq!(place.store().cancel(id).unwrap(), RunState::Running);
    tokio::time::timeout(LONG, dropped.notified()).await.unwrap();
    tokio::time::timeout(LONG, working).await.unwrap().unwrap().unwrap();
    assert_eq!(store.run(id).unwrap().state, RunState::Cancelled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_of_one_file_share_the_work() {
    let place = Place::new();
    for number in 0..40 {
        place.store().enqueue(&new_run(&number.to_string())).unwrap();
    }
    let work = |store: hookgate_store::RunStore| {
        let handler = Handled(|_, _| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            done()
        });
        Worker::new(store, handler).concurrency(2).poll(Duration::from_millis(5))
    };
    let (one, two) = (work(place.store()), work(place.store()));
    let both = tokio::join!(one.until_idle(), two.until_idle());
    let (one, two) = (both.0.unwrap(), both.1.unwrap());
    assert!(one > 0 && two > 0 && one + two == 40, "{one} and {two}");
    let runs = place.store().list(&RunFilter::default()).unwrap();
    assert!(runs.iter().all(|run| run.attempts == 1 && run.state == RunState::Succeeded));
}

#[tokio::test]
async fn a_worker_without_time_leaves_the_last_attempt_to_another_one() {
    let place = Place::new();
    let store = place.store();
    for (key, attempts) in [("three", 3), ("one", 1)] {
        store.enqueue(&new_run(key).attempts(attempts)).unwrap();
    }
    let hasty = Worker::new(store.clone(), Handled(|_, _| std::future::pending::<RunOutcome>()))
        .leave_last_attempts()
        .poll(Duration::from_millis(5));
    // Twice, with a little time each: an attempt that takes longer has failed.
    let hasty = hasty.no_longer_than(Duration::from_millis(50), "there is no time here");
    tokio::time::timeout(LONG, hasty.until_idle()).await.unwrap().unwrap();
    let hasty = Worker::new(store.clone(), Handled(|_, _| async { failed(true) }))
        .leave_last_attempts()
        .poll(Duration::from_millis(5));
    tokio::time::timeout(LONG, hasty.until_idle()).await.unwrap().unwrap();
    assert_eq!(states(&place), [RunState::Queued, RunState::TimedOut]);
    let shown = store.show(1).unwrap();
    let why: Vec<_> = shown.attempts.iter().map(|one| one.why.clone().unwrap()).collect();
    assert_eq!((shown.run.attempts, why[0].as_str()), (2, "there is no time here"));

    // Another one tells what has become of it.
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let patient = Worker::new(store.clone(), Handled(|_, _| async { done() }))
        .telling(move |run| tell.lock().unwrap().push((run.id, run.state, run.attempts)));
    tokio::time::timeout(LONG, patient.until_idle()).await.unwrap().unwrap();
    assert_eq!(*told.lock().unwrap(), [(1, RunState::Succeeded, 3)]);
}

#[tokio::test]
async fn a_worker_that_has_read_its_config_earlier_leaves_what_a_newer_one_has_queued() {
    struct Reads(u64);
    impl hookgate_store::RunHandler for Reads {
        fn config_hash(&self) -> String {
            "sha256:mine".to_owned()
        }
        fn config_read(&self) -> Option<u64> {
            Some(self.0)
        }
        fn handles(&self, _: &hookgate_store::Run) -> bool {
            true
        }
        fn handle<'a>(
            &'a self,
            _: &'a hookgate_store::Run,
            _: &'a serde_json::Value,
        ) -> hookgate_store::HandledFuture<'a> {
            Box::pin(async { done() })
        }
    }
    let place = Place::new();
    let store = place.store();
    for config in ["sha256:other", "sha256:mine", ""] {
        let run = new_run(config).of_config("sha256:hook", config);
        store.enqueue(&run).unwrap();
    }
    let queued = store.run(1).unwrap().queued;
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    for (read, other) in [(queued - 1, RunState::Queued), (queued, RunState::Superseded)] {
        let tell = Arc::clone(&told);
        let worker = Worker::new(store.clone(), Reads(read))
            .telling(move |run| tell.lock().unwrap().push(run.id));
        tokio::time::timeout(LONG, worker.until_idle()).await.unwrap().unwrap();
        assert_eq!(states(&place), [other, RunState::Succeeded, RunState::Succeeded]);
    }
    told.lock().unwrap().sort_unstable();
    assert_eq!(*told.lock().unwrap(), [1, 2, 3], "also of what was not to be done");
}
