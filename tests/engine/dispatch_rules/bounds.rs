//! Promise: rules 9 to 11 hold: deadlines and cancellation, panics, and what is made only for a
//! report.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::contract::Cancel;
use hookgate::decision::VoteOutcome;
use hookgate::{
    Engine, FailureClass, Gate, HandlerTable, Hook, HookEngine, Posture, Role, Verdict,
};

use super::slow;
use crate::support::{Log, bash, context, engine, sync, waiting};

#[tokio::test(start_paused = true)]
async fn rule_9_deadlines_of_hook_and_dispatch() {
    let log = Log::default();
    let never = |id| slow(id, 1_000_000, &log, Verdict::none());
    let one = engine([never("a").timeout(Duration::from_millis(50))]);
    let (gate, report) = one.dispatch_reported(bash("x"), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.votes[0].detail.as_deref(), Some("no answer within 50ms"));
    assert_eq!(report.reason_code, Some(hookgate::contract::ReasonCode::Timeout));
    let mut limits = hookgate::table::Limits::default();
    limits.dispatch_deadline = Duration::from_secs(3);
    let table = HandlerTable::builder()
        .limits(limits)
        .insert(never("a").timeout(Duration::from_secs(2)).on_failure(Posture::Allow))
        .insert(never("b").after("a").timeout(Duration::from_secs(2)).on_failure(Posture::Allow))
        .insert(never("c").after("b").on_failure(Posture::Allow))
        .build()
        .unwrap();
    let started = tokio::time::Instant::now();
    let (gate, report) = Engine::new(table).dispatch_reported(bash("x"), &context()).await;
    assert!(started.elapsed() < Duration::from_millis(3100), "{:?}", started.elapsed());
    let failures: Vec<_> = report.votes.iter().map(|vote| vote.failure).collect();
    assert_eq!(failures, [Some(FailureClass::Timeout); 3]);
    let cleared = gate.cleared().unwrap();
    let messages = &cleared.decision().unwrap().messages;
    let told = |id: &str| messages.iter().any(|message| message.contains(&format!("`{id}`")));
    assert!(["a", "b", "c"].into_iter().all(told), "all three are reported: {messages:?}");
}

/// Hooks that wait at the same time share one timer, and each still has its own time: counted from when it
/// was called, which is later for the third, since only two may run at once.
#[tokio::test(start_paused = true)]
async fn rule_9_each_of_several_hooks_has_its_own_time() {
    let log = Log::default();
    let stuck = |id, timeout| {
        slow(id, 1_000_000, &log, Verdict::none())
            .timeout(Duration::from_millis(timeout))
            .on_failure(Posture::Allow)
    };
    let mut limits = hookgate::table::Limits::default();
    limits.concurrency = 2;
    let table = HandlerTable::builder()
        .limits(limits)
        .insert(stuck("long", 300))
        .insert(stuck("short", 100))
        .insert(stuck("third", 150))
        .insert(slow("answers", 20, &log, Verdict::none()).timeout(Duration::from_millis(50)))
        .build()
        .unwrap();
    let engine = Engine::new(table);
    let (bash, context) = (bash("x"), context());
    let dispatch = engine.dispatch_reported(bash, &context);
    let (_, report) = tokio::time::timeout(Duration::from_secs(60), dispatch).await.unwrap();
    let took: Vec<_> = report
        .votes
        .iter()
        .map(|vote| {
            (vote.hook.as_str(), vote.failure.is_some(), vote.duration_us.unwrap() / 5_000 * 5)
        })
        .collect();
    assert_eq!(
        took,
        [("long", true, 300), ("short", true, 100), ("third", true, 150), ("answers", false, 20)]
    );
}

struct Flag(tokio::sync::watch::Receiver<bool>);

impl Cancel for Flag {
    fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    fn cancelled<'a>(&'a self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let mut flag = self.0.clone();
        Box::pin(async move {
            let _ = flag.wait_for(|cancelled| *cancelled).await;
        })
    }
}

#[tokio::test]
async fn rule_9_a_cancelled_dispatch_stops_and_fails_closed() {
    struct Running(Arc<AtomicUsize>);
    impl Drop for Running {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let running = Arc::new(AtomicUsize::new(0));
    let hook = {
        let running = running.clone();
        waiting("h", move |_| {
            running.fetch_add(1, Ordering::SeqCst);
            let guard = Running(running.clone());
            Box::pin(async move {
                let _guard = guard;
                std::future::pending().await
            })
        })
    };
    let engine = engine([hook.timeout(Duration::from_secs(60))]);
    let (cancel, flag) = tokio::sync::watch::channel(false);
    let flag = Flag(flag);
    let context = context().cancel(&flag);
    let dispatch = engine.dispatch_reported(bash("x"), &context);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        cancel.send(true).unwrap();
    };
    let ((gate, report), ()) = tokio::join!(dispatch, stop);
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.votes[0].outcome, VoteOutcome::Cancelled);
    assert_eq!(running.load(Ordering::SeqCst), 0, "nothing is left running");
}

#[tokio::test]
async fn rule_10_a_panic_is_the_failure_of_its_handler() {
    let before: Hook = waiting("before", |_| panic!("before there is a future"));
    let inside = waiting("inside", |_| Box::pin(async { panic!("in the future") }));
    let sync_one = sync("sync", |_| panic!("at once"));
    for (hook, text) in [(before, "before there"), (inside, "in the future"), (sync_one, "at once")]
    {
        let engine = engine([
            hook.on_failure(Posture::Allow),
            sync("later", |_| Ok(Verdict::deny("still invoked"))),
        ]);
        let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
        assert!(matches!(gate, Gate::Denied(_)));
        assert_eq!(report.by, ["later"]);
        assert_eq!(report.votes[0].failure, Some(FailureClass::Panic));
        assert!(report.votes[0].detail.as_ref().unwrap().contains(text));
    }
}

/// What a handler panics with may panic again when it is dropped, so many times.
struct PanicsWhenDropped(u8);

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        if let Some(more) = self.0.checked_sub(1) {
            std::panic::panic_any(Self(more));
        }
    }
}

#[tokio::test]
async fn rule_10_the_value_of_a_panic_cannot_panic_once_more() {
    let at_once: fn() -> Hook = || sync("at-once", |_| std::panic::panic_any(PanicsWhenDropped(3)));
    let later: fn() -> Hook =
        || waiting("later", |_| Box::pin(async { std::panic::panic_any(PanicsWhenDropped(3)) }));
    let observer: fn() -> Hook = || {
        sync("observer", |_| std::panic::panic_any(PanicsWhenDropped(3)))
            .role(hookgate::contract::Role::Observe)
    };
    for (hook, denies) in [(at_once, true), (later, true), (observer, false)] {
        let gate = engine([hook()]).dispatch(bash("x"), &context()).await;
        assert_eq!(matches!(gate, Gate::Denied(_)), denies);
        let (_, report) = engine([hook()]).dispatch_reported(bash("x"), &context()).await;
        assert_eq!(report.votes[0].failure, Some(FailureClass::Panic));
    }
}

/// The time of a handler counts from its own start, however long the ones beside it or before it took.
#[tokio::test]
async fn rule_9_a_slow_start_takes_nothing_from_the_handler_after_it() {
    let blocks = || std::thread::sleep(Duration::from_millis(300));
    let slow_to_start = waiting("slow", move |_| {
        blocks();
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(Verdict::none())
        })
    });
    let slow_at_once = sync("slow", move |_| {
        blocks();
        Ok(Verdict::none())
    });
    let slow_rewriter = waiting("slow", move |_| {
        blocks();
        Box::pin(std::future::ready(Ok(Verdict::none())))
    });
    let after_it = || {
        let hook = waiting("after-it", |_| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                Ok(Verdict::none())
            })
        });
        hook.timeout(Duration::from_millis(250))
    };
    for slow in [slow_to_start, slow_at_once, slow_rewriter.role(Role::Rewrite)] {
        let both = [slow, after_it()];
        let (gate, report) = engine(both).dispatch_reported(bash("x"), &context()).await;
        let failures: Vec<_> = report.votes.iter().map(|vote| vote.failure).collect();
        assert!(gate.cleared().is_some(), "{failures:?}");
    }
}

#[tokio::test]
async fn rule_11_ids_and_votes_are_made_only_for_a_report() {
    let log = Log::default();
    let engine = engine([{
        let log = log.clone();
        sync("h", move |invocation| {
            log.push(invocation.envelope.step_id());
            Ok(Verdict::none())
        })
    }]);
    let (_, report) = engine.dispatch_reported(bash("x"), &context()).await;
    assert_eq!(log.take(), [report.step_id.unwrap()]);
    assert_eq!(report.votes.len(), 1);
    assert!(report.votes[0].duration_us.is_some());
}
