//! Promise: a dispatch that the host cancels, or drops, has an outcome of its own: nothing is cleared or asked because of
//! it, no guard is named for it, none has failed by it, and whoever listens is told.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::contract::payload::{SessionEnd, Stop};
use hookgate::contract::{
    AsyncHandler, BuiltHandler, Cancel, Invocation, ReplyFuture, VerdictDecision,
};
use hookgate::decision::VoteOutcome;
use hookgate::events::HookEventKind;
use hookgate::recorder::{Channel, DispatchEnd};
use hookgate::{
    Engine, Event, Failure, FailureClass, Gate, Hook, HookEngine as _, Mode, Outcome, Posture,
    Report, Role, StepContext, Verdict,
};
use tokio::sync::Notify;

use crate::support::{Log, bash, context, engine, sync, waiting};

/// The key that stops what runs.
#[derive(Default)]
struct Esc {
    pressed: AtomicBool,
    notify: Notify,
}

impl Esc {
    fn press(&self) {
        self.pressed.store(true, Ordering::SeqCst);
        self.notify.notify_waiters();
    }
}

impl Cancel for Esc {
    fn is_cancelled(&self) -> bool {
        self.pressed.load(Ordering::SeqCst)
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {
            let pressed = self.notify.notified();
            if !self.is_cancelled() {
                pressed.await;
            }
        })
    }
}

/// A hook that presses the key when it is called, and waits for ever.
fn stuck(id: &str, esc: &Arc<Esc>) -> Hook {
    let esc = Arc::clone(esc);
    waiting(id, move |_| {
        esc.press();
        Box::pin(std::future::pending())
    })
    .timeout(Duration::from_secs(60))
}

async fn cancelled(
    hooks: impl FnOnce(&Arc<Esc>) -> Vec<Hook>,
) -> (Gate<hookgate::ToolUse>, Report) {
    let esc = Arc::default();
    let engine = engine(hooks(&esc));
    engine.dispatch_reported(bash("ls"), &context().cancel(&*esc)).await
}

#[tokio::test]
async fn no_guard_is_named_and_none_has_failed() {
    let esc = Arc::default();
    let later = sync("later", |_| panic!("no hook is called after it"));
    let engine = engine([stuck("slow", &esc), later]);
    let mut events = engine.subscribe();
    let (gate, report) = engine.dispatch_reported(bash("ls"), &context().cancel(&*esc)).await;
    assert_eq!((gate.outcome(), report.decision), (Outcome::Cancelled, Outcome::Cancelled));
    let Gate::Denied(denied) = gate else { panic!() };
    assert!(denied.is_cancelled());
    assert_eq!(
        denied.feedback(),
        "cancelled: the dispatch was cancelled before the hooks had decided"
    );
    assert!(report.by.is_empty() && report.reason_code.is_none());
    let votes: Vec<_> = report.votes.iter().map(|vote| (&*vote.hook, vote.outcome)).collect();
    assert_eq!(votes, [("slow", VoteOutcome::Cancelled)]);
    assert_eq!(engine.failures("slow", FailureClass::Cancelled), 0);
    let what: Vec<_> = std::iter::from_fn(|| events.try_next()).map(Result::unwrap).collect();
    assert!(matches!(what[1].what, HookEventKind::Cancelled { .. }), "{what:?}");
    assert_eq!(what.len(), 2);

    let line = serde_json::to_string(&report).unwrap();
    assert!(line.contains(r#""decision":"cancelled""#), "{line}");
    assert_eq!(Report::from_json(line.as_bytes()).unwrap(), report);
}

#[tokio::test]
async fn a_guard_that_fails_open_clears_nothing() {
    for posture in [Posture::Allow, Posture::Ask, Posture::Deny] {
        let (gate, _) = cancelled(|esc| vec![stuck("slow", esc).on_failure(posture)]).await;
        assert_eq!(gate.outcome(), Outcome::Cancelled, "{posture:?}");
    }
    for mode in [Mode::Warn, Mode::Shadow] {
        let (gate, _) = cancelled(|esc| vec![stuck("slow", esc).mode(mode)]).await;
        assert_eq!(gate.outcome(), Outcome::Cancelled, "{mode:?}");
    }
}

#[tokio::test]
async fn what_was_said_before_stands_only_if_it_is_a_refusal() {
    let says = |verdict: Verdict| sync("first", move |_| Ok(verdict.clone()));
    for (verdict, outcome) in [
        (Verdict::ask("sure?"), Outcome::Cancelled),
        (Verdict::allow(), Outcome::Cancelled),
        (Verdict::none().message("hello"), Outcome::Cancelled),
    ] {
        let (gate, report) = cancelled(|esc| vec![says(verdict.clone()), stuck("slow", esc)]).await;
        assert_eq!(gate.outcome(), outcome, "{verdict:?}");
        assert!(report.by.is_empty() && report.answer.is_none());
    }
    // Guards that wait run at the same time: one has denied when the key is pressed.
    let deny = waiting("deny", |_| Box::pin(async { Ok(Verdict::deny("no")) }));
    let (gate, report) = cancelled(|esc| vec![deny, stuck("slow", esc)]).await;
    assert_eq!((gate.outcome(), &*report.by[0]), (Outcome::Deny, "deny"));
}

#[tokio::test]
async fn a_key_that_is_pressed_before_lets_no_hook_be_called() {
    let esc = Arc::<Esc>::default();
    esc.press();
    for hook in [
        sync("guard", |_| panic!("it is not called")),
        waiting("guard", |_| panic!("it is not called")),
    ] {
        let engine = engine([hook]);
        let gate = engine.dispatch(bash("ls"), &context().cancel(&*esc)).await;
        assert_eq!(gate.outcome(), Outcome::Cancelled);
    }
    // No hook is there to be asked: the runtime looks at its signal itself.
    let empty = Engine::without_hooks();
    assert!(empty.dispatch(bash("ls"), &context().cancel(&*esc)).await.is_cleared());
}

#[tokio::test]
async fn a_handler_that_says_so_itself_has_failed() {
    let gives_up =
        sync("guard", |_| Err(Failure::new(FailureClass::Cancelled, "the server gave up")));
    for (posture, outcome) in [(Posture::Allow, Outcome::Allow), (Posture::Deny, Outcome::Deny)] {
        let engine = engine([gives_up.clone().on_failure(posture)]);
        let esc = Esc::default();
        let (gate, report) = engine.dispatch_reported(bash("ls"), &context().cancel(&esc)).await;
        assert_eq!(gate.outcome(), outcome);
        assert_eq!(report.votes[0].failure, Some(FailureClass::Cancelled));
        assert_eq!(engine.failures("guard", FailureClass::Cancelled), 1);
    }
}

/// A signal of the host that says one thing and then another.
struct Flickers(AtomicUsize);

impl Cancel for Flickers {
    fn is_cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst) == 0
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(std::future::pending())
    }
}

/// A signal that wakes those who wait before it says so.
struct Early;

impl Cancel for Early {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn a_signal_that_is_let_go_has_stopped_a_hook_all_the_same() {
    let engine_of = |hook: Hook| engine([hook.on_failure(Posture::Allow)]);
    for engine in [
        engine_of(sync("guard", |_| Ok(Verdict::deny("no")))),
        engine_of(waiting("guard", |_| Box::pin(async { Ok(Verdict::deny("no")) }))),
    ] {
        let flickers = Flickers(AtomicUsize::new(0));
        let gate = engine.dispatch(bash("ls"), &context().cancel(&flickers)).await;
        assert_eq!(gate.outcome(), Outcome::Cancelled);
    }
    let engine = engine_of(waiting("guard", |_| Box::pin(std::future::pending())));
    let gate = engine.dispatch(bash("ls"), &context().cancel(&Early)).await;
    assert_eq!(gate.outcome(), Outcome::Cancelled);
    assert_eq!(engine.failures("guard", FailureClass::Cancelled), 0);
}

/// A handler that has read a refusal when it is stopped.
struct HalfRead(VerdictDecision, Arc<Esc>);

impl AsyncHandler for HalfRead {
    fn handle<'a>(&'a self, call: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            call.keep_salvaged(Some(self.0));
            self.1.press();
            std::future::pending().await
        })
    }
}

#[tokio::test]
async fn a_refusal_that_was_read_before_stands() {
    for (said, outcome) in [
        (VerdictDecision::Ask, Outcome::Cancelled),
        (VerdictDecision::Deny, Outcome::Deny),
        (VerdictDecision::Halt, Outcome::Halt),
    ] {
        let esc = Arc::<Esc>::default();
        let handler = BuiltHandler::from_async(HalfRead(said, Arc::clone(&esc)));
        let hook = Hook::new("guard", "test", handler).event(Event::PreToolUse);
        let engine = engine([hook.on_failure(Posture::Allow)]);
        let gate = engine.dispatch(bash("ls"), &context().cancel(&*esc)).await;
        assert_eq!(gate.outcome(), outcome);
    }
}

/// The key is pressed while an observer of a step that was cleared is at work: those after it are told all the same.
#[tokio::test]
async fn observers_after_the_key_are_told() {
    let (esc, log) = (Arc::<Esc>::default(), Log::default());
    let presses = {
        let esc = Arc::clone(&esc);
        sync("first", move |_| {
            esc.press();
            Ok(Verdict::none())
        })
    };
    let told = {
        let log = log.clone();
        sync("second", move |_| {
            log.push("told");
            Ok(Verdict::none())
        })
    };
    let engine = engine([presses.role(Role::Observe), told.role(Role::Observe)]);
    let gate = engine.dispatch(bash("ls"), &context().cancel(&*esc)).await;
    assert!(gate.is_cleared());
    assert_eq!(log.take(), ["told"]);
}

#[tokio::test]
async fn observers_hear_of_it() {
    let (esc, log) = (Arc::default(), Log::default());
    let watch = |log: &Log| {
        let log = log.clone();
        move |call: hookgate::Invocation<'_>| {
            log.push(call.json()?["decision"]["outcome"].as_str().unwrap());
            Ok(Verdict::none())
        }
    };
    let at_once = sync("at-once", watch(&log)).role(Role::Observe);
    let seen = watch(&log);
    let waits = waiting("waits", move |call| {
        let seen = seen(call);
        Box::pin(async move {
            tokio::task::yield_now().await;
            seen
        })
    });
    let engine = engine([stuck("slow", &esc), at_once, waits.role(Role::Observe)]);
    let gate = engine.dispatch(bash("ls"), &context().cancel(&*esc)).await;
    assert_eq!(gate.outcome(), Outcome::Cancelled);
    assert_eq!(log.take(), ["cancelled", "cancelled"]);
    assert!(gate.decision().unwrap().messages.is_empty());
}

#[tokio::test]
async fn where_nothing_is_refused_the_step_goes_on() {
    let esc = Arc::<Esc>::default();
    esc.press();
    let log = Log::default();
    let seen = log.clone();
    let guard = Hook::sync("guard", |_| Ok(Verdict::deny("go on")))
        .event(Event::Stop)
        .on_failure(Posture::Deny);
    let audit = Hook::sync("audit", move |_| {
        seen.push("ended");
        Ok(Verdict::none())
    })
    .event(Event::SessionEnd);
    let engine = engine([guard, audit]);
    let context = context().cancel(&*esc);
    // Whoever presses the key wants the agent to stop.
    assert!(engine.dispatch(Stop::default(), &context).await.is_cleared());
    let Gate::Cleared(()) = engine.dispatch(SessionEnd::new("done"), &context).await;
    assert_eq!(log.take(), ["ended"]);
}

#[tokio::test]
async fn the_record_says_so_also_of_a_dispatch_that_is_dropped() {
    let esc = Arc::default();
    let (channel, mut records) = Channel::waiting(8);
    let engine = engine([stuck("slow", &esc)]).with_recorder(channel);
    let gate = engine.dispatch(bash("ls"), &context().cancel(&*esc)).await;
    assert_eq!(gate.outcome(), Outcome::Cancelled);
    let record = records.try_next().unwrap();
    assert_eq!((record.end, record.report.decision), (DispatchEnd::Decided, Outcome::Cancelled));

    let context = StepContext::new("s");
    let dispatch = engine.dispatch(bash("ls"), &context);
    assert!(tokio::time::timeout(Duration::from_millis(5), dispatch).await.is_err());
    let record = records.try_next().unwrap();
    assert_eq!((record.end, record.report.decision), (DispatchEnd::Dropped, Outcome::Cancelled));
    assert!(record.report.by.is_empty());
}

/// What is run was cleared by guards that have all answered, however the key falls into a dispatch.
#[tokio::test]
async fn nothing_is_cleared_whenever_the_key_is_pressed() {
    for polls in 0..12 {
        let esc = Arc::<Esc>::default();
        let answered = Arc::new(AtomicUsize::new(0));
        let guard = |id: &str| {
            let answered = Arc::clone(&answered);
            waiting(id, move |_| {
                let answered = Arc::clone(&answered);
                Box::pin(async move {
                    for _ in 0..3 {
                        tokio::task::yield_now().await;
                    }
                    answered.fetch_add(1, Ordering::SeqCst);
                    Ok(Verdict::none())
                })
            })
        };
        let engine = engine([guard("one"), guard("two")]);
        let context = context().cancel(&*esc);
        let press = async {
            for _ in 0..polls {
                tokio::task::yield_now().await;
            }
            esc.press();
        };
        let (gate, ()) = tokio::join!(engine.dispatch(bash("ls"), &context), press);
        if gate.is_cleared() {
            assert_eq!(answered.load(Ordering::SeqCst), 2, "after {polls} polls");
        } else {
            assert_eq!(gate.outcome(), Outcome::Cancelled, "after {polls} polls");
        }
    }
}
