//! A history in a database remembers what one in memory does, over processes and with several at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, SystemTime};

use hookgate_conditions::{History, KeptHistory, MemoryHistory, Moment, Numbered, Period};
use hookgate_contract::WasNoted;
use hookgate_store::StateDatabase;
use proptest::prelude::*;
use tempfile::TempDir;

/// What a process of its own has.
fn history(folder: &Path) -> KeptHistory {
    KeptHistory::new(Arc::new(StateDatabase::new(folder).part("sessions")))
}

#[derive(Debug, Clone)]
enum Call {
    Mark(u8),
    Count(u8),
    Name(u8, u8),
}

fn calls() -> impl Strategy<Value = Vec<(u8, u8, u8, Call)>> {
    let call = prop_oneof![
        (0..2u8).prop_map(Call::Mark),
        (0..2u8).prop_map(Call::Count),
        (0..2u8, 0..6u8).prop_map(|(counter, name)| Call::Name(counter, name)),
    ];
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
                    Call::Name(counter, name) => {
                        let names = [format!("n{name}")];
                        history.note_names(&moment, &format!("n{counter}"), &names, 3).unwrap();
                    }
                }
            }
            for name in ["m0", "m1"] {
                prop_assert_eq!(files.marked(&moment, name), memory.marked(&moment, name));
            }
            for period in [Period::Session, Period::Turn, Period::Last(Duration::from_secs(1))] {
                prop_assert_eq!(files.counted(&moment, "c0", period), memory.counted(&moment, "c0", period));
            }
            prop_assert_eq!(files.numbered(&moment, "n0"), memory.numbered(&moment, "n0"));
            let names = ["n1".to_owned(), "n2".to_owned()];
            prop_assert_eq!(files.find_name(&moment, "n0", &names), memory.find_name(&moment, "n0", &names));
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
    let nowhere =
        KeptHistory::new(Arc::new(StateDatabase::new("/dev/null/state").part("sessions")));
    assert!(nowhere.count(&moment, "reads", 1).is_err());
    assert!(nowhere.counted(&moment, "reads", Period::Session).is_err());
    assert!(nowhere.problem().unwrap().to_string().contains("/dev/null/state"));
}

#[test]
fn names_have_numbers_and_those_beyond_are_one_more() {
    let history = MemoryHistory::new();
    let note = |step: &str, names: &[&str]| {
        let moment = Moment::new("s", step, SystemTime::now());
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        history.note_names(&moment, "files", &names, 3).unwrap();
        history.numbered(&moment, "files").unwrap()
    };
    assert_eq!(note("1", &["a", "b"]), Numbered::new(2, Some(2)));
    assert_eq!(note("2", &["a"]), Numbered::new(2, Some(1)));
    assert_eq!(note("3", &["c", "d"]), Numbered::new(4, Some(4)));
    assert_eq!(note("4", &["e"]), Numbered::new(4, Some(4)));
    // Again, in the final round.
    assert_eq!(note("2", &["a"]), Numbered::new(4, Some(1)));
    let moment = Moment::new("s", "5", SystemTime::now());
    assert_eq!(history.numbered(&moment, "files"), Ok(Numbered::new(4, None)));
    let find = |name: &str| history.find_name(&moment, "files", &[name.to_owned()]).unwrap();
    assert_eq!((find("c"), find("x")), (WasNoted::Yes(0), WasNoted::TooMany));
    assert_eq!(history.find_name(&moment, "other", &["a".to_owned()]), Ok(WasNoted::No));
}
