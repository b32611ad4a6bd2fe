//! Promise: what the host brings (payloads, tokens, runtimes) may be broken: a hook fails then, and
//! the task of the host goes on.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookgate::contract::payload::Payload;
use hookgate::contract::{
    AsyncHandler, BuiltHandler, Cancel, Invocation, ReplyFuture, VerdictDecision,
};
use hookgate::matcher::Test;
use hookgate::{
    Contract, Engine, EventKind, FailureClass, Gate, HandlerTable, Hook, HookEngine, Outcome,
    Posture, Role, Verdict,
};

use crate::support::{bash, context, engine, sync, waiting};

static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);

/// A payload that cannot be serialised, and on demand not even cloned.
#[derive(Debug)]
struct Deploy {
    clones: bool,
}

impl Clone for Deploy {
    fn clone(&self) -> Self {
        assert!(self.clones, "no copies");
        Self { clones: true }
    }
}

impl serde::Serialize for Deploy {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("no JSON")
    }
}

impl Payload for Deploy {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }
}

hookgate::hook_step!(Deploy: &DEPLOY => Cleared, Denied);

fn deploys(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let mut builder = hooks.into_iter().collect::<hookgate::table::TableBuilder>();
    builder.contract(&DEPLOY);
    Engine::new(builder.build().unwrap())
}

fn deploy_hook(id: &str, role: Role) -> Hook {
    let silent = BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::none()));
    Hook::new(id, "test", silent).custom_event("x.deploy").role(role)
}

/// Waits for nothing and says nothing.
pub(crate) struct Silent;

impl AsyncHandler for Silent {
    fn handle<'a>(&'a self, _: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async { Ok(Verdict::none()) })
    }
}

fn conditional(hook: Hook) -> Hook {
    hook.payload("/target", Test::equals("prod"))
}

#[tokio::test]
async fn a_payload_that_panics_in_a_condition_is_a_failure_of_the_hook() {
    let guard = || conditional(deploy_hook("guard", Role::Guard));
    let (gate, report) =
        deploys([guard()]).dispatch_reported(Deploy { clones: true }, &context()).await;
    assert!(matches!(gate, Gate::Denied(_)), "{report:?}");
    assert_eq!(report.votes[0].failure, Some(FailureClass::Panic));
    assert_eq!(report.votes[0].detail.as_deref(), Some("the payload panicked: no JSON"));
    // With others beside it, which wait.
    let waits =
        |id| Hook::new(id, "test", BuiltHandler::from_async(Silent)).custom_event("x.deploy");
    let engine = deploys([waits("a"), conditional(waits("b")), waits("c")]);
    let (gate, report) = engine.dispatch_reported(Deploy { clones: true }, &context()).await;
    assert!(matches!(gate, Gate::Denied(_)), "{report:?}");
    assert_eq!(report.by, ["b"]);
    // An observer's failure is reported and decides nothing.
    let observer = conditional(deploy_hook("observer", Role::Observe));
    let (gate, report) =
        deploys([observer]).dispatch_reported(Deploy { clones: true }, &context()).await;
    assert!(gate.cleared().is_some());
    assert_eq!(report.messages, ["the observer `observer` failed (panic)"]);
}

#[tokio::test]
async fn a_payload_that_cannot_be_copied_drops_the_background_call() {
    let hook = deploy_hook("observer", Role::Observe).background(true);
    let engine = deploys([hook]);
    let (gate, report) = engine.dispatch_reported(Deploy { clones: false }, &context()).await;
    assert!(gate.cleared().is_some());
    assert!(report.messages[0].contains("could not be copied"), "{report:?}");
    assert_eq!(engine.background().dropped, 1);
}

struct Broken {
    queried: bool,
}

impl Cancel for Broken {
    fn is_cancelled(&self) -> bool {
        assert!(!self.queried, "is it?");
        false
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        panic!("when?")
    }
}

#[tokio::test]
async fn a_cancellation_that_panics_is_a_failure_of_the_hook() {
    let pending = || waiting("h", |_| Box::pin(std::future::pending()));
    let both = || [pending(), waiting("i", |_| Box::pin(std::future::pending()))];
    for queried in [true, false] {
        let broken = Broken { queried };
        let context = context().cancel(&broken);
        for engine in [engine([pending()]), engine(both())] {
            let (gate, report) = engine.dispatch_reported(bash("x"), &context).await;
            assert!(matches!(gate, Gate::Denied(_)));
            assert_eq!(report.votes[0].failure, Some(FailureClass::Panic), "{report:?}");
            let detail = report.votes[0].detail.as_deref().unwrap();
            assert!(detail.starts_with("the cancellation token panicked"), "{detail}");
        }
        let observer = engine([sync("observer", |_| Ok(Verdict::none())).role(Role::Observe)]);
        let (gate, report) = observer.dispatch_reported(bash("x"), &context).await;
        assert!(gate.cleared().is_some());
        assert!(report.messages.is_empty(), "observers do not look at it");
    }
}

/// The panics that the hook of the process saw on threads of a name.
static PANICS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn outside_of_a_runtime_a_handler_that_waits_fails_and_nothing_panics() {
    const NAME: &str = "no-runtime";
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() == Some(NAME) {
            PANICS.fetch_add(1, Ordering::SeqCst);
        } else {
            before(info);
        }
    }));
    let outside = || {
        let engine = engine([
            waiting("sleeps", |_| {
                Box::pin(async {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    Ok(Verdict::none())
                })
            }),
            sync("at-once", |_| Ok(Verdict::none())),
        ]);
        let context = context();
        let mut dispatch = std::pin::pin!(engine.dispatch_reported(bash("x"), &context));
        match dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready((_, report)) => report,
            Poll::Pending => panic!("it would never be woken"),
        }
    };
    let thread = std::thread::Builder::new().name(NAME.into()).spawn(outside).unwrap();
    let report = thread.join().unwrap();
    assert_eq!(report.decision, Outcome::Deny);
    assert_eq!(report.votes[0].failure, Some(FailureClass::Spawn));
    let detail = report.votes[0].detail.as_deref().unwrap();
    assert!(detail.contains("outside of a tokio runtime"), "{detail}");
    assert_eq!(PANICS.load(Ordering::SeqCst), 0, "the host's panic hook saw nothing");
}

/// A command, a service, a judge: all of them need the runtime, and their failures say so.
#[cfg(feature = "command")]
#[test]
fn outside_of_a_runtime_a_command_fails_to_start() {
    let registry = crate::support::registry();
    let text = "[[hook]]\nid = 'c'\nevent = 'pre_tool_use'\ncommand = { argv = ['true'] }\n";
    let loaded = hookgate::config::Loader::new(&registry).parse("t", text, "/".as_ref());
    let table = loaded.unwrap_or_else(|errors| panic!("{errors}")).table;
    let engine = Engine::new(table);
    let context = context();
    let mut dispatch = std::pin::pin!(engine.dispatch_reported(bash("x"), &context));
    let polled = dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready((_, report)) = polled else { panic!("it waits") };
    assert_eq!(report.votes[0].failure, Some(FailureClass::Spawn), "{report:?}");
}

#[test]
fn in_a_runtime_without_its_clock_a_handler_that_waits_fails_with_the_reason() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let engine = engine([waiting("h", |_| Box::pin(std::future::pending()))]);
    let (_, report) = runtime.block_on(engine.dispatch_reported(bash("x"), &context()));
    assert_eq!(report.votes[0].failure, Some(FailureClass::Spawn));
    assert!(report.votes[0].detail.as_deref().unwrap().contains("enable_time"), "{report:?}");
}

#[tokio::test]
async fn the_longest_times_that_a_table_takes_do_not_overflow() {
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    let mut limits = hookgate::table::Limits::default();
    limits.dispatch_deadline = year;
    (limits.background_queue, limits.payload) = (1 << 20, 1 << 40);
    let hook = waiting("h", |_| {
        Box::pin(async {
            tokio::task::yield_now().await;
            Ok(Verdict::none())
        })
    });
    let mut builder = HandlerTable::builder();
    builder.limits(limits).insert(hook.timeout(year));
    let engine = Engine::new(builder.build().unwrap());
    assert!(engine.dispatch(bash("x"), &context()).await.cleared().is_some());
    // What no table takes can still be called directly.
    assert_eq!(engine.drain(Duration::MAX).await.pending, 0);
    let spec = sync("h", |_| Ok(Verdict::none())).timeout(Duration::MAX);
    assert!(spec.build().check_live(&hookgate::table::Limits::default()).await.is_none());
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("on the way out");
    }
}

/// Waits for ever, and panics when it is stopped.
fn stuck(id: &str) -> Hook {
    let hook = waiting(id, |_| {
        let held = PanicsWhenDropped;
        Box::pin(async move {
            let _held = held;
            std::future::pending().await
        })
    });
    hook.timeout(Duration::from_millis(50)).on_failure(Posture::Allow)
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_when_it_is_stopped_has_failed_by_that() {
    for hooks in [vec![stuck("a")], vec![stuck("a"), stuck("b")]] {
        let count = hooks.len();
        let engine = engine(hooks);
        let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
        assert!(gate.is_cleared());
        let failures: Vec<_> = report.votes.iter().map(|vote| vote.failure).collect();
        assert_eq!(failures, vec![Some(FailureClass::Panic); count]);
    }
}

#[tokio::test]
async fn a_dispatch_that_is_dropped_ends_no_host_though_its_handlers_panic() {
    for hooks in [vec![stuck("a")], vec![stuck("a"), stuck("b")]] {
        let (engine, context) = (engine(hooks), context());
        let mut dispatch = Box::pin(engine.dispatch(bash("x"), &context));
        let polled = dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        drop(dispatch);
    }
}

/// Keeps what it has read of an answer when it is stopped.
struct Reads<'a>(Invocation<'a>, Option<VerdictDecision>);

impl Drop for Reads<'_> {
    fn drop(&mut self) {
        self.0.keep_salvaged(self.1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_half_answer_that_lets_nothing_happen_counts_when_the_time_is_over() {
    for (read, outcome) in [
        (Some(VerdictDecision::Halt), Outcome::Halt),
        (Some(VerdictDecision::Deny), Outcome::Deny),
        (Some(VerdictDecision::Ask), Outcome::Ask),
        (Some(VerdictDecision::Allow), Outcome::Allow),
        (None, Outcome::Allow),
    ] {
        let hook = waiting("h", move |call| {
            let reads = Reads(call, read);
            Box::pin(async move {
                let _reads = reads;
                std::future::pending().await
            })
        });
        let engine = engine([hook.timeout(Duration::from_millis(50)).on_failure(Posture::Allow)]);
        let (gate, report) = engine.dispatch_reported(bash("x"), &context()).await;
        assert_eq!(gate.outcome(), outcome, "{read:?}");
        assert_eq!(report.votes[0].failure, Some(FailureClass::Timeout));
        // What does not count is told.
        let told: &[&str] = match outcome {
            Outcome::Allow => &["the hook `h` failed (timeout) and was not enforced"],
            _ => &[],
        };
        assert_eq!(report.messages, told, "{read:?}");
    }
}
