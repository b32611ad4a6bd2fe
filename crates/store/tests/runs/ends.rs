//! Promise: a run ends in exactly one state, which says why, and what has failed can be tried again.

use std::time::Duration;

use hookgate_store::RunState::{
    Cancelled, DeadLettered, Failed, HandlerMissing, Orphaned, Queued, Running, Skipped,
    Superseded, TimedOut, Unreadable,
};
use hookgate_store::{Backoff, Refusal, RunError, RunFilter, Visibility};

use crate::support::{Place, claim, history, new_run};

#[test]
fn a_failure_that_does_not_go_away_ends_it_at_once() {
    let place = Place::new();
    let store = place.store();
    let id = store.enqueue(&new_run("one").attempts(5)).unwrap().id;
    assert_eq!(claim(&store).unwrap().fail("malformed", "no verdict", false).unwrap(), Failed);
    let run = store.run(id).unwrap();
    assert_eq!((run.class.as_deref(), run.why.as_deref()), (Some("malformed"), Some("no verdict")));
}

#[test]
fn a_failure_that_may_go_away_is_tried_again_until_it_is_dead_lettered() {
    let place = Place::new();
    let store = place.store();
    let id = store.enqueue(&new_run("one").attempts(3)).unwrap().id;
    assert_eq!(claim(&store).unwrap().fail("exit", "1", true).unwrap(), Queued);
    assert_eq!(claim(&store).unwrap().time_out("slow").unwrap(), Queued);
    assert_eq!(claim(&store).unwrap().fail("exit", "3", true).unwrap(), DeadLettered);
    assert!(claim(&store).is_none());
    let shown = store.show(id).unwrap();
    let outcomes: Vec<_> =
        shown.attempts.iter().filter_map(|attempt| attempt.outcome.as_deref()).collect();
    assert_eq!(outcomes, ["retried", "retried", "dead_lettered"]);
    assert!(shown.attempts.iter().all(|attempt| attempt.took_us.is_some()));
    assert_eq!(shown.attempts[1].class.as_deref(), Some("timeout"));
}

#[test]
fn one_attempt_ends_as_what_it_was() {
    let place = Place::new();
    let store = place.store();
    let one = |key: &str| {
        store.enqueue(&new_run(key).attempts(1)).unwrap();
        claim(&store).unwrap()
    };
    assert_eq!(one("fails").fail("exit", "1", true).unwrap(), Failed);
    assert_eq!(one("slow").time_out("slow").unwrap(), TimedOut);
    one("idle").skip("nothing to do").unwrap();
    let states: Vec<_> =
        store.list(&RunFilter::default()).unwrap().into_iter().map(|run| run.state).collect();
    assert_eq!(states, [Failed, TimedOut, Skipped]);
}

#[test]
fn a_run_waits_before_it_is_tried_again() {
    let place = Place::new();
    let store = place.store();
    let slow = new_run("one").backoff(Backoff::Exponential(Duration::from_secs(20)));
    let id = store.enqueue(&slow).unwrap().id;
    claim(&store).unwrap().fail("exit", "1", true).unwrap();
    let run = store.run(id).unwrap();
    let wait = run.due - run.started.unwrap();
    assert!((20_000..25_000).contains(&wait), "{wait}");
    assert!(claim(&store).is_none());
}

#[test]
fn another_config_a_missing_handler_and_an_unreadable_input_are_ends_of_their_own() {
    let place = Place::new();
    let store = place.store();
    let ids: Vec<u64> = ["other", "missing", "changed", "gone"]
        .iter()
        .map(|key| {
            store
                .enqueue(&new_run(key).of_config("h", format!("sha256:{}", *key != "other")))
                .unwrap()
                .id
        })
        .collect();
    let database = place.sqlite();
    // As if it had been copied from another run.
    database
        .execute(
            "UPDATE input SET sealed = (SELECT sealed FROM input WHERE run = ?1) WHERE run = ?2",
            [ids[1], ids[2]],
        )
        .unwrap();
    database.execute("DELETE FROM input WHERE run = ?1", [ids[3]]).unwrap();
    let claimed = store.claim("sha256:true", &|run| run.key != "missing").unwrap();
    assert!(claimed.is_none());
    let states: Vec<_> = ids.iter().map(|id| store.run(*id).unwrap().state).collect();
    assert_eq!(states, [Superseded, HandlerMissing, Unreadable, Unreadable]);
    let run = store.run(ids[0]).unwrap();
    assert_eq!((run.attempts, run.class.as_deref()), (0, Some("superseded")), "it never began");
}

#[test]
fn a_handler_can_find_out_that_a_run_cannot_be_done_here() {
    let place = Place::new();
    let store = place.store();
    let id = store.enqueue(&new_run("one")).unwrap().id;
    claim(&store).unwrap().refuse(Refusal::Superseded, "swapped meanwhile").unwrap();
    assert_eq!(store.run(id).unwrap().state, Superseded);
}

#[test]
fn a_run_that_waits_is_cancelled_and_one_that_is_done_is_told_to_stop() {
    let place = Place::new();
    let store = place.store();
    let waits = store.enqueue(&new_run("waits")).unwrap().id;
    assert_eq!(store.cancel(waits).unwrap(), Cancelled);
    assert!(matches!(store.cancel(waits), Err(RunError::State { state: Cancelled, .. })));
    let runs = store.enqueue(&new_run("runs")).unwrap().id;
    let held = claim(&store).unwrap();
    assert_eq!(place.store().cancel(runs).unwrap(), Running);
    assert_eq!(store.heartbeat().unwrap(), [(runs, 1, true)]);
    drop(held);
    assert_eq!(store.run(runs).unwrap().state, Cancelled, "it is not queued again");
    assert!(matches!(store.cancel(99), Err(RunError::Unknown(99))));
}

#[test]
fn a_run_that_fails_before_it_is_told_to_stop_is_not_tried_again() {
    let place = Place::new();
    let store = place.store();
    let id = store.enqueue(&new_run("one").attempts(3)).unwrap().id;
    let mut held = claim(&store).unwrap();
    assert_eq!(place.store().cancel(id).unwrap(), Running);
    assert_eq!(held.fail("exit", "1", true).unwrap(), Cancelled);
    assert!(claim(&store).is_none());
    let run = store.run(id).unwrap();
    assert_eq!((run.state, run.why.as_deref()), (Cancelled, Some("1")));
}

#[test]
fn what_has_failed_can_be_tried_again_and_what_was_done_cannot() {
    let place = Place::new();
    let store = place.store();
    let id = store.enqueue(&new_run("one").attempts(2)).unwrap().id;
    for _ in 0..2 {
        claim(&store).unwrap().fail("exit", "1", true).unwrap();
    }
    assert_eq!(store.run(id).unwrap().state, DeadLettered);
    place.store().retry(id).unwrap();
    assert!(matches!(store.retry(id), Err(RunError::State { state: Queued, .. })));
    // As often as at first.
    assert_eq!(claim(&store).unwrap().fail("exit", "1", true).unwrap(), Queued);
    let mut last = claim(&store).unwrap();
    assert_eq!((last.run().attempts, last.run().epoch), (4, 4));
    last.succeed(&[], &[]).unwrap();
    assert!(matches!(store.retry(id), Err(RunError::State { .. })));
    assert!(history(&store, id).contains(&"retried".to_owned()));
    let orphan = store.enqueue(&new_run("two").attempts(1)).unwrap().id;
    drop(claim(&store));
    assert_eq!(store.run(orphan).unwrap().state, Orphaned);
    place.sqlite().execute("DELETE FROM input", ()).unwrap();
    assert!(matches!(store.retry(orphan), Err(RunError::NoInput(_))));
}

#[test]
fn filters_hold_together() {
    let place = Place::new();
    let store = place.store();
    let of = |key: &str, session: &str| new_run(key).session(session).step(key, "session_end");
    store.enqueue(&of("one", "s").visibility(Visibility::User)).unwrap();
    store.enqueue(&of("two", "t")).unwrap();
    store.enqueue(&of("three", "s")).unwrap();
    claim(&store).unwrap().succeed(&[], &[]).unwrap();
    let keys = |filter: RunFilter| -> Vec<String> {
        store.list(&filter).unwrap().into_iter().map(|run| run.key).collect()
    };
    assert_eq!(keys(RunFilter::default().session("s")), ["one", "three"]);
    assert_eq!(keys(RunFilter::default().session("s").states([Queued])), ["three"]);
    assert_eq!(keys(RunFilter::default().visibility(Visibility::User)), ["one"]);
    assert_eq!(keys(RunFilter::default().hook("audit").newest(2)), ["two", "three"]);
    assert!(keys(RunFilter::default().hook("other")).is_empty());
}
