//! Promise: a deadline is held. What a handler that blocks its thread says too late counts only if it lets nothing
//! happen, and a deadline that nothing can hold makes no table.

use std::time::Duration;

use hookgate::contract::{BuiltCondition, BuiltHandler, Condition, Envelope, Truth};
use hookgate::table::BuildProblem;
use hookgate::{
    Event, FailureClass, HandlerTable, Hook, HookEngine as _, Outcome, Posture, Verdict,
};

use crate::support::{bash, context, engine, sync, waiting};

const SHORT: Duration = Duration::from_millis(50);

fn block() {
    std::thread::sleep(2 * SHORT);
}

/// What comes of a guard with a short deadline, whose failures count as allow, and how many failed by it.
async fn outcome(hook: Hook) -> (Outcome, u64) {
    let engine = engine([hook.timeout(SHORT).on_failure(Posture::Allow)]);
    let outcome = engine.dispatch(bash("ls"), &context()).await.outcome();
    (outcome, engine.failures("late", FailureClass::Timeout))
}

#[tokio::test]
async fn of_an_answer_that_comes_too_late_only_what_lets_nothing_happen_counts() {
    for waits_first in [false, true] {
        let late = |verdict: fn() -> Verdict| {
            waiting("late", move |_| {
                Box::pin(async move {
                    if waits_first {
                        tokio::task::yield_now().await;
                    }
                    block();
                    Ok(verdict())
                })
            })
        };
        assert_eq!(outcome(late(Verdict::none)).await, (Outcome::Allow, 1));
        let speaks = late(|| Verdict::none().context("a late word"));
        assert_eq!(outcome(speaks).await, (Outcome::Allow, 1));
        assert_eq!(outcome(late(Verdict::allow)).await, (Outcome::Allow, 1));
        assert_eq!(outcome(late(|| Verdict::deny("no"))).await, (Outcome::Deny, 0));
        assert_eq!(outcome(late(|| Verdict::ask("sure?"))).await, (Outcome::Ask, 0));

        // By default a guard that is late denies.
        let engine = engine([late(Verdict::none).timeout(SHORT)]);
        let gate = engine.dispatch(bash("ls"), &context()).await;
        assert_eq!(gate.outcome(), Outcome::Deny);
    }
    // The control: one that is in time, after one that took long and had the time.
    let long = waiting("long", |_| {
        Box::pin(async {
            block();
            Ok(Verdict::none())
        })
    });
    let quick = waiting("late", |_| Box::pin(async { Ok(Verdict::none()) }));
    let engine = engine([long, quick.after("long").timeout(SHORT)]);
    assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
}

/// Guards that answer at once, and of which one can be late: one with a condition on a field, and one whose work grows
/// with the step.
fn late_at_once(verdict: fn() -> Verdict) -> [Hook; 2] {
    let answer = move |_: hookgate::Invocation<'_>| {
        block();
        Ok(verdict())
    };
    let heavy = Hook::new("late", "rust", BuiltHandler::from_sync(answer).heavy());
    [
        sync("late", answer).input("/command", hookgate::matcher::Test::equals("ls")),
        heavy.event(Event::PreToolUse),
    ]
}

#[tokio::test]
async fn so_it_is_of_a_guard_that_answers_at_once_and_has_a_deadline() {
    for at in 0..2 {
        let [silent, allows, denies, asks] = [
            Verdict::none as fn() -> Verdict,
            Verdict::allow,
            || Verdict::deny("no"),
            || Verdict::ask("sure?"),
        ]
        .map(|verdict| late_at_once(verdict).into_iter().nth(at).unwrap());
        assert_eq!(outcome(silent).await, (Outcome::Allow, 1));
        assert_eq!(outcome(allows).await, (Outcome::Allow, 1));
        assert_eq!(outcome(denies).await, (Outcome::Deny, 0));
        assert_eq!(outcome(asks).await, (Outcome::Ask, 0));
        // By default a guard that is late denies; without a deadline of its own it is not late.
        let silent = || late_at_once(Verdict::none).into_iter().nth(at).unwrap();
        let late = engine([silent().timeout(SHORT)]);
        assert_eq!(late.dispatch(bash("ls"), &context()).await.outcome(), Outcome::Deny);
        // That of its kind is for those that wait.
        let mut limits = hookgate::table::Limits::default();
        limits.timeout.insert("rust".into(), SHORT);
        let table = HandlerTable::builder().limits(limits).insert(silent()).build().unwrap();
        let untimed = hookgate::Engine::new(table);
        assert!(untimed.dispatch(bash("ls"), &context()).await.is_cleared());
    }
}

#[test]
fn a_handler_that_answers_at_once_has_no_deadline() {
    let build = |hook: Hook| HandlerTable::builder().insert(hook).build();
    let errors = build(sync("late", |_| Ok(Verdict::none())).timeout(SHORT)).unwrap_err();
    assert_eq!(errors.errors()[0].problem, BuildProblem::NoTimeout);
    assert_eq!(errors.errors()[0].key, "timeout");
    // One whose work grows with the step runs on a thread of its own where the step is large.
    let heavy = BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::none())).heavy();
    let heavy = Hook::new("heavy", "rust", heavy).event(Event::PreToolUse);
    assert!(build(heavy.timeout(SHORT)).is_ok());
    assert!(build(sync("plain", |_| Ok(Verdict::none()))).is_ok());
}

/// A condition that is found out on a thread, which it says on a channel.
struct FoundOut(std::sync::Mutex<std::sync::mpsc::Sender<()>>);

impl Condition for FoundOut {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        self.0.lock().unwrap().send(()).unwrap();
        Truth::False
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        String::new()
    }
}

#[tokio::test(start_paused = true)]
async fn a_condition_that_is_found_out_too_late_spares_no_guard() {
    let (sender, found_out) = std::sync::mpsc::channel();
    let condition = BuiltCondition::new("found_out", true, FoundOut(sender.into()));
    let never = waiting("late", |_| Box::pin(std::future::pending()));
    let engine = engine([never.condition(condition).timeout(SHORT)]);
    let (large, context) = (bash(&"x".repeat(200 << 10)), context());
    let dispatch = engine.dispatch(large, &context);
    let passes = async {
        found_out.recv().unwrap();
        // The answer of the thread reaches the runtime, which was blocked.
        std::thread::sleep(SHORT);
        tokio::time::advance(2 * SHORT).await;
    };
    let (gate, ()) = tokio::join!(dispatch, passes);
    assert_eq!(gate.outcome(), Outcome::Deny);
    assert_eq!(engine.failures("late", FailureClass::Timeout), 1);
}
