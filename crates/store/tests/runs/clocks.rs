//! Promise: no clock decides whether a holder is still there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hookgate_store::{Backoff, RunState, RunStore};

use crate::support::{Place, claim, new_run};

/// A time of day that a test sets.
#[derive(Clone, Default)]
struct Day(Arc<AtomicU64>);

impl Day {
    fn at(ms: u64) -> Self {
        Self(Arc::new(AtomicU64::new(ms)))
    }

    fn set(&self, ms: u64) {
        self.0.store(ms, Ordering::SeqCst);
    }

    fn store(&self, place: &Place) -> RunStore {
        let day = self.clone();
        let settings = place.settings().lease(Duration::from_millis(50));
        RunStore::open(settings.clock(move || day.0.load(Ordering::SeqCst))).unwrap()
    }
}

const NOON: u64 = 1_700_000_000_000;
const DAY: u64 = 24 * 3600 * 1000;

#[test]
fn a_clock_that_jumps_takes_no_run_from_a_process_that_is_there() {
    let place = Place::new();
    let day = Day::at(NOON);
    let (holds, other) = (day.store(&place), day.store(&place));
    let id = holds.enqueue(&new_run("one")).unwrap().id;
    let mut held = claim(&holds).unwrap();
    for time in [NOON + 365 * DAY, NOON - 365 * DAY, 0, u64::from(u32::MAX)] {
        day.set(time);
        // The lease is over by any clock, and the holder gives no sign.
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(other.recover().unwrap().held, 1, "{time}");
        assert!(claim(&other).is_none(), "{time}");
    }
    held.succeed(&[], &[]).unwrap();
    assert_eq!(other.run(id).unwrap().attempts, 1);
}

#[test]
fn where_the_lock_cannot_be_seen_a_run_is_taken_over_after_a_lease_without_a_sign() {
    let place = Place::new();
    let day = Day::at(NOON);
    let (holds, other) = (day.store(&place), day.store(&place));
    let id = holds.enqueue(&new_run("one")).unwrap().id;
    let mut held = claim(&holds).unwrap();
    std::fs::remove_dir_all(place.0.path().join("runs.holders")).unwrap();
    // A clock that jumps changes nothing: what counts is what this process has seen.
    day.set(NOON + DAY);
    assert_eq!(other.recover().unwrap().held, 1);
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(30));
        holds.heartbeat().unwrap();
        assert_eq!(other.recover().unwrap().held, 1, "it gives signs");
    }
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(other.recover().unwrap().queued, 1, "it gives none any more");
    let mut late = claim(&other).unwrap();
    assert!(held.succeed(&[], &[]).is_err(), "what comes of it does not count");
    late.succeed(&[], &[]).unwrap();
    assert_eq!(other.run(id).unwrap().state, RunState::Succeeded);
}

#[test]
fn a_clock_that_is_set_back_holds_up_no_run() {
    let place = Place::new();
    let day = Day::at(NOON);
    let store = day.store(&place);
    let wait = Duration::from_secs(50);
    store.enqueue(&new_run("one").backoff(Backoff::Fixed(wait))).unwrap();
    claim(&store).unwrap().fail("exit", "1", true).unwrap();
    assert!(claim(&store).is_none(), "it waits");
    day.set(NOON - DAY);
    assert!(claim(&store).is_some(), "nothing waits for a day");
}
