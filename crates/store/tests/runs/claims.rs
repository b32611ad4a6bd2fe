//! Promise: a run is queued once and claimed by one process, and only what comes of the present claim counts.

use hookgate_store::{RunError, RunFilter, RunState};
use serde_json::json;

use crate::support::{Place, claim, history, new_run};

#[test]
fn runs_of_the_same_key_are_one_run_whatever_it_has_become() {
    let place = Place::new();
    let (store, other) = (place.store(), place.store());
    let first = store.enqueue(&new_run("one")).unwrap();
    let again = other.enqueue(&new_run("one")).unwrap();
    assert_eq!((first.is_new, again.is_new, again.id), (true, false, first.id));
    claim(&other).unwrap().succeed(&[], &[]).unwrap();
    // What is decided is read, and never done again.
    let later = store.enqueue(&new_run("one")).unwrap();
    assert_eq!((later.is_new, later.state), (false, RunState::Succeeded));
    assert!(claim(&store).is_none());
    assert_eq!(store.list(&RunFilter::default()).unwrap().len(), 1);
}

#[test]
fn an_attempt_is_counted_and_on_the_disk_before_the_work_begins() {
    let place = Place::new();
    let (store, other) = (place.store(), place.store());
    let id = store.enqueue(&new_run("one")).unwrap().id;
    let held = claim(&store).unwrap();
    assert_eq!(held.input(), &json!({"of": "one"}));
    let seen = other.show(id).unwrap();
    assert_eq!((seen.run.state, seen.run.attempts, seen.run.epoch), (RunState::Running, 1, 1));
    assert_eq!(seen.run.holder, held.run().holder);
    assert_eq!((seen.attempts.len(), &seen.attempts[0].outcome), (1, &None));
    assert!(claim(&other).is_none(), "it is claimed");
}

#[test]
fn what_comes_of_an_earlier_claim_does_not_count() {
    let place = Place::new();
    let (store, other) = (place.store(), place.store());
    let id = store.enqueue(&new_run("one")).unwrap().id;
    let mut early = claim(&store).unwrap();
    // As a recovery that takes the holder for dead.
    place.sqlite().execute("UPDATE run SET state = 'queued', holder = NULL", ()).unwrap();
    let mut late = claim(&other).unwrap();
    assert_eq!((early.run().epoch, late.run().epoch), (1, 2));
    let refused = early.succeed(&[json!("early")], &[]);
    assert!(matches!(refused, Err(RunError::Lost { run, epoch: 1 }) if run == id), "{refused:?}");
    assert!(matches!(early.fail("exit", "", true), Err(RunError::Lost { .. })));
    drop(early);
    assert_eq!(store.run(id).unwrap().state, RunState::Running, "it is not given back either");
    late.succeed(&[json!("late")], &[]).unwrap();
    let ended = store.run(id).unwrap();
    assert_eq!((ended.state, ended.contributions.len()), (RunState::Succeeded, 1));
    assert!(ended.contributions[0].starts_with("sha256:"));
    assert!(matches!(late.succeed(&[], &[]), Err(RunError::Lost { .. })), "it ends once");
}

#[test]
fn a_claim_that_is_dropped_is_given_back() {
    let place = Place::new();
    let (store, other) = (place.store(), place.store());
    let id = store.enqueue(&new_run("one").attempts(2)).unwrap().id;
    drop(claim(&store).unwrap());
    assert_eq!(store.run(id).unwrap().state, RunState::Queued);
    drop(claim(&other).unwrap());
    assert_eq!(store.run(id).unwrap().state, RunState::Orphaned, "no attempt is left");
    let happened = ["queued", "claimed", "queued_again", "claimed", "orphaned"];
    assert_eq!(history(&store, id), happened);
}

#[test]
fn what_is_due_for_the_longest_time_comes_first_and_in_one_transaction() {
    let place = Place::new();
    let store = place.store();
    for key in ["one", "two", "three"] {
        store.enqueue(&new_run(key)).unwrap();
    }
    let claims = store.claim_up_to(2, "", &|_| true).unwrap();
    let keys: Vec<&str> = claims.iter().map(|claim| claim.run().key.as_str()).collect();
    assert_eq!(keys, ["one", "two"]);
    assert_eq!(store.heartbeat().unwrap().len(), 2);
    assert_eq!(claim(&place.store()).unwrap().run().key, "three");
}

#[test]
fn a_worker_of_another_scope_leaves_runs_alone() {
    let place = Place::new();
    let here = hookgate_store::RunStore::open(place.settings().scope("/srv/one")).unwrap();
    let there = hookgate_store::RunStore::open(place.settings().scope("/srv/two")).unwrap();
    let id = here.enqueue(&new_run("one").of_config("h", "sha256:1")).unwrap().id;
    assert!(there.claim("sha256:2", &|_| true).unwrap().is_none());
    assert_eq!(there.run(id).unwrap().state, RunState::Queued, "it is not superseded");
    assert!(here.claim("sha256:1", &|_| true).unwrap().is_some());
}
