//! Promise: a hook or a recorder that dispatches the event that it is at ends no process: the step is denied, and the
//! step whose hook has dispatched it.

use std::sync::{Arc, Mutex, OnceLock};

use hookgate::recorder::{ReadyFuture, Record, RecordLost, Recorder};
use hookgate::{Engine, Event, Gate, Hook, HookEngine, Outcome, StepContext, Verdict};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{bash, context, sync, waiting};

type Slot = Arc<OnceLock<Arc<Engine>>>;

/// An engine that its hooks know.
fn known(make: impl FnOnce(Slot) -> Engine) -> Arc<Engine> {
    let slot = Slot::default();
    let engine = Arc::new(make(Arc::clone(&slot)));
    slot.set(Arc::clone(&engine)).unwrap();
    engine
}

fn reason<S: hookgate::HookStep>(gate: &Gate<S>) -> String {
    gate.decision().and_then(|decision| decision.reason.clone()).unwrap_or_default()
}

/// A hook that waits, dispatches, and allows whatever comes of it.
fn dispatches(slot: Slot, yields: bool) -> Hook {
    waiting("again", move |_| {
        let engine = Arc::clone(slot.get().unwrap());
        Box::pin(async move {
            if yields {
                tokio::task::yield_now().await;
            }
            let gate = engine.dispatch(bash("ls"), &StepContext::new("inner")).await;
            assert_eq!(gate.outcome(), Outcome::Deny);
            if yields {
                tokio::task::yield_now().await;
            }
            Ok(Verdict::none())
        })
    })
}

#[tokio::test]
async fn a_hook_that_dispatches_its_own_event_is_a_failure() {
    for yields in [false, true] {
        let engine = known(|slot| crate::support::engine([dispatches(slot, yields)]));
        let gate = engine.dispatch(bash("ls"), &context()).await;
        assert_eq!(gate.outcome(), Outcome::Deny);
        assert!(reason(&gate).contains("must not dispatch the event that it is at"), "{gate:?}");
        let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
        assert_eq!((gate.outcome(), report.decision), (Outcome::Deny, Outcome::Deny));
        assert_eq!(report.votes.len(), 1);
    }
    // One that answers at once, and drives the future itself.
    let engine = known(|slot| {
        let again = move |_: hookgate::Invocation<'_>| {
            let context = StepContext::new("inner");
            let mut inner = slot.get().unwrap().dispatch(bash("ls"), &context);
            let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
            let std::task::Poll::Ready(gate) = std::pin::Pin::new(&mut inner).poll(&mut cx) else {
                panic!("a hook that answers at once waits");
            };
            assert_eq!(gate.outcome(), Outcome::Deny);
            Ok(Verdict::none())
        };
        crate::support::engine([sync("again", again)])
    });
    let gate = engine.dispatch(bash("ls"), &context()).await;
    assert_eq!(gate.outcome(), Outcome::Deny);
    assert!(reason(&gate).contains("pre_tool_use"), "{gate:?}");
    // What one dispatch has done wrong is not told of the next.
    let other = crate::support::engine([sync("silent", |_| Ok(Verdict::none()))]);
    assert!(other.dispatch(bash("ls"), &context()).await.is_cleared());
}

#[tokio::test]
async fn engines_that_dispatch_at_each_other_end() {
    let slots = [Slot::default(), Slot::default()];
    let calls = Arc::new(AtomicUsize::new(0));
    let engines = [0, 1].map(|own: usize| {
        let (other, calls) = (Arc::clone(&slots[1 - own]), Arc::clone(&calls));
        let hook = waiting("over", move |_| {
            let engine = Arc::clone(other.get().unwrap());
            calls.fetch_add(1, Ordering::Relaxed);
            Box::pin(async move {
                let gate = engine.dispatch(bash("ls"), &StepContext::new("inner")).await;
                Ok(if gate.is_cleared() { Verdict::none() } else { Verdict::deny("inner") })
            })
        });
        Arc::new(crate::support::engine([hook]))
    });
    for (slot, engine) in slots.iter().zip(&engines) {
        slot.set(Arc::clone(engine)).unwrap();
    }
    assert_eq!(engines[0].dispatch(bash("ls"), &context()).await.outcome(), Outcome::Deny);
    assert!((2..100).contains(&calls.load(Ordering::Relaxed)));
}

#[tokio::test]
async fn a_hook_may_dispatch_another_event_and_at_another_engine() {
    let judge = crate::support::engine([sync("inner", |_| Ok(Verdict::none()))]);
    let judge = Arc::new(judge);
    let engine = known(|slot| {
        let outer = waiting("outer", move |_| {
            let (engine, judge) = (Arc::clone(slot.get().unwrap()), Arc::clone(&judge));
            Box::pin(async move {
                let context = StepContext::new("inner");
                let of_judge = judge.dispatch(bash("ls"), &context).await;
                let stop = hookgate::contract::payload::SessionEnd::new("done");
                let _ = engine.dispatch(stop, &context).await;
                Ok(if of_judge.is_cleared() { Verdict::none() } else { Verdict::deny("inner") })
            })
        });
        let at_end = Hook::sync("end", |_| Ok(Verdict::none())).event(Event::SessionEnd);
        crate::support::engine([outer, at_end])
    });
    assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
}

/// Polls a dispatch once.
fn dispatch_once(slot: &Slot) -> Outcome {
    let context = StepContext::new("inner");
    let mut inner = slot.get().unwrap().dispatch(bash("ls"), &context);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(&mut inner).poll(&mut cx) {
        std::task::Poll::Ready(gate) => gate.outcome(),
        std::task::Poll::Pending => panic!("nothing waits"),
    }
}

/// Dispatches wherever it is called.
struct Dispatches {
    slot: Slot,
    inner: Arc<Mutex<Vec<Outcome>>>,
    required: bool,
}

impl Dispatches {
    fn dispatch(&self) {
        let outcome = dispatch_once(&self.slot);
        self.inner.lock().unwrap().push(outcome);
    }
}

impl Recorder for Dispatches {
    fn record(&self, _: Record) -> Result<(), RecordLost> {
        self.dispatch();
        Ok(())
    }

    fn is_required(&self) -> bool {
        self.dispatch();
        self.required
    }

    fn ready(&self) -> Option<ReadyFuture<'_>> {
        self.dispatch();
        Some(Box::pin(async { self.dispatch() }))
    }

    fn wants_envelope(&self) -> bool {
        self.dispatch();
        true
    }
}

#[tokio::test]
async fn no_step_that_a_recorder_dispatches_goes_on_whether_a_hook_is_there_or_not() {
    for (hooks, required) in [(true, false), (false, false), (false, true)] {
        let inner = Arc::<Mutex<Vec<Outcome>>>::default();
        let engine = known(|slot| {
            let recorder = Dispatches { slot, inner: Arc::clone(&inner), required };
            let hooks = hooks.then(|| sync("silent", |_| Ok(Verdict::none())));
            crate::support::engine(hooks).with_recorder(recorder)
        });
        assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
        assert_eq!(*inner.lock().unwrap(), [Outcome::Deny; 4], "{hooks}");
    }
}

#[tokio::test]
async fn a_recorder_that_dispatches_ends_nothing() {
    let calls = Arc::new(AtomicUsize::new(0));
    let engine = known(|slot| {
        let calls = Arc::clone(&calls);
        let recorder = move |_: Record| {
            calls.fetch_add(1, Ordering::Relaxed);
            let context = StepContext::new("inner");
            let mut inner = slot.get().unwrap().dispatch(bash("ls"), &context);
            let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
            let polled = std::pin::Pin::new(&mut inner).poll(&mut cx);
            assert!(matches!(polled, std::task::Poll::Ready(Gate::Denied(_))));
        };
        crate::support::engine([sync("silent", |_| Ok(Verdict::none()))]).with_recorder(recorder)
    });
    assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}
