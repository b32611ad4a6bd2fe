//! Promise: what was evaluated is what runs, whatever an embedder gets wrong in a step of his own: it is
//! denied, and the text says which mistake it is.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

use std::sync::{Arc, Mutex};

use hookgate::contract::json::JsonType;
use hookgate::contract::payload::{FieldRef, Payload};
use hookgate::contract::{Contract, PatchField};
use hookgate::envelope::Incoming;
use hookgate::matcher::Test;
use hookgate::table::TableBuilder;
use hookgate::{
    Denied, Engine, EventKind, FailureClass, Gate, HandlerTable, Hook, HookEngine, HookStep,
    Outcome, Role, Verdict, hook_step,
};
use hookgate_test_support::listeners;
use serde::Serialize;
use serde_json::{Value, json};

use crate::spans::Capture;
use crate::support::context;

pub(crate) const TARGET: &[PatchField] = &[PatchField::new("target", JsonType::Text)];
pub(crate) static DEPLOY: Contract =
    Contract::custom("x.deploy", EventKind::Gate).takes_patch(TARGET);
pub(crate) static RELEASE: Contract =
    Contract::custom("x.release", EventKind::Gate).takes_patch(TARGET);

pub(crate) fn table(change: impl FnOnce(&mut TableBuilder)) -> Engine {
    let mut builder = HandlerTable::builder();
    change(&mut builder);
    Engine::new(builder.build().unwrap())
}

/// Denies a step whose target is `prod`.
pub(crate) fn no_prod(event: &str) -> Hook {
    Hook::sync("no-prod", |call| {
        let prod = call.json()?["target"] == "prod";
        Ok(if prod { Verdict::deny("not to prod") } else { Verdict::none() })
    })
    .custom_event(event)
}

pub(crate) fn set(event: &str, field: &'static str, value: Value) -> Hook {
    Hook::sync("set", move |_| Ok(Verdict::none().patch(field, value.clone())))
        .custom_event(event)
        .role(Role::Rewrite)
}

pub(crate) fn reason<S: HookStep<Denied = Denied<S>>>(gate: Gate<S>) -> String {
    match gate {
        Gate::Denied(denied) => denied.feedback(),
        other => panic!("{}", other.outcome().name()),
    }
}

/// Says nothing of what it has set.
#[derive(Debug, Clone, Serialize)]
struct Silent {
    target: String,
}

impl Payload for Silent {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        if let ("target", Value::String(target)) = (name, value) {
            self.target = target;
        }
        None
    }
}

hook_step!(Silent: &DEPLOY => Cleared, Denied);

fn silent(target: &str) -> Silent {
    Silent { target: target.into() }
}

#[tokio::test]
async fn a_patch_counts_by_what_it_did_and_not_by_what_set_returns() {
    let engine = table(|table| {
        table.contract(&DEPLOY).insert(no_prod("x.deploy")).insert(set(
            "x.deploy",
            "target",
            json!("prod"),
        ));
    });
    let (gate, report) = engine.dispatch_reported(silent("dev"), &context()).await;
    assert_eq!(reason(gate), "denied by no-prod: not to prod");
    let rounds: Vec<_> = report.votes.iter().map(|vote| vote.round).collect();
    assert_eq!(rounds, [1, 1, 2], "the guard has seen the final bytes");
    // What sets nothing else needs no final round.
    let (gate, report) = engine.dispatch_reported(silent("prod"), &context()).await;
    assert!(!gate.is_cleared());
    assert!(report.votes.iter().all(|vote| vote.round == 1));
}

static NOTE: Contract =
    Contract::custom("x.note", EventKind::Context).takes_patch(TARGET).may_halt();

/// Nothing can deny it, but the run can be stopped at it.
#[derive(Debug, Clone, Serialize)]
struct Note {
    target: String,
}

impl Payload for Note {
    fn contract(&self) -> &'static Contract {
        &NOTE
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        let ("target", Value::String(target)) = (name, value) else { return None };
        self.target = target;
        Some("target")
    }
}

hook_step!(Note: &NOTE => Cleared, Halted);

#[tokio::test]
async fn a_guard_that_can_do_no_more_than_halt_has_seen_the_final_bytes_too() {
    let no_prod = Hook::sync("no-prod", |call| {
        let prod = call.json()?["target"] == "prod";
        Ok(if prod { Verdict::halt("not to prod") } else { Verdict::none() })
    });
    let engine = table(|table| {
        let set = set("x.note", "target", json!("prod"));
        table.contract(&NOTE).insert(no_prod.custom_event("x.note")).insert(set);
    });
    let gate = engine.dispatch(Note { target: "dev".into() }, &context()).await;
    assert_eq!(gate.outcome(), Outcome::Halt);
}

/// Its contract lists a field that it does not take.
#[derive(Debug, Clone, Serialize)]
struct Stubborn {
    target: String,
}

impl Payload for Stubborn {
    fn contract(&self) -> &'static Contract {
        &DEPLOY
    }
}

hook_step!(Stubborn: &DEPLOY => Cleared, Denied);

#[tokio::test]
async fn a_rewriter_that_would_do_nothing_is_a_failure() {
    let engine = table(|table| {
        table.contract(&DEPLOY).insert(set("x.deploy", "target", json!("dev")));
    });
    let step = Stubborn { target: "prod".into() };
    let (gate, report) = engine.dispatch_reported(step, &context()).await;
    assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal));
    assert!(!report.votes[0].rewrote);
    let text = reason(gate);
    assert!(text.contains("does not take a patch of `target`"), "{text}");
    assert!(text.contains("Payload::set"), "{text}");
    // A patch that asks for what is there is none.
    let step = Stubborn { target: "dev".into() };
    assert!(engine.dispatch(step, &context()).await.is_cleared());
}

const ARGS: &[PatchField] = &[PatchField::new("args", JsonType::Object)];
static JOB: Contract = Contract::custom("x.job", EventKind::Gate).takes_patch(ARGS);

/// Takes its field and does not give it.
#[derive(Debug, Clone, Serialize)]
struct Job {
    args: Value,
}

impl Payload for Job {
    fn contract(&self) -> &'static Contract {
        &JOB
    }

    fn set(&mut self, _: &str, value: Value) -> Option<&'static str> {
        self.args = value;
        Some("args")
    }
}

hook_step!(Job: &JOB => Cleared, Denied);

#[tokio::test]
async fn a_merge_keeps_what_a_payload_without_field_holds() {
    let engine = table(|table| {
        table.contract(&JOB).insert(set("x.job", "args", json!({"dry_run": true})).merge(true));
    });
    let job = Job { args: json!({"path": "/a"}) };
    let cleared = engine.dispatch(job, &context()).await.cleared().unwrap();
    assert_eq!(cleared.payload().args, json!({"path": "/a", "dry_run": true}));
}

/// The same of an envelope whose type nobody knows.
#[tokio::test]
async fn a_step_that_is_read_from_an_envelope_is_rewritten_and_evaluated_again() {
    let engine = table(|table| {
        table.contract(&DEPLOY).insert(no_prod("x.deploy")).insert(set(
            "x.deploy",
            "target",
            json!("prod"),
        ));
    });
    let mut incoming =
        Incoming::parse(br#"{"hook_event_name":"x.deploy","target":"dev"}"#).unwrap();
    let report = engine.evaluate(&mut incoming).await;
    assert_eq!(report.decision, Outcome::Deny);
    assert_eq!(incoming.payload.to_value().unwrap()["target"], "prod");
}

static ASKS: Contract = Contract::custom("x.deploy", EventKind::Gate).takes_patch(TARGET).may_ask();

static SEEK: Contract =
    Contract::custom("x.seek", EventKind::Gate).takes_answer().may_ask().may_halt().takes_context();

#[derive(Debug, Clone, Serialize)]
struct Seek {
    wants: Outcome,
}

impl Payload for Seek {
    fn contract(&self) -> &'static Contract {
        &SEEK
    }
}

hook_step!(Seek: &SEEK => Cleared, Denied, Asked, Answered, Halted);

#[tokio::test]
async fn a_step_says_in_each_state_what_was_decided() {
    let hook = Hook::sync("decides", |call| {
        let verdict = match call.json()?["wants"].as_str() {
            Some("answered") => Verdict::none().answer(42, false),
            Some("ask") => Verdict::ask("sure?"),
            Some("deny") => Verdict::deny("no"),
            Some("halt") => Verdict::halt("enough"),
            _ => Verdict::none(),
        };
        Ok(verdict.context("mind the gap"))
    });
    let engine = table(|table| {
        table.contract(&SEEK).insert(hook.custom_event("x.seek").role(Role::Rewrite));
    });
    let said = ["mind the gap".to_owned()];
    for wants in [Outcome::Allow, Outcome::Answered, Outcome::Ask, Outcome::Deny, Outcome::Halt] {
        let gate = engine.dispatch(Seek { wants }, &context()).await;
        assert_eq!(gate.outcome(), wants);
        let of_gate = gate.decision().cloned();
        let of_state = match gate {
            Gate::Cleared(cleared) => {
                assert_eq!(cleared.context(), said);
                cleared.decision().cloned()
            }
            Gate::Answered(answered) => answered.decision().cloned(),
            Gate::Asked(asked) => Some(asked.decision().clone()),
            Gate::Denied(denied) => Some(denied.decision().clone()),
            Gate::Halted(halted) => Some(halted.decision().clone()),
        };
        for decision in [of_gate, of_state] {
            let decision = decision.unwrap();
            assert_eq!((decision.outcome, decision.context.as_slice()), (wants, &said[..]));
        }
    }
    // The control: where no hook has an opinion there is none.
    let silent = Engine::without_hooks();
    let gate = silent.dispatch(Seek { wants: Outcome::Allow }, &context()).await;
    assert!(gate.decision().is_none());
    let Gate::Cleared(cleared) = gate else { panic!() };
    assert!(cleared.decision().is_none() && cleared.context().is_empty());
}

#[test]
fn two_contracts_of_one_event_are_no_table() {
    let mut builder = HandlerTable::builder();
    let errors = builder.contract(&DEPLOY).contract(&ASKS).build().unwrap_err().to_string();
    assert!(errors.contains("two contracts of `x.deploy`"), "{errors}");
    assert!(HandlerTable::builder().contract(&DEPLOY).contract(&DEPLOY).build().is_ok());
}

/// A payload without fields.
macro_rules! shapeless {
    ($($name:ident($inner:ty) $contract:ident $event:literal),*) => { $(
        #[derive(Debug, Clone, Serialize)]
        struct $name($inner);

        static $contract: Contract = Contract::custom($event, EventKind::Gate);

        impl Payload for $name {
            fn contract(&self) -> &'static Contract {
                &$contract
            }
        }

        hook_step!($name: &$contract => Cleared, Denied);
    )* };
}

shapeless!(Sql(String) SQL "x.sql", Rows(Vec<u8>) ROWS "x.rows", Tick(()) TICK "x.tick", Count(f64) COUNT "x.count");

#[tokio::test]
async fn a_payload_without_fields_is_a_failure_of_each_hook_that_reads_it() {
    async fn check<S: HookStep<Denied = Denied<S>> + Clone>(step: S, is: &str) {
        let event = S::CONTRACT.name;
        let reads = |id: &str, bytes: bool| {
            Hook::sync(id, move |call| {
                if bytes { call.envelope.bytes().map(drop) } else { call.json().map(drop) }?;
                Ok(Verdict::none())
            })
            .custom_event(event)
        };
        for bytes in [true, false] {
            let engine = table(|table| {
                table.contract(S::CONTRACT).insert(reads("reads", bytes));
            });
            let (gate, report) = engine.dispatch_reported(step.clone(), &context()).await;
            assert_eq!(report.votes[0].failure, Some(FailureClass::Malformed), "{event}");
            let text = reason(gate);
            assert!(text.contains(is) && text.contains("not a JSON object"), "{text}");
        }
        // A hook that reads no JSON can tell.
        let engine = table(|table| {
            let none = Hook::sync("none", |_| Ok(Verdict::none())).custom_event(event);
            table.contract(S::CONTRACT).insert(none);
        });
        assert!(engine.dispatch(step, &context()).await.is_cleared());
    }
    check(Sql("DROP TABLE x".into()), "a string").await;
    check(Rows(vec![1]), "an array").await;
    check(Tick(()), "null").await;
    check(Count(1.5), "a number").await;
}

static EXTRA: Contract = Contract::custom("x.extra", EventKind::Gate);

/// A host that adds what it likes: a key may be there twice then, or stand in the place of one of the envelope.
#[derive(Debug, Clone, Serialize)]
struct Extra {
    target: &'static str,
    #[serde(flatten)]
    more: std::collections::BTreeMap<&'static str, &'static str>,
}

impl Payload for Extra {
    fn contract(&self) -> &'static Contract {
        &EXTRA
    }

    fn field(&self, _: &str) -> Option<FieldRef<'_>> {
        Some(FieldRef::Text("dev"))
    }
}

hook_step!(Extra: &EXTRA => Cleared, Denied);

fn extra(target: &'static str, more: &[(&'static str, &'static str)]) -> Extra {
    Extra { target, more: more.iter().copied().collect() }
}

#[tokio::test]
async fn a_key_that_readers_do_not_understand_alike_is_a_failure() {
    let reads_bytes = || {
        Hook::sync("bytes", |call| call.envelope.bytes().map(|_| Verdict::none()))
            .custom_event("x.extra")
    };
    for hook in [no_prod("x.extra"), reads_bytes()] {
        let engine = table(|table| {
            table.contract(&EXTRA).insert(hook);
        });
        for (more, words) in [
            // Another reader takes the first of the two.
            (&[("target", "dev")][..], "duplicate key `target`"),
            (&[("session_id", "another")], "has the field `session_id`, which every envelope has"),
            (&[("cwd", "/")], "has the field `cwd`"),
        ] {
            let (gate, report) = engine.dispatch_reported(extra("prod", more), &context()).await;
            assert_eq!(report.votes[0].failure, Some(FailureClass::Malformed));
            let text = reason(gate);
            assert!(text.contains(words), "{text}");
        }
        assert!(engine.dispatch(extra("dev", &[("a", "b")]), &context()).await.is_cleared());
    }
}

static UNSTEADY: Contract = Contract::custom("x.unsteady", EventKind::Gate);

/// Writes a key twice each second time.
#[derive(Debug, Clone)]
struct Unsteady(Arc<Mutex<usize>>);

impl Serialize for Unsteady {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut times = self.0.lock().unwrap();
        *times += 1;
        let mut map = to.serialize_map(None)?;
        for _ in 0..=*times % 2 {
            map.serialize_entry("target", "dev")?;
        }
        map.end()
    }
}

impl Payload for Unsteady {
    fn contract(&self) -> &'static Contract {
        &UNSTEADY
    }
}

hook_step!(Unsteady: &UNSTEADY => Cleared, Denied);

/// What was checked is what a hook gets, whatever it is when it is written again.
#[tokio::test]
async fn no_hook_gets_bytes_with_a_key_twice() {
    for begins in 0..4 {
        let hook = Hook::sync("bytes", |call| {
            let bytes = call.envelope.bytes()?;
            let keys = String::from_utf8_lossy(bytes).matches("target").count();
            assert_eq!(keys, 1);
            Ok(Verdict::none())
        });
        let engine = table(|table| {
            table.contract(&UNSTEADY).insert(hook.custom_event("x.unsteady"));
        });
        let step = Unsteady(Arc::new(Mutex::new(begins)));
        let (_, report) = engine.dispatch_reported(step, &context()).await;
        assert_ne!(report.votes[0].failure, Some(FailureClass::Panic), "{begins}");
    }
}

#[tokio::test]
async fn a_condition_is_about_what_is_sent_and_not_about_what_field_returns() {
    let engine = table(|table| {
        let hook = Hook::sync("no-prod", |_| Ok(Verdict::deny("not to prod")));
        table
            .contract(&EXTRA)
            .insert(hook.custom_event("x.extra").payload("/target", Test::Equals(json!("prod"))));
    });
    assert!(!engine.dispatch(extra("prod", &[]), &context()).await.is_cleared());
    assert!(engine.dispatch(extra("dev", &[]), &context()).await.is_cleared());
    // What the condition is about is not known here, so the hook is called.
    let twice = extra("prod", &[("target", "dev")]);
    assert!(!engine.dispatch(twice, &context()).await.is_cleared());
}

#[tokio::test]
async fn a_report_says_what_a_field_was_set_to() {
    let engine = table(|table| {
        table.contract(&DEPLOY).insert(set("x.deploy", "target", json!("stage")));
    });
    let (gate, report) = engine.dispatch_reported(silent("dev"), &context()).await;
    assert!(gate.is_cleared());
    assert_eq!(report.final_fields["target"], "stage");
}

static SHARED: Contract = Contract::custom("x.shared", EventKind::Gate);

/// What it says is held by somebody else, too.
#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<String>>);

impl Serialize for Shared {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        json!({"target": *self.0.lock().unwrap()}).serialize(to)
    }
}

impl Payload for Shared {
    fn contract(&self) -> &'static Contract {
        &SHARED
    }

    fn field(&self, _: &str) -> Option<FieldRef<'_>> {
        None
    }
}

hook_step!(Shared: &SHARED => Cleared, Denied);

/// A build with debug assertions says so; another one cannot, which `Payload` documents.
#[test]
#[cfg(debug_assertions)]
fn a_payload_that_changes_while_it_is_evaluated_is_logged() {
    listeners::keep_second();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for changes in [true, false] {
        let held = Arc::new(Mutex::new("dev".to_owned()));
        let inner = held.clone();
        let change = Hook::sync("change", move |_| {
            if changes {
                "prod".clone_into(&mut inner.lock().unwrap());
            }
            Ok(Verdict::none())
        });
        let engine = table(|table| {
            table
                .contract(&SHARED)
                .insert(no_prod("x.shared"))
                .insert(change.custom_event("x.shared"));
        });
        let capture = Capture::at(tracing::Level::ERROR);
        let gate = tracing::subscriber::with_default(capture.clone(), || {
            runtime.block_on(async { engine.dispatch(Shared(held), &context()).await })
        });
        assert!(gate.is_cleared());
        let told = capture.events().iter().any(|event| event.contains("a payload has changed"));
        assert_eq!(told, changes, "{:?}", capture.events());
    }
}

const LENGTH: &[PatchField] =
    &[PatchField::new("kilometres", JsonType::Text), PatchField::new("metres", JsonType::Text)];
static WALK: Contract = Contract::custom("x.walk", EventKind::Gate).takes_patch(LENGTH);

/// One length, which two fields set.
#[derive(Debug, Clone, Serialize)]
struct Walk {
    length: String,
}

impl Payload for Walk {
    fn contract(&self) -> &'static Contract {
        &WALK
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        let field = LENGTH.iter().find(|field| field.name == name)?;
        self.length = format!("{} {name}", value.as_str()?);
        Some(field.name)
    }
}

hook_step!(Walk: &WALK => Cleared, Denied);

#[tokio::test]
async fn in_the_final_round_a_patch_counts_by_what_the_step_is_after_all_of_it() {
    for (metres, outcome) in [("5", Outcome::Allow), ("6", Outcome::Deny)] {
        let both = Hook::sync("both", move |call| {
            let metres = if call.envelope.is_rejudge() { metres } else { "1" };
            Ok(Verdict::none().patch("kilometres", "1").patch("metres", metres))
        });
        let engine = table(|table| {
            let both = both.custom_event("x.walk").role(Role::Rewrite);
            table.contract(&WALK).insert(both).insert(set("x.walk", "metres", json!("5")));
        });
        let gate = engine.dispatch(Walk { length: String::new() }, &context()).await;
        assert_eq!(gate.outcome(), outcome, "{metres}");
    }
}
