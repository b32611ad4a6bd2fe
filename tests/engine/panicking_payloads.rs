//! Promise: whatever method of an embedder's payload panics, wherever the engine calls it, the step is not cleared,
//! the task of the host goes on, and the record says so.

use std::sync::{Arc, Mutex};

use hookgate::contract::json::JsonType;
use hookgate::contract::payload::{FieldRef, Payload, ToolCall};
use hookgate::contract::{BuiltHandler, Contract, PatchField};
use hookgate::matcher::Test;
use hookgate::recorder::Record;
use hookgate::{
    Engine, Event, EventKind, Gate, HandlerTable, Hook, HookEngine, Outcome, Role, Verdict,
    hook_step,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::guarded_calls::Silent;
use crate::support::{context, waiting};

const FIELDS: &[PatchField] = &[PatchField::new("args", JsonType::Object)];
static JOB: Contract = Contract::custom("x.job", EventKind::Gate).takes_patch(FIELDS);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    None,
    Tool,
    Set,
    SetAfterwards,
    Copy,
    Serialize,
    Typed,
}

/// Panics in one of its methods.
#[derive(Debug)]
struct Job {
    panics: Method,
    was_set: bool,
}

impl Job {
    fn at(&self, method: Method) {
        assert!(self.panics != method, "{method:?}");
    }
}

impl Clone for Job {
    fn clone(&self) -> Self {
        self.at(Method::Copy);
        Self { ..*self }
    }
}

impl Serialize for Job {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.at(Method::Serialize);
        if self.was_set {
            self.at(Method::SetAfterwards);
        }
        json!({"args": {}, "was_set": self.was_set}).serialize(serializer)
    }
}

impl Payload for Job {
    fn contract(&self) -> &'static Contract {
        &JOB
    }

    fn tool(&self) -> Option<&ToolCall> {
        self.at(Method::Tool);
        None
    }

    fn typed(&self) -> &dyn std::any::Any {
        self.at(Method::Typed);
        self
    }

    fn field(&self, _: &str) -> Option<FieldRef<'_>> {
        None
    }

    fn set(&mut self, _: &str, _: Value) -> Option<&'static str> {
        self.at(Method::Set);
        self.was_set = true;
        Some("args")
    }
}

hook_step!(Job: &JOB => Cleared, Denied);

/// A guard that reads the whole step, one that reads nothing, a rewriter and an observer: those that `which` names.
fn hooks(which: &str) -> Vec<Hook> {
    let at = |hook: Hook| hook.custom_event("x.job");
    let all = [
        ("reads", at(Hook::sync("reads", |call| call.json().map(|_| Verdict::none())))),
        (
            "looks",
            at(Hook::sync("looks", |_| Ok(Verdict::none())).payload("/args/x", Test::equals(1))),
        ),
        ("blind", at(Hook::sync("blind", |_| Ok(Verdict::none())))),
        (
            "sets",
            at(Hook::sync("sets", |_| Ok(Verdict::none().patch("args", json!({"x": 1})))))
                .role(Role::Rewrite),
        ),
        ("waits", at(Hook::new("waits", "test", BuiltHandler::from_async(Silent)))),
    ];
    all.into_iter().filter(|(name, _)| which.contains(name)).map(|(_, hook)| hook).collect()
}

/// The outcome of a dispatch in each of the ways that there are.
async fn outcomes(which: &str, panics: Method) -> Vec<Outcome> {
    let table = || {
        let mut table = HandlerTable::builder();
        table.contract(&JOB);
        for hook in hooks(which) {
            table.insert(hook);
        }
        table.build().unwrap()
    };
    let job = || Job { panics, was_set: false };
    let plain = Engine::new(table());
    let mut all = vec![plain.dispatch(job(), &context()).await.outcome()];
    let (gate, report) = plain.dispatch_reported(job(), &context()).await;
    assert_eq!(report.decision, gate.outcome());
    all.push(gate.outcome());
    let shared: &dyn hookgate::engine::DynHookEngine = &plain;
    all.push(shared.dispatch(job(), &context()).await.outcome());
    let records = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&records);
    let recorded = Engine::new(table())
        .with_recorder(move |record: Record| kept.lock().unwrap().push(record.report.decision));
    let gate = recorded.dispatch(job(), &context()).await;
    assert_eq!(*records.lock().unwrap(), [gate.outcome()], "{which} {panics:?}");
    all.push(gate.outcome());
    // The engine is as good as before.
    assert!(matches!(
        plain.dispatch(Job { panics: Method::None, was_set: false }, &context()).await,
        Gate::Cleared(_)
    ));
    all
}

#[tokio::test]
async fn a_payload_that_panics_is_denied_and_recorded() {
    for (which, method) in [
        ("blind", Method::Tool),
        ("waits", Method::Tool),
        ("blind waits sets reads looks", Method::Tool),
        ("sets", Method::Set),
        ("sets waits", Method::Set),
        ("sets", Method::Copy),
        ("sets waits", Method::Copy),
        ("sets", Method::SetAfterwards),
        ("sets waits blind", Method::SetAfterwards),
        ("reads", Method::Serialize),
        ("looks", Method::Serialize),
        ("looks waits", Method::Serialize),
        ("sets", Method::Serialize),
    ] {
        assert_eq!(outcomes(which, method).await, [Outcome::Deny; 4], "{which} {method:?}");
        assert_eq!(outcomes(which, Method::None).await, [Outcome::Allow; 4], "{which}");
    }
}

static NOTE: Contract = Contract::custom("x.note", EventKind::Context).may_halt();
static QUESTION: Contract = Contract::custom("x.question", EventKind::Context).may_ask();

/// Panics when it is asked for its tool, at an event where nothing is denied.
#[derive(Debug, Clone, Serialize)]
struct Note;

impl Payload for Note {
    fn contract(&self) -> &'static Contract {
        &NOTE
    }

    fn tool(&self) -> Option<&ToolCall> {
        panic!("which tool?")
    }
}

hook_step!(Note: &NOTE => Cleared, Halted);

/// As [`Note`], where the user can be asked.
#[derive(Debug, Clone, Serialize)]
struct Question;

impl Payload for Question {
    fn contract(&self) -> &'static Contract {
        &QUESTION
    }

    fn tool(&self) -> Option<&ToolCall> {
        panic!("which tool?")
    }
}

hook_step!(Question: &QUESTION => Cleared, Asked);

#[tokio::test]
async fn where_nothing_is_denied_the_step_is_refused_as_the_event_lets_it() {
    let silent = |event: &str| Hook::sync(event, |_| Ok(Verdict::none())).custom_event(event);
    let mut table = HandlerTable::builder();
    table.contract(&NOTE).contract(&QUESTION).insert(silent("x.note"));
    let engine = Engine::new(table.insert(silent("x.question")).build().unwrap());
    let (gate, report) = engine.dispatch_reported(Note, &context()).await;
    assert_eq!((gate.outcome(), report.decision), (Outcome::Halt, Outcome::Halt));
    assert_eq!(engine.dispatch(Question, &context()).await.outcome(), Outcome::Ask);
}

/// Serialises until its target was set and the last hook has read it.
#[derive(Debug)]
struct Worn {
    reads: std::sync::atomic::AtomicUsize,
    last: usize,
}

impl Clone for Worn {
    fn clone(&self) -> Self {
        let reads = self.reads.load(std::sync::atomic::Ordering::Relaxed);
        Self { reads: reads.into(), last: self.last }
    }
}

impl Serialize for Worn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reads = self.reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert!(reads < self.last, "worn out");
        json!({"args": {"reads": reads}}).serialize(serializer)
    }
}

impl Payload for Worn {
    fn contract(&self) -> &'static Contract {
        &JOB
    }

    fn set(&mut self, _: &str, _: Value) -> Option<&'static str> {
        Some("args")
    }
}

hook_step!(Worn: &JOB => Cleared, Denied);

#[tokio::test]
async fn wherever_serialising_panics_there_is_an_outcome_and_one_record() {
    let mut outcomes = std::collections::BTreeSet::new();
    for last in 0..30 {
        let mut table = HandlerTable::builder();
        table.contract(&JOB);
        hooks("sets reads").into_iter().for_each(|hook| {
            table.insert(hook);
        });
        let records = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&records);
        let engine = Engine::new(table.build().unwrap())
            .with_recorder(move |record: Record| kept.lock().unwrap().push(record.report.decision));
        let (gate, report) =
            engine.dispatch_reported(Worn { reads: 0.into(), last }, &context()).await;
        assert_eq!(gate.outcome(), report.decision);
        assert_eq!(*records.lock().unwrap(), [gate.outcome()], "{last}");
        outcomes.insert(gate.outcome().name());
    }
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), ["allow", "deny"]);
}

/// A stop that cannot say how often it was denied, or of which tool it is.
#[derive(Debug, Clone, Copy, Serialize)]
enum BrokenStop {
    Count,
    Tool,
}

impl Payload for BrokenStop {
    fn contract(&self) -> &'static Contract {
        Event::Stop.contract()
    }

    fn tool(&self) -> Option<&ToolCall> {
        assert!(matches!(self, Self::Count), "which tool?");
        None
    }

    fn denials_so_far(&self) -> Option<u64> {
        panic!("how often?")
    }
}

hook_step!(BrokenStop: Event::Stop.contract() => Cleared, Denied, Halted);

#[tokio::test]
async fn a_stop_that_panics_keeps_an_agent_going_no_longer_than_another() {
    for (stop, denials) in [(BrokenStop::Count, 3), (BrokenStop::Tool, 3)] {
        let hook = Hook::sync("stubborn", |_| Ok(Verdict::deny("run the tests")));
        let engine =
            Engine::new(HandlerTable::builder().insert(hook.event(Event::Stop)).build().unwrap());
        let mut outcomes = Vec::new();
        for _ in 0..=denials {
            outcomes.push(engine.dispatch(stop, &context()).await.outcome());
        }
        let (last, before) = outcomes.split_last().unwrap();
        assert!(before.iter().all(|outcome| *outcome == Outcome::Deny), "{stop:?}: {outcomes:?}");
        assert_eq!(*last, Outcome::Allow, "{stop:?}: {outcomes:?}");
    }
}

#[tokio::test]
async fn a_halt_stays_one_if_a_payload_panics_when_it_is_counted() {
    let hook = Hook::sync("halts", |_| Ok(Verdict::halt("budget"))).event(Event::Stop);
    let engine = Engine::new(HandlerTable::builder().insert(hook).build().unwrap());
    let (gate, report) = engine.dispatch_reported(BrokenStop::Count, &context()).await;
    assert_eq!((gate.outcome(), report.votes.len()), (Outcome::Halt, 1));
}

/// A copy of it panics when it is dropped.
#[derive(Debug, Serialize)]
struct Bomb {
    is_copy: bool,
}

impl Clone for Bomb {
    fn clone(&self) -> Self {
        Self { is_copy: true }
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.is_copy, "dropped");
    }
}

impl Payload for Bomb {
    fn contract(&self) -> &'static Contract {
        &JOB
    }
}

hook_step!(Bomb: &JOB => Cleared, Denied);

/// An engine with an observer in the background, which ends when it is let, or waits for ever.
fn watched(ends: bool) -> Engine {
    let hook = match ends {
        true => Hook::sync("watches", |_| Ok(Verdict::none())),
        false => waiting("watches", |_| Box::pin(std::future::pending())),
    };
    let hook = hook.custom_event("x.job").role(Role::Observe).background(true);
    let mut table = HandlerTable::builder();
    Engine::new(table.contract(&JOB).insert(hook).build().unwrap())
}

async fn watch_bombs(engine: &Engine) {
    for _ in 0..20 {
        assert!(engine.dispatch(Bomb { is_copy: false }, &context()).await.is_cleared());
    }
}

#[tokio::test]
async fn a_copy_that_panics_when_it_is_dropped_ends_no_other_background_call() {
    let engine = watched(true);
    watch_bombs(&engine).await;
    let counts = engine.drain(std::time::Duration::from_secs(60)).await;
    assert_eq!((counts.finished, counts.lost, counts.pending), (20, 0, 0));
}

#[test]
fn copies_that_panic_when_their_runtime_ends_do_not_end_the_process() {
    let engine = watched(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(watch_bombs(&engine));
    drop(runtime);
    let counts = engine.background();
    assert_eq!((counts.finished, counts.lost, counts.pending), (0, 20, 0));
}

/// A tool that cannot be named once its arguments were set.
#[derive(Debug, Clone, Serialize)]
struct Nameless {
    args: Value,
}

impl Payload for Nameless {
    fn contract(&self) -> &'static Contract {
        &JOB
    }

    fn tool(&self) -> Option<&ToolCall> {
        assert!(self.args.is_null(), "which tool?");
        None
    }

    fn set(&mut self, _: &str, value: Value) -> Option<&'static str> {
        self.args = value;
        Some("args")
    }
}

hook_step!(Nameless: &JOB => Cleared, Denied);

#[tokio::test]
async fn a_step_that_a_patch_has_broken_is_denied_and_the_reason_names_the_patch() {
    let mut table = HandlerTable::builder();
    table.contract(&JOB);
    hooks("sets").into_iter().for_each(|hook| {
        table.insert(hook);
    });
    let engine = Engine::new(table.build().unwrap());
    let (gate, report) = engine.dispatch_reported(Nameless { args: Value::Null }, &context()).await;
    assert_eq!((gate.outcome(), report.votes.len()), (Outcome::Deny, 1));
    let reason = report.reason.unwrap_or_default();
    assert!(
        reason.contains("after the patch of `sets` the payload panicked: which tool?"),
        "{reason}"
    );
}
