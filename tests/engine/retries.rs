//! Promise: a call that has failed is tried again as its config says: only after failures that may pass, with waits
//! that double, never beyond the deadline of the hook, and every attempt is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::contract::{BuiltHandler, VerdictDecision};
use hookgate::table::{BuildProblem, Retry, TableBuilder};
use hookgate::testing::Script;
use hookgate::{Event, Failure, FailureClass, Hook, HookEngine, Outcome, Posture, Report, Verdict};
use tokio::time::Instant;

use crate::support::{bash, context, engine, waiting};

const UNREACHABLE: FailureClass = FailureClass::Unreachable;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn twice() -> Retry {
    Retry::times(2).backoff(millis(200)).on([UNREACHABLE, FailureClass::Timeout])
}

async fn report(hook: Hook) -> Report {
    engine([hook]).dispatch_reported(bash("x"), &context()).await.1
}

#[tokio::test(start_paused = true)]
async fn a_call_is_tried_again_after_waits_that_double_and_each_attempt_is_recorded() {
    let script = Script::new()
        .fail(UNREACHABLE, "no network")
        .fail(UNREACHABLE, "no network")
        .reply(Verdict::deny("no"));
    let begun = Instant::now();
    let hook = script.async_hook("h").event(Event::PreToolUse).retry(twice());
    let report = report(hook.timeout(millis(5000))).await;
    assert_eq!(begun.elapsed(), millis(200 + 400));
    assert_eq!((report.decision, script.calls().len()), (Outcome::Deny, 3));
    let [vote] = &report.votes[..] else { panic!("one vote for all attempts: {report:?}") };
    assert_eq!(vote.failed_attempts, [UNREACHABLE, UNREACHABLE]);
    assert_eq!((vote.failure, vote.reason.as_deref()), (None, Some("no")));
    let line = serde_json::to_string(&report).unwrap();
    assert_eq!(Report::from_json(line.as_bytes()).unwrap(), report);
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_counts_when_no_attempt_is_left() {
    let script = Script::new();
    let script = (0..9).fold(script, |script, _| script.fail(UNREACHABLE, "no network"));
    let hook = script.async_hook("h").event(Event::PreToolUse).retry(twice());
    let report = report(hook.timeout(millis(5000))).await;
    assert_eq!((report.decision, script.calls().len()), (Outcome::Deny, 3));
    let vote = &report.votes[0];
    assert_eq!(vote.failure, Some(UNREACHABLE));
    assert_eq!(vote.failed_attempts.len(), 2, "the last one is the failure itself");
}

#[tokio::test(start_paused = true)]
async fn a_verdict_and_a_final_failure_are_not_tried_again() {
    for script in [
        Script::new().reply(Verdict::none()),
        Script::new().reply(Verdict::ask("sure?")),
        Script::new().fail(FailureClass::Exit, "it is not in `on`"),
        Script::new().fail(FailureClass::Malformed, "not either"),
    ] {
        let hook = script.async_hook("h").event(Event::PreToolUse).retry(twice());
        let report = report(hook.timeout(millis(5000))).await;
        assert_eq!(script.calls().len(), 1, "{report:?}");
        assert!(report.votes[0].failed_attempts.is_empty());
    }
    // A decision that was found in a failed answer stands: another attempt could take it back.
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let salvaged = waiting("h", move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        let failure = Failure::new(UNREACHABLE, "cut off");
        Box::pin(async move { Err(failure.with_salvaged(Some(VerdictDecision::Deny))) })
    });
    let report =
        report(salvaged.retry(twice()).timeout(millis(5000)).on_failure(Posture::Allow)).await;
    assert_eq!((report.decision, calls.load(Ordering::Relaxed)), (Outcome::Deny, 1));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_tried_or_waited_for_beyond_the_deadline() {
    let script = Script::new();
    let script = (0..9).fold(script, |script, _| script.fail(UNREACHABLE, "no network"));
    let retry = Retry::times(9).backoff(millis(200)).on([UNREACHABLE]);
    let begun = Instant::now();
    let hook = script.async_hook("h").event(Event::PreToolUse).retry(retry);
    let report = report(hook.timeout(millis(1000))).await;
    // At 0, 200 and 600; the next wait of 800 would pass the deadline, so the real cause is told at once.
    assert_eq!((script.calls().len(), begun.elapsed()), (3, millis(600)));
    assert_eq!(report.votes[0].failure, Some(UNREACHABLE));
}

/// A handler that hangs for so many calls, and counts how many are at work.
fn hanging(hangs: usize, at_work: &Arc<AtomicUsize>, calls: &Arc<AtomicUsize>) -> BuiltHandler {
    struct AtWork(Arc<AtomicUsize>);
    impl Drop for AtWork {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let (at_work, calls) = (Arc::clone(at_work), Arc::clone(calls));
    BuiltHandler::async_fn(move |_| {
        let number = calls.fetch_add(1, Ordering::Relaxed);
        assert_eq!(at_work.fetch_add(1, Ordering::Relaxed), 0, "an attempt ends before the next");
        let at_work = AtWork(Arc::clone(&at_work));
        Box::pin(async move {
            let _at_work = at_work;
            if number < hangs {
                std::future::pending::<()>().await;
            }
            Ok(Verdict::none())
        })
    })
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_hangs_is_dropped_and_the_attempts_share_the_deadline() {
    let (at_work, calls) = (Arc::default(), Arc::default());
    let hook = |hangs, retry| {
        Hook::new("h", "rust", hanging(hangs, &at_work, &calls))
            .event(Event::PreToolUse)
            .timeout(millis(3000))
            .retry(retry)
    };
    let begun = Instant::now();
    let found = report(hook(1, twice())).await;
    assert_eq!((found.decision, begun.elapsed()), (Outcome::Allow, millis(1000 + 200)));
    assert_eq!(found.votes[0].failed_attempts, [FailureClass::Timeout]);
    assert_eq!(at_work.load(Ordering::Relaxed), 0);

    calls.store(0, Ordering::Relaxed);
    let begun = Instant::now();
    let found = report(hook(2, twice().attempt(millis(100)))).await;
    assert_eq!((found.decision, begun.elapsed()), (Outcome::Allow, millis(100 + 200 + 100 + 400)));

    // The deadline of the whole holds, whatever the attempts would like.
    calls.store(0, Ordering::Relaxed);
    let begun = Instant::now();
    let found = report(hook(usize::MAX, twice())).await;
    assert_eq!(
        (found.decision, found.votes[0].failure),
        (Outcome::Deny, Some(FailureClass::Timeout))
    );
    assert!(begun.elapsed() <= millis(3000), "{:?}", begun.elapsed());
    assert_eq!(at_work.load(Ordering::Relaxed), 0, "nothing is left at work");
}

#[tokio::test(start_paused = true)]
async fn a_dispatch_that_is_dropped_ends_the_attempt_and_the_wait() {
    let (at_work, calls) = (Arc::default(), Arc::default());
    let hook = Hook::new("h", "rust", hanging(usize::MAX, &at_work, &calls))
        .event(Event::PreToolUse)
        .timeout(millis(30_000))
        .retry(twice());
    let engine = engine([hook]);
    for wait in [millis(5000), millis(10_100)] {
        let context = context();
        let dispatch = engine.dispatch(bash("x"), &context);
        assert!(tokio::time::timeout(wait, dispatch).await.is_err());
        assert_eq!(at_work.load(Ordering::Relaxed), 0);
    }
    let so_far = calls.load(Ordering::Relaxed);
    tokio::time::sleep(millis(60_000)).await;
    assert_eq!(calls.load(Ordering::Relaxed), so_far, "nothing tries on");
}

#[test]
fn a_retry_that_could_do_nothing_makes_no_table() {
    let problems = |hook: Hook| -> Vec<BuildProblem> {
        let builder = [hook].into_iter().collect::<TableBuilder>();
        let errors = builder.build().err().map(|errors| errors.errors().to_vec());
        errors.unwrap_or_default().into_iter().map(|error| error.problem).collect()
    };
    let waits = || waiting("h", |_| Box::pin(async { Ok(Verdict::none()) }));
    let sync = crate::support::sync("h", |_| Ok(Verdict::none()));
    assert_eq!(problems(sync.retry(twice())), [BuildProblem::NothingToRetry]);
    let builtin = BuiltHandler::async_fn(|_| Box::pin(async { Ok(Verdict::none()) }));
    let builtin = Hook::new("h", "builtin", builtin).event(Event::PreToolUse);
    assert_eq!(problems(builtin.retry(twice())), [BuildProblem::NothingToRetry]);
    let none = waits().retry(twice().on([]));
    assert_eq!(problems(none), [BuildProblem::RetryOnNothing]);
    assert_eq!(problems(waits().retry(Retry::times(0))), [BuildProblem::RetryTimes(10)]);
    assert_eq!(problems(waits().retry(Retry::times(11))), [BuildProblem::RetryTimes(10)]);
    for class in FailureClass::ALL {
        let found = problems(waits().retry(twice().on([class])));
        let expected = match Retry::CLASSES.contains(&class) {
            true => vec![],
            false => vec![BuildProblem::FinalFailure(class)],
        };
        assert_eq!(found, expected, "{class}");
    }
    let late = waits().timeout(millis(150)).retry(twice());
    assert_eq!(problems(late), [BuildProblem::NoTimeToRetry { timeout: "150ms".into() }]);
    let judge = BuiltHandler::async_fn(|_| Box::pin(async { Ok(Verdict::none()) }));
    let judge = Hook::new("h", "prompt", judge).event(Event::PreToolUse);
    assert_eq!(problems(judge.retry(twice())), [BuildProblem::RetriesItself]);
}
