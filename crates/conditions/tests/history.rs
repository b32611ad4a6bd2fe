//! The history in memory against a naive one, and its bounds.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use hookgate_conditions::{History, MemoryHistory, Moment, Period};
use proptest::prelude::*;

/// All writes, in order: session, step, time, turn, and what was written.
#[derive(Default)]
struct Naive(Vec<(usize, usize, u64, u64, Write)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Write {
    Mark(u8),
    Count(u8),
}

impl Naive {
    fn written(&self, session: usize, write: Write) -> Vec<(usize, u64, u64)> {
        let mut steps: Vec<(usize, u64, u64)> = Vec::new();
        for (of, step, at, turn, what) in &self.0 {
            if *of == session && *what == write && steps.iter().all(|(known, ..)| known != step) {
                steps.push((*step, *at, *turn));
            }
        }
        steps
    }
}

fn time(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

fn name(kind: &str, number: u8) -> String {
    format!("{kind}-{number}")
}

#[derive(Debug, Clone)]
struct Step {
    session: usize,
    seconds: u64,
    next_turn: bool,
    writes: Vec<Write>,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = prop_oneof![(0..3_u8).prop_map(Write::Mark), (0..2_u8).prop_map(Write::Count)];
    let step = (0..3_usize, 0..40_u64, any::<bool>(), prop::collection::vec(write, 0..4));
    let step = step.prop_map(|(session, seconds, next_turn, writes)| Step {
        session,
        seconds,
        next_turn,
        writes,
    });
    prop::collection::vec(step, 1..60)
}

proptest! {
    #[test]
    fn it_answers_as_a_naive_history_does(steps in steps()) {
        let (history, mut naive) = (MemoryHistory::new(), Naive::default());
        let (mut now, mut turns) = (1_000, HashMap::<usize, u64>::new());
        for (number, step) in steps.iter().enumerate() {
            now += step.seconds;
            let turn = turns.entry(step.session).or_default();
            *turn += u64::from(step.next_turn);
            let (session, id) = (format!("s{}", step.session), format!("step-{number}"));
            let moment = Moment::new(&session, &id, time(now)).turn(*turn);
            for write in &step.writes {
                match write {
                    Write::Mark(number) => history.mark(&moment, &name("mark", *number)).unwrap(),
                    Write::Count(number) => history.count(&moment, &name("count", *number), 100).unwrap(),
                }
                naive.0.push((step.session, number, now, *turn, *write));
                // Whatever was written already, the step sees what was before it.
                for mark in 0..3 {
                    let earlier = naive.written(step.session, Write::Mark(mark));
                    let last = earlier.iter().rfind(|(step, ..)| *step != number);
                    let found = history.marked(&moment, &name("mark", mark)).unwrap();
                    prop_assert_eq!(found.map(|found| found.at), last.map(|(_, at, _)| time(*at)));
                }
                for count in 0..2 {
                    let all = naive.written(step.session, Write::Count(count));
                    let before: Vec<_> = all.iter().filter(|(step, ..)| *step != number).collect();
                    let this = before.len() < all.len();
                    let counted =
                        |period| history.counted(&moment, &name("count", count), period).unwrap();
                    let session = counted(Period::Session);
                    prop_assert_eq!((session.before, session.this), (before.len() as u64, this));
                    let turn_before = before.iter().filter(|(.., of)| of == turn).count() as u64;
                    prop_assert_eq!(counted(Period::Turn).before, turn_before);
                    let recent = before.iter().filter(|(_, at, _)| now - at < 60).count() as u64;
                    prop_assert_eq!(counted(Period::Last(Duration::from_secs(60))).before, recent);
                }
            }
            // The order of two marks is that of their steps.
            let after = format!("after-{number}");
            let later = Moment::new(&session, &after, time(now)).turn(*turn);
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                let last = |mark| naive.written_last(step.session, Write::Mark(mark));
                let found = |mark| history.marked(&later, &name("mark", mark)).unwrap().map(|found| found.order);
                if let (Some(a_step), Some(b_step)) = (last(a), last(b)) {
                    prop_assert_eq!(found(a).unwrap().cmp(&found(b).unwrap()), a_step.cmp(&b_step));
                }
            }
        }
    }

    #[test]
    fn it_never_has_more_than_its_limits(
        steps in steps(), sessions in 0..4_usize, bytes in 0..4_000_usize, keep in 1..5_usize,
    ) {
        let history = MemoryHistory::new().limits(sessions, bytes);
        for (number, step) in steps.iter().enumerate() {
            let (session, id) = (format!("s{}", step.session), "x".repeat(number));
            let moment = Moment::new(&session, &id, time(step.seconds));
            for write in &step.writes {
                match write {
                    Write::Mark(number) => history.mark(&moment, &name("mark", *number)).unwrap(),
                    Write::Count(number) => history.count(&moment, &name("count", *number), keep).unwrap(),
                }
                prop_assert!(history.sessions() <= sessions && history.bytes() <= bytes);
                prop_assert!(history.sessions() > 0 || history.bytes() == 0);
            }
        }
    }
}

impl Naive {
    fn written_last(&self, session: usize, write: Write) -> Option<usize> {
        let of = self.0.iter().rfind(|(of, .., what)| *of == session && *what == write);
        of.map(|(_, step, ..)| *step)
    }
}

#[test]
fn the_session_that_was_not_used_for_the_longest_time_is_forgotten() {
    let history = MemoryHistory::new().limits(2, 1 << 20);
    let first = Moment::new("a", "1", time(0));
    history.mark(&first, "m").unwrap();
    history.mark(&Moment::new("b", "1", time(0)), "m").unwrap();
    // Reading is a use as well.
    assert!(history.marked(&Moment::new("a", "2", time(0)), "m").unwrap().is_some());
    history.mark(&Moment::new("c", "1", time(0)), "m").unwrap();
    assert!(history.marked(&Moment::new("a", "2", time(0)), "m").unwrap().is_some());
    assert!(history.marked(&Moment::new("b", "2", time(0)), "m").unwrap().is_none());
}

#[test]
fn a_clock_that_was_set_back_forgets_nothing() {
    let history = MemoryHistory::new();
    history.count(&Moment::new("s", "1", time(1000)), "c", 10).unwrap();
    let period = Period::Last(Duration::from_secs(60));
    assert_eq!(history.counted(&Moment::new("s", "2", time(10)), "c", period).unwrap().total(), 1);
}
