//! A history in a folder remembers what one in memory does, over processes and with several at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, SystemTime};

use hookgate_conditions::{History, KeptHistory, MemoryHistory, Moment, Period};
use hookgate_state::StateFolder;
use proptest::prelude::*;
use tempfile::TempDir;

/// What a process of its own has.
fn history(folder: &Path) -> KeptHistory {
    KeptHistory::new(Arc::new(StateFolder::new(folder).part("sessions")))
}

#[derive(Debug, Clone)]
enum Call {
    Mark(u8),
    Count(u8),
}

fn calls() -> impl Strategy<Value = Vec<(u8, u8, u8, Call)>> {
    let call = prop_oneof![(0..2u8).prop_map(Call::Mark), (0..2u8).prop_map(Call::Count)];
    proptest::collection::vec((0..2u8, 0..5u8, 0..3u8, call), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn it_answers_as_one_in_memory_does(calls in calls()) {
        let folder = TempDir::new().unwrap();
        let memory = MemoryHistory::new();
        for (session, step, turn, call) in calls {
            // Each call is another process.
            let files = history(folder.path());
            let (session, step) = (format!("session {session}"), format!("step {step}"));
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(turn.into());
            let moment = Moment::new(&session, &step, at).turn(turn.into());
            for history in [&files as &dyn History, &memory] {
                match &call {
                    Call::Mark(name) => history.mark(&moment, &format!("m{name}")).unwrap(),
                    Call::Count(name) => history.count(&moment, &format!("c{name}"), 3).unwrap(),
                }
            }
            for name in ["m0", "m1"] {
                prop_assert_eq!(files.marked(&moment, name), memory.marked(&moment, name));
            }
            for period in [Period::Session, Period::Turn, Period::Last(Duration::from_secs(1))] {
                prop_assert_eq!(files.counted(&moment, "c0", period), memory.counted(&moment, "c0", period));
            }
            prop_assert_eq!(files.problem(), None);
        }
    }
}

#[test]
fn no_count_is_lost_when_many_count_at_the_same_time() {
    let folder = TempDir::new().unwrap();
    let count = |thread: u64| {
        for step in 0..50 {
            let step = format!("{thread}-{step}");
            let moment = Moment::new("s", &step, SystemTime::now());
            history(folder.path()).count(&moment, "reads", 0).unwrap();
        }
    };
    thread::scope(|scope| (0..4).for_each(|number| drop(scope.spawn(move || count(number)))));
    let last = Moment::new("s", "last", SystemTime::now());
    let counted = history(folder.path()).counted(&last, "reads", Period::Session).unwrap();
    assert_eq!(counted.total(), 200);
}

/// Both have counted before one of them asks: each still knows its own number.
#[test]
fn of_steps_at_the_same_time_each_has_a_number_of_its_own() {
    for history in [&MemoryHistory::new() as &dyn History] {
        let (a, b) =
            (Moment::new("s", "a", SystemTime::now()), Moment::new("s", "b", SystemTime::now()));
        history.count(&a, "c", 2).unwrap();
        history.count(&b, "c", 2).unwrap();
        for period in [Period::Session, Period::Turn, Period::Last(Duration::from_secs(60))] {
            let before = |moment| history.counted(moment, "c", period).unwrap().before;
            assert_eq!((before(&a), before(&b)), (0, 1), "{period:?}");
        }
    }
    let folder = TempDir::new().unwrap();
    let start = Barrier::new(4);
    let before = |step: String| {
        start.wait();
        let history = history(folder.path());
        let moment = Moment::new("s", &step, SystemTime::now());
        history.count(&moment, "c", 9).unwrap();
        history.counted(&moment, "c", Period::Session).unwrap().before
    };
    let before = &before;
    let mut numbers: Vec<u64> = thread::scope(|scope| {
        let all: Vec<_> =
            (0..4).map(|step| scope.spawn(move || before(format!("step-{step}")))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3]);
}

#[test]
fn what_cannot_be_read_or_kept_is_told() {
    let moment = Moment::new("s", "1", SystemTime::now());
    let nowhere = KeptHistory::new(Arc::new(StateFolder::new("/dev/null/state").part("sessions")));
    assert!(nowhere.count(&moment, "reads", 1).is_err());
    assert!(nowhere.counted(&moment, "reads", Period::Session).is_err());
    assert!(nowhere.problem().unwrap().to_string().contains("/dev/null/state"));
}
