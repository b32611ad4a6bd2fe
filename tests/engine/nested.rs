//! Promise: a hook or a recorder that dispatches the event that it is at ends no process: the step is denied, and the
//! step whose hook has dispatched it.

use std::sync::{Arc, Mutex, OnceLock};

use hookgate::contract::payload::{Payload, Stop, UserPromptSubmit};
use hookgate::recorder::{ReadyFuture, Record, RecordLost, Recorder};
use hookgate::{
    Contract, Engine, Event, EventKind, Gate, Hook, HookEngine, Outcome, StepContext, Verdict,
};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{bash, context, sync, waiting};

type Slot = Arc<OnceLock<Arc<Engine>>>;

/// What came of the steps that hooks have dispatched: an assertion in a hook would only be its failure.
type Seen = Arc<Mutex<Vec<Outcome>>>;

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
fn dispatches(slot: Slot, yields: bool, inner: &Seen) -> Hook {
    let inner = Arc::clone(inner);
    waiting("again", move |_| {
        let (engine, inner) = (Arc::clone(slot.get().unwrap()), Arc::clone(&inner));
        Box::pin(async move {
            if yields {
                tokio::task::yield_now().await;
            }
            let gate = engine.dispatch(bash("ls"), &StepContext::new("inner")).await;
            inner.lock().unwrap().push(gate.outcome());
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
        let inner = Seen::default();
        let engine = known(|slot| crate::support::engine([dispatches(slot, yields, &inner)]));
        let gate = engine.dispatch(bash("ls"), &context()).await;
        assert_eq!(gate.outcome(), Outcome::Deny);
        assert_eq!(*inner.lock().unwrap(), [Outcome::Deny]);
        assert!(reason(&gate).contains("must not dispatch the event that it is at"), "{gate:?}");
        let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
        assert_eq!((gate.outcome(), report.decision), (Outcome::Deny, Outcome::Deny));
        assert_eq!(report.votes.len(), 1);
    }
    // One that answers at once, and drives the future itself.
    let inner_steps = Seen::default();
    let engine = known(|slot| {
        let inner_steps = Arc::clone(&inner_steps);
        let again = move |_: hookgate::Invocation<'_>| {
            let context = StepContext::new("inner");
            let mut inner = slot.get().unwrap().dispatch(bash("ls"), &context);
            let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
            let std::task::Poll::Ready(gate) = std::pin::Pin::new(&mut inner).poll(&mut cx) else {
                panic!("a hook that answers at once waits");
            };
            inner_steps.lock().unwrap().push(gate.outcome());
            Ok(Verdict::none())
        };
        crate::support::engine([sync("again", again)])
    });
    let gate = engine.dispatch(bash("ls"), &context()).await;
    assert_eq!(gate.outcome(), Outcome::Deny);
    assert!(reason(&gate).contains("pre_tool_use"), "{gate:?}");
    assert_eq!(*inner_steps.lock().unwrap(), [Outcome::Deny]);
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

static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
static RELEASE: Contract = Contract::custom("x.release", EventKind::Gate);

#[derive(Debug, Clone, serde::Serialize)]
struct Deploy;

impl Payload for Deploy {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }
}

hookgate::hook_step!(Deploy: &DEPLOY => Cleared, Denied);

#[derive(Debug, Clone, serde::Serialize)]
struct Release;

impl Payload for Release {
    fn contract(&self) -> &'static Contract {
        &RELEASE
    }
}

hookgate::hook_step!(Release: &RELEASE => Cleared, Denied);

#[derive(Debug, Clone, Copy)]
enum Kind {
    Tool,
    Prompt,
    Stop,
    Deploy,
    Release,
}

/// Which step a hook dispatches, and at which engine.
type Link = (usize, Kind);

/// Engines whose hooks dispatch one step inside of the other.
#[derive(Default)]
struct Chain {
    engines: OnceLock<Vec<Engine>>,
    rest: Mutex<std::collections::VecDeque<Link>>,
    called: AtomicUsize,
}

impl Chain {
    /// Dispatches the next step, if there is one.
    async fn go_on(&self) -> Option<Outcome> {
        let (engine, kind) = self.rest.lock().unwrap().pop_front()?;
        let (engine, context) = (&self.engines.get().unwrap()[engine], StepContext::new("s"));
        Some(match kind {
            Kind::Tool => engine.dispatch(bash("ls"), &context).await.outcome(),
            Kind::Prompt => engine.dispatch(UserPromptSubmit::new("hi"), &context).await.outcome(),
            Kind::Stop => engine.dispatch(Stop::new(), &context).await.outcome(),
            Kind::Deploy => engine.dispatch(Deploy, &context).await.outcome(),
            Kind::Release => engine.dispatch(Release, &context).await.outcome(),
        })
    }

    fn hook(self: &Arc<Self>) -> Hook {
        let chain = Arc::downgrade(self);
        let hook = waiting("over", move |_| {
            let chain = chain.upgrade().unwrap();
            Box::pin(async move {
                chain.called.fetch_add(1, Ordering::Relaxed);
                chain.go_on().await;
                Ok(Verdict::none())
            })
        });
        let hook = hook.event(Event::UserPromptSubmit).event(Event::Stop);
        hook.custom_event("x.deploy").custom_event("x.release")
    }
}

/// Returns how many steps of a chain came to their hook, and what became of the first.
async fn come_to_their_hook(links: &[Link]) -> (usize, Outcome) {
    let chain = Arc::<Chain>::default();
    chain.rest.lock().unwrap().extend(links);
    let engine = |_| {
        let mut builder = hookgate::HandlerTable::builder();
        builder.contract(&DEPLOY).contract(&RELEASE).insert(chain.hook());
        Engine::new(builder.build().unwrap())
    };
    let count = links.iter().map(|(engine, _)| engine + 1).max().unwrap();
    chain.engines.set((0..count).map(engine).collect()).ok().unwrap();
    let outcome = chain.go_on().await.unwrap();
    (chain.called.load(Ordering::Relaxed), outcome)
}

#[tokio::test]
async fn a_step_is_refused_where_its_event_is_evaluated_at_its_engine_however_far_outside() {
    use Kind::{Deploy, Prompt, Release, Stop, Tool};
    for links in [
        &[(0, Tool), (0, Tool)][..],
        &[(0, Deploy), (0, Deploy)],
        &[(0, Tool), (0, Stop), (0, Tool)],
        &[(0, Tool), (0, Stop), (0, Stop)],
        &[(0, Tool), (0, Stop), (0, Prompt), (0, Stop)],
        &[(0, Tool), (0, Deploy), (0, Tool)],
        &[(0, Deploy), (0, Tool), (0, Deploy)],
        &[(0, Deploy), (0, Tool), (0, Tool)],
        &[(0, Deploy), (0, Tool), (0, Stop), (0, Deploy)],
        &[(0, Deploy), (0, Release), (0, Release)],
        &[(0, Tool), (1, Tool), (1, Stop), (1, Tool)],
        &[(0, Tool), (1, Deploy), (1, Deploy)],
    ] {
        let called = links.len() - 1;
        let (found, outcome) = come_to_their_hook(links).await;
        assert_eq!(found, called, "{links:?}");
        // What has dispatched the one that is refused is denied; the others go on.
        let first = if called == 1 { Outcome::Deny } else { Outcome::Allow };
        assert_eq!(outcome, first, "{links:?}");
    }
    for links in [
        &[(0, Tool), (0, Stop), (0, Prompt)][..],
        &[(0, Deploy), (0, Release)],
        &[(0, Deploy), (0, Tool), (0, Release)],
        &[(0, Tool), (1, Tool)],
        &[(0, Tool), (1, Stop), (1, Tool)],
        &[(0, Deploy), (1, Deploy)],
        &[(0, Deploy), (1, Tool), (1, Deploy)],
    ] {
        assert_eq!(come_to_their_hook(links).await, (links.len(), Outcome::Allow), "{links:?}");
    }
}

#[tokio::test]
async fn no_more_than_sixteen_dispatches_are_inside_of_each_other() {
    for (links, called) in [(16, 16), (17, 16)] {
        let links: Vec<_> = (0..links).map(|engine| (engine, Kind::Tool)).collect();
        assert_eq!(come_to_their_hook(&links).await, (called, Outcome::Allow));
    }
}

#[tokio::test]
async fn a_hook_that_dispatches_its_own_event_twice_is_no_less_a_failure() {
    let engine = known(|slot| {
        let twice = move |_: hookgate::Invocation<'_>| {
            assert_eq!([(); 2].map(|()| dispatch_once(&slot)), [Outcome::Deny; 2]);
            Ok(Verdict::none())
        };
        crate::support::engine([sync("twice", twice)])
    });
    assert_eq!(engine.dispatch(bash("ls"), &context()).await.outcome(), Outcome::Deny);
}

/// Two engines: a hook, or the recorder, of the first dispatches at the second, whose recorder has a record of it.
#[tokio::test]
async fn a_step_that_is_dispatched_at_another_engine_is_recorded_there() {
    for by_recorder in [false, true] {
        let records = Arc::new(AtomicUsize::new(0));
        let inner = Arc::<Mutex<Vec<Outcome>>>::default();
        let second = known(|slot| {
            let (records, inner) = (Arc::clone(&records), Arc::clone(&inner));
            let recorder = move |_: Record| {
                records.fetch_add(1, Ordering::Relaxed);
                // At its own engine it may not.
                inner.lock().unwrap().push(dispatch_once(&slot));
            };
            let silent = sync("silent", |_| Ok(Verdict::none()));
            crate::support::engine([silent]).with_recorder(recorder)
        });
        let slot = Slot::default();
        slot.set(second).unwrap();
        let outer = Arc::clone(&slot);
        let hook = sync("over", move |_| {
            if !by_recorder {
                assert_eq!(dispatch_once(&outer), Outcome::Allow);
            }
            Ok(Verdict::none())
        });
        let first = crate::support::engine([hook]).with_recorder(move |_: Record| {
            if by_recorder {
                assert_eq!(dispatch_once(&slot), Outcome::Allow);
            }
        });
        assert!(first.dispatch(bash("ls"), &context()).await.is_cleared());
        assert_eq!(records.load(Ordering::Relaxed), 1, "{by_recorder}");
        assert_eq!(*inner.lock().unwrap(), [Outcome::Deny], "{by_recorder}");
    }
}
