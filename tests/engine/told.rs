//! Promise: what takes a guard away is told: a tool whose result no hook has seen, a layer around a handler, and
//! another hook under the id of one that is required.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::contract::payload::Payload;
use hookgate::contract::{BuiltHandler, Contract, EventKind, Handler};
use hookgate::require::Require;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine as _, Invocation, Verdict};
use serde_json::Value;

use crate::spans::Capture;
use crate::support::{bash, context, engine, sync};

/// What is logged as a warning meanwhile.
fn warnings(act: impl FnOnce()) -> Vec<String> {
    let capture = Capture::at(tracing::Level::WARN);
    tracing::subscriber::with_default(capture.clone(), act);
    capture.events()
}

#[test]
fn a_tool_whose_result_is_dropped_is_told() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let engine = Engine::without_hooks();
    let cleared = || {
        let dispatch = async { engine.dispatch(bash("ls"), &context()).await };
        runtime.block_on(dispatch).cleared().unwrap()
    };
    let told = warnings(|| drop(cleared().start()));
    let [event] = &told[..] else { panic!("{told:?}") };
    assert!(event.contains("tool=\"Bash\""), "{event}");
    assert!(event.contains("was not handed to `finish`"), "{event}");
    // So is one whose executor is stopped.
    let told = warnings(|| {
        let never = async |_: &Value| std::future::pending::<Result<String, String>>().await;
        let running = cleared().run(never);
        let run = async { tokio::time::timeout(Duration::ZERO, running).await };
        assert!(runtime.block_on(run).is_err());
    });
    assert_eq!(told.len(), 1, "{told:?}");
    // The control: one that is finished is not.
    assert!(warnings(|| drop(cleared().start().finish(Ok::<_, String>("done")))).is_empty());
}

fn denies() -> Hook {
    sync("guard", |_| Ok(Verdict::deny("no")))
}

/// A layer that does not call the handler.
fn mute(_: Handler) -> Handler {
    Handler::Sync(Arc::new(|_: Invocation<'_>| Ok(Verdict::none())))
}

#[tokio::test]
async fn a_layer_is_part_of_the_hook() {
    let plain = HandlerTable::builder().insert(denies()).build().unwrap();
    let muted = HandlerTable::builder().insert(denies().map_handler(mute)).build().unwrap();
    assert_ne!(plain.config_hash(), muted.config_hash());
    assert!(!plain.is_same_as(&muted));
    let listed = |table: &HandlerTable| table.listing().next().unwrap().layers();
    assert_eq!((listed(&plain), listed(&muted)), (0, 1));
    for (table, layers) in [(plain, 0), (muted, 1)] {
        let (_, report) = Engine::new(table).dispatch_reported(bash("ls"), &context()).await;
        assert_eq!(report.votes[0].layers, layers);
        let json = serde_json::to_value(&report.votes[0]).unwrap();
        assert_eq!(json.get("layers").and_then(Value::as_u64).unwrap_or(0), u64::from(layers));
    }
}

#[test]
fn another_hook_under_the_id_of_a_required_one_is_told() {
    let engine = engine([denies()]);
    engine.set_require(Require::default().hook("guard")).unwrap();
    let change = |hook: Hook| {
        warnings(|| {
            engine
                .edit(|table| {
                    table.replace(hook.clone());
                })
                .unwrap();
        })
    };
    // A handler of a kind of the host, which says of itself what a closure says.
    let of_kind = || {
        let mut built = BuiltHandler::sync(|_| Ok(Verdict::deny("no")));
        built.registration = u64::MAX;
        Hook::new("guard", "rust", built).event(Event::PreToolUse)
    };
    for (what, hook) in [
        ("a handler of a kind", of_kind()),
        ("a closure in its place", denies()),
        ("a closure that does nothing", sync("guard", |_| Ok(Verdict::none()))),
        ("other conditions", denies().tool("never")),
        ("a layer", denies().map_handler(mute)),
    ] {
        let told = change(hook);
        let [event] = &told[..] else { panic!("{what}: {told:?}") };
        assert!(event.contains("hook=\"guard\"") && event.contains("required"), "{what}: {event}");
    }
    // The controls: what a kind builds again of the same settings, a hook that is not required, and an edit that
    // leaves the required one alone.
    assert_eq!(change(of_kind()).len(), 1);
    assert!(change(of_kind()).is_empty());
    assert!(change(sync("other", |_| Ok(Verdict::none()))).is_empty());
}

static SHARED: Contract = Contract::custom("x.shared", EventKind::Gate);

/// A payload that another owner can change while hooks evaluate it, which is forbidden.
#[derive(Clone)]
struct Shared(Arc<AtomicUsize>);

impl serde::Serialize for Shared {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::json!({ "count": self.0.load(Ordering::Relaxed) }).serialize(serializer)
    }
}

impl Payload for Shared {
    fn contract(&self) -> &'static Contract {
        &SHARED
    }
}

hookgate::hook_step!(Shared: &SHARED => Cleared, Denied);

#[test]
fn a_payload_that_changes_while_hooks_evaluate_it_is_told_in_debug_builds() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    for (step, changes) in [(0, false), (1, true)] {
        let other = Arc::clone(&count);
        let hook = Hook::sync("reads", move |invocation: Invocation<'_>| {
            invocation.json()?;
            other.fetch_add(step, Ordering::Relaxed);
            Ok(Verdict::none())
        });
        let mut table = HandlerTable::builder();
        table.contract(&SHARED).insert(hook.custom_event("x.shared"));
        let engine = Engine::new(table.build().unwrap());
        let told = warnings(|| {
            let shared = Shared(Arc::clone(&count));
            assert!(runtime.block_on(engine.dispatch(shared, &context())).is_cleared());
        });
        assert_eq!(
            told.iter().any(|event| event.contains("a payload has changed")),
            changes,
            "{told:?}"
        );
    }
}
