//! A history in files remembers what one in memory does, over processes and with several at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use std::fs;
use std::thread;
use std::time::{Duration, SystemTime};

use hookgate_conditions::{FileHistory, History, MemoryHistory, Moment, Period};
use proptest::prelude::*;
use tempfile::TempDir;

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
            let files = FileHistory::new(folder.path());
            let (session, step) = (format!("session {session}"), format!("step {step}"));
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(turn.into());
            let moment = Moment::new(&session, &step, at).turn(turn.into());
            for history in [&files as &dyn History, &memory] {
                match &call {
                    Call::Mark(name) => history.mark(&moment, &format!("m{name}")),
                    Call::Count(name) => history.count(&moment, &format!("c{name}"), 3),
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
            let history = FileHistory::new(folder.path());
            history.count(&Moment::new("s", &step, SystemTime::now()), "reads", 0);
            assert_eq!(history.problem(), None);
        }
    };
    thread::scope(|scope| (0..4).for_each(|number| drop(scope.spawn(move || count(number)))));
    let last = Moment::new("s", "last", SystemTime::now());
    let counted = FileHistory::new(folder.path()).counted(&last, "reads", Period::Session);
    assert_eq!(counted.total(), 200);
}

#[test]
fn what_cannot_be_read_or_kept_is_told() {
    let folder = TempDir::new().unwrap();
    let history = FileHistory::new(folder.path());
    let moment = Moment::new("s", "1", SystemTime::now());
    history.mark(&moment, "tested");
    let file = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|e| e == "json")).unwrap();
    fs::write(file, "{").unwrap();
    assert_eq!(history.marked(&Moment::new("s", "2", SystemTime::now()), "tested"), None);
    assert!(history.problem().is_some());

    let nowhere = FileHistory::new("/dev/null/sessions");
    nowhere.count(&moment, "reads", 1);
    assert!(nowhere.problem().unwrap().contains("/dev/null/sessions"));
}

#[test]
fn ids_of_sessions_are_no_paths_and_are_told_apart() {
    let folder = TempDir::new().unwrap();
    let history = FileHistory::new(folder.path().join("inner"));
    let long = "x".repeat(5000);
    let ids = [
        "../../escape",
        "/etc/passwd",
        "",
        ".",
        "A",
        "a",
        "a b",
        "a%20b",
        &long,
        &format!("{long}y"),
    ];
    for (number, id) in (1..).zip(ids) {
        history.set_number(id, "n", number);
    }
    for (number, id) in (1..).zip(ids) {
        assert_eq!(history.number(id, "n"), number, "{id}");
    }
    assert_eq!(history.problem(), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_oldest_sessions_are_forgotten() {
    let folder = TempDir::new().unwrap();
    let history = FileHistory::new(folder.path());
    for number in 0..1100 {
        history.set_number(&format!("session-{number}"), "n", 1);
    }
    let kept = fs::read_dir(folder.path()).unwrap().count();
    assert!(kept <= 2 * 1024, "{kept}");
    assert_eq!(history.number("session-1099", "n"), 1);
}
