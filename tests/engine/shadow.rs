//! Promise: a table in shadow judges what the table in force decides, delays nothing, changes nothing, and is put in
//! force only if it was compared with what is in force.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use hookgate::contract::json::Integers;
use hookgate::contract::{BuiltHandler, VerdictDecision};
use hookgate::engine::shadow::{PromoteError, Shadow, ShadowDelta, ShadowError};
use hookgate::envelope::Incoming;
use hookgate::recorder::{Channel, Records};
use hookgate::require::Require;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine as _, Outcome, Report, Verdict};

use crate::support::{bash, context, corpus, sync};

/// The deltas of a shadow.
#[derive(Clone, Default)]
struct Deltas(Arc<Mutex<Vec<ShadowDelta>>>);

impl Deltas {
    fn begin(&self, engine: &Arc<Engine>, table: HandlerTable, capacity: usize) -> Shadow {
        self.try_begin(engine, table, capacity).unwrap()
    }

    fn try_begin(
        &self,
        engine: &Arc<Engine>,
        table: HandlerTable,
        capacity: usize,
    ) -> Result<Shadow, ShadowError> {
        let deltas = Arc::clone(&self.0);
        engine.shadow(table, capacity, move |delta| deltas.lock().unwrap().push(delta))
    }

    fn take(&self) -> Vec<ShadowDelta> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn table(hooks: impl IntoIterator<Item = Hook>) -> HandlerTable {
    let mut builder = HandlerTable::builder();
    builder.extend(hooks);
    builder.build().unwrap()
}

fn denies(id: &str) -> Hook {
    sync(id, |_| Ok(Verdict::deny("no")))
}

/// Denies at every event at which it can.
fn deny_all() -> HandlerTable {
    let can_deny = |event: &Event| event.contract().allows(VerdictDecision::Deny);
    let events = Event::NAMED.into_iter().filter(can_deny);
    table([Hook::sync("no", |_| Ok(Verdict::deny("no"))).events(events)])
}

/// Denies what removes.
fn policy() -> HandlerTable {
    let guard = sync("no-rm", |call| {
        let is_rm = crate::support::command(call).contains("rm ");
        Ok(if is_rm { Verdict::deny("no rm") } else { Verdict::none() })
    });
    table([guard.tool("Bash")])
}

/// The steps of the recorded sessions; nothing where they are not there.
fn recorded_steps() -> Vec<String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = ["session-small.steps.jsonl", "session-a.steps.jsonl"];
    let files = names.into_iter().filter_map(|name| corpus::corpus(repository, name));
    files
        .flat_map(|file| {
            std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

async fn evaluate(engine: &Engine, line: &str) -> Report {
    let mut incoming = Incoming::parse_with(line.as_bytes(), Integers::default()).unwrap();
    engine.evaluate(&mut incoming).await.stable(false)
}

#[tokio::test]
async fn a_deny_all_shadow_changes_no_decision_and_its_deltas_are_a_comparison_of_two_runs() {
    let steps = recorded_steps();
    let (plain, other) = (Engine::new(policy()), Engine::new(deny_all()));
    let live = Arc::new(Engine::new(policy()));
    let deltas = Deltas::default();
    let shadow = deltas.begin(&live, deny_all(), steps.len().max(1));
    let mut expected = Vec::new();
    for step in &steps {
        let (alone, shadowed) = (evaluate(&plain, step).await, evaluate(&live, step).await);
        assert_eq!(alone.decision, shadowed.decision);
        assert_eq!((&alone.by, &alone.final_fields), (&shadowed.by, &shadowed.final_fields));
        let would = evaluate(&other, step).await;
        if would.decision != alone.decision {
            expected.push((shadowed.step_id.clone(), alone.decision, would.decision, would.by));
        }
    }
    shadow.settle().await;
    let found: Vec<_> = deltas
        .take()
        .into_iter()
        .map(|delta| (delta.step_id, delta.live.decision, delta.shadow.decision, delta.shadow.by))
        .collect();
    assert_eq!(found, expected);
    let counts = shadow.stop();
    assert_eq!((counts.judged, counts.dropped), (steps.len() as u64, 0));
    assert_eq!(counts.different, expected.len() as u64);
    if !steps.is_empty() {
        assert!(counts.different > 100, "{counts:?}");
        assert!(counts.same > 0, "the control: not every event can be denied, {counts:?}");
    }
}

#[tokio::test]
async fn a_shadow_that_blocks_delays_nothing_and_what_has_no_room_is_counted() {
    let (entered, has_entered) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let blocking = sync("blocking", move |_| {
        entered.send(()).unwrap();
        released.lock().unwrap().recv().unwrap();
        Ok(Verdict::deny("at last"))
    });
    let engine = Arc::new(Engine::without_hooks());
    let deltas = Deltas::default();
    let shadow = deltas.begin(&engine, table([blocking]), 2);
    assert!(engine.dispatch(bash("ls 0"), &context()).await.is_cleared());
    has_entered.recv().unwrap();
    // It is in its hook now. Two steps have room, three have not.
    for n in 1..6 {
        assert!(engine.dispatch(bash(&format!("ls {n}")), &context()).await.is_cleared());
    }
    assert_eq!((shadow.counts().judged, shadow.counts().dropped), (0, 3));
    for _ in 0..3 {
        release.send(()).unwrap();
    }
    shadow.settle().await;
    assert_eq!((shadow.counts().judged, shadow.counts().dropped), (3, 3));
    assert_eq!(deltas.take().len(), 3);
}

#[tokio::test]
async fn an_engine_costs_again_what_it_did_when_the_shadow_has_ended() {
    let engine = Arc::new(Engine::new(policy()));
    for stops in [true, false] {
        let shadow = Deltas::default().begin(&engine, deny_all(), 8);
        assert_eq!(engine.generation(), 1, "it is no swap");
        assert!(engine.armed(Event::Stop), "no step passes unseen");
        if stops {
            shadow.stop();
        } else {
            drop(shadow);
        }
        assert!(!engine.armed(Event::Stop) && engine.armed(Event::PreToolUse));
    }
}

#[tokio::test]
async fn an_engine_has_one_shadow_and_keeps_it_over_swaps() {
    let engine = Arc::new(Engine::without_hooks());
    let deltas = Deltas::default();
    let shadow = deltas.begin(&engine, deny_all(), 8);
    let second = deltas.try_begin(&engine, deny_all(), 8);
    assert!(matches!(second, Err(ShadowError::Already)), "{second:?}");
    engine.swap(policy());
    assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
    shadow.settle().await;
    let [delta] = &deltas.take()[..] else { panic!() };
    assert_eq!((delta.live.decision, delta.shadow.decision), (Outcome::Allow, Outcome::Deny));
    assert_eq!(delta.tool_name.as_deref(), Some("Bash"));
    shadow.stop();
    // The control: there is room for another one now.
    assert!(deltas.try_begin(&engine, deny_all(), 8).is_ok());
}

#[tokio::test]
async fn a_table_is_promoted_unless_another_one_was_put_in_force() {
    let engine = Arc::new(Engine::new(policy()));
    let shadow = Deltas::default().begin(&engine, deny_all(), 8);
    assert_eq!(shadow.promote().unwrap(), 2);
    assert!(!engine.dispatch(bash("ls"), &context()).await.is_cleared());
    assert!(!engine.armed(Event::SessionEnd), "the shadow has ended");

    let engine = Arc::new(Engine::new(policy()));
    let shadow = Deltas::default().begin(&engine, deny_all(), 8);
    engine.swap(policy());
    let refused = shadow.promote().unwrap_err();
    let PromoteError::Swapped(swapped) = &refused else { panic!("{refused}") };
    assert_eq!((swapped.expected(), swapped.found()), (shadow.begun(), engine.generation()));
    assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
    shadow.settle().await;
    assert_eq!(shadow.counts().different, 1, "it goes on");
}

/// A hook of a handler that is external, and counts its calls.
fn external(calls: &Arc<AtomicUsize>) -> Hook {
    let calls = Arc::clone(calls);
    let denies = BuiltHandler::sync(move |_| {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(Verdict::deny("no"))
    });
    Hook::new("external", "test", denies.external()).event(Event::PreToolUse)
}

#[tokio::test]
async fn an_external_hook_is_called_in_shadow_only_if_it_is_pure() {
    for (pure, called) in [(false, 0), (true, 1)] {
        let calls = Arc::default();
        let engine = Arc::new(Engine::without_hooks());
        let deltas = Deltas::default();
        let next = table([external(&calls).pure(pure), denies("own")]);
        let hash = next.config_hash();
        let shadow = deltas.begin(&engine, next, 8);
        assert_eq!(shadow.not_called().count(), 1 - called);
        assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
        shadow.settle().await;
        let [delta] = &deltas.take()[..] else { panic!() };
        assert_eq!(delta.not_called.len(), 1 - called, "a delta names it");
        assert_eq!(shadow.counts().incomplete, 1 - called as u64);
        let decided = if pure { "external" } else { "own" };
        assert_eq!(
            (calls.load(Ordering::Relaxed), &*delta.shadow.by),
            (called, &[decided.into()][..])
        );
        // What is promoted calls it.
        shadow.promote().unwrap();
        assert_eq!(engine.table().config_hash(), hash);
        assert!(!engine.dispatch(bash("ls"), &context()).await.is_cleared());
        assert_eq!(calls.load(Ordering::Relaxed), called + 1);
    }
}

#[tokio::test]
async fn a_shadow_does_not_disturb_a_recorder() {
    let recorded = || -> (Arc<Engine>, Records) {
        let (channel, records) = Channel::waiting(8);
        (Arc::new(Engine::new(policy()).with_recorder(channel.with_envelopes())), records)
    };
    let ((alone, mut of_alone), (engine, mut of_engine)) = (recorded(), recorded());
    let shadow = Deltas::default().begin(&engine, deny_all(), 8);
    for command in ["ls", "rm -r x"] {
        let context = context().step_id("s-1");
        drop(alone.dispatch(bash(command), &context).await);
        drop(engine.dispatch(bash(command), &context).await);
        let records = (of_alone.next().await.unwrap(), of_engine.next().await.unwrap());
        assert_eq!(records.0.report.stable(false), records.1.report.stable(false));
    }
    shadow.settle().await;
    assert_eq!(shadow.counts().judged, 2);
    shadow.stop();
    // The control: the recorder is still there.
    drop(engine.dispatch(bash("ls"), &context()).await);
    assert!(of_engine.next().await.is_some() && of_engine.try_next().is_none());
}

#[tokio::test]
async fn a_dispatch_that_is_dropped_is_not_judged() {
    let never = crate::support::waiting("never", |_| Box::pin(std::future::pending()));
    let engine = Arc::new(Engine::new(table([never])));
    let shadow = Deltas::default().begin(&engine, deny_all(), 1);
    let context = context();
    let dispatch = engine.dispatch(bash("ls"), &context);
    let short = std::time::Duration::from_millis(20);
    assert!(tokio::time::timeout(short, dispatch).await.is_err());
    engine.swap(HandlerTable::empty());
    // Its room is free again.
    drop(engine.dispatch(bash("ls"), &context).await);
    shadow.settle().await;
    assert_eq!((shadow.counts().judged, shadow.counts().dropped), (1, 0));
}

#[tokio::test]
async fn a_shadow_meets_what_the_engine_requires() {
    let require = || Require::default().event(Event::PreToolUse);
    for (requires, would) in [(true, Outcome::Deny), (false, Outcome::Allow)] {
        let engine = Arc::new(Engine::new(policy()));
        if requires {
            engine.set_require(require()).unwrap();
        }
        let deltas = Deltas::default();
        let shadow = deltas.begin(&engine, HandlerTable::empty(), 8);
        drop(engine.dispatch(bash("ls"), &context()).await);
        shadow.settle().await;
        let found = deltas.take().first().map_or(Outcome::Allow, |delta| delta.shadow.decision);
        assert_eq!(found, would);
    }
}

#[test]
fn a_shadow_needs_a_runtime() {
    let engine = Arc::new(Engine::without_hooks());
    let shadow = Deltas::default().try_begin(&engine, deny_all(), 8);
    assert!(matches!(shadow, Err(ShadowError::NoRuntime)), "{shadow:?}");
}
