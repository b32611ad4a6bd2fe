//! Promise: no state falls open, and what was evaluated is what runs. The gate of a step is what was
//! decided about it, whatever its contract; and no final bytes are let through that a hook which may
//! deny has not seen, rewriters included.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod final_round;
use hookgate_test_support as support;

use std::convert::Infallible as No;

use hookgate::contract::payload::Payload;
use hookgate::contract::{BuiltHandler, ReplyFuture, VerdictDecision};
use hookgate::table::{BuildProblem, TableBuilder};
use hookgate::{
    Answered, Asked, Cleared, Contract, Denied, Engine, EventKind, Failure, FailureClass, Gate,
    Halted, HandlerTable, Hook, HookEngine, HookStep, Invocation, Mode, Outcome, Posture, Report,
    Role, Verdict,
};
use proptest::prelude::*;
use serde_json::json;
use support::context;

/// Steps of an embedder, with the states that their contracts have.
macro_rules! steps {
    ($($step:ident, $contract:expr, $denied:ty, $asked:ty, $answered:ty, $halted:ty;)*) => {
        $(
            #[derive(Clone, Debug, serde::Serialize)]
            struct $step;

            impl Payload for $step {
                fn contract(&self) -> &'static Contract {
                    static CONTRACT: Contract = $contract;
                    &CONTRACT
                }
            }

            impl HookStep for $step {
                const CONTRACT: &'static Contract = &$contract;
                type Payload = Self;
                type Cleared = Cleared<Self>;
                type Denied = $denied;
                type Asked = $asked;
                type Answered = $answered;
                type Halted = $halted;

                fn payload(&self) -> &Self {
                    self
                }

                fn payload_mut(&mut self) -> &mut Self {
                    self
                }
            }
        )*

        /// All of them, by number.
        const STEPS: usize = [$(stringify!($step)),*].len();

        fn contract_of(step: usize) -> &'static Contract {
            [$(Payload::contract(&$step)),*][step]
        }

        async fn evaluate(step: usize, engine: &Engine) -> [(Outcome, Report); 1] {
            let mut index = 0;
            $(
                if index == step {
                    let (gate, report) = engine.dispatch_reported($step, &context()).await;
                    let plain = engine.dispatch($step, &context()).await;
                    assert_eq!(gate.outcome(), plain.outcome(), "with and without a report");
                    return [(gate.outcome(), report)];
                }
                index += 1;
            )*
            panic!("there is no step {index}");
        }
    };
}

const fn gate() -> Contract {
    Contract::custom("x.step", EventKind::Gate)
}

const fn of(kind: EventKind) -> Contract {
    Contract::custom("x.step", kind)
}

steps! {
    Plain, gate(), Denied<Self>, No, No, No;
    Asking, gate().may_ask(), Denied<Self>, Asked<Self>, No, No;
    Halting, gate().may_halt(), Denied<Self>, No, No, Halted<Self>;
    Both, gate().may_ask().may_halt(), Denied<Self>, Asked<Self>, No, Halted<Self>;
    Answering, gate().takes_answer(), Denied<Self>, No, Answered<Self>, No;
    All, gate().may_ask().may_halt().takes_answer(), Denied<Self>, Asked<Self>, Answered<Self>, Halted<Self>;
    Finished, of(EventKind::Result), Denied<Self>, No, No, No;
    FinishedAsking, of(EventKind::Result).may_ask().may_halt(), Denied<Self>, Asked<Self>, No, Halted<Self>;
    Telling, of(EventKind::Context), No, No, No, No;
    TellingHalting, of(EventKind::Context).may_halt(), No, No, No, Halted<Self>;
    AskingOnly, of(EventKind::Context).may_ask(), No, Asked<Self>, No, No;
    Giving, of(EventKind::Contribute), No, No, No, No;
    Watching, of(EventKind::Observe), No, No, No, No;
}

/// The contract that the table assumes for the event, which need not be that of the type of the step.
fn assumed_contract(number: u8) -> Option<&'static Contract> {
    static DENY: Contract = gate();
    static ALL: Contract = gate().may_ask().may_halt().takes_answer();
    static TELL: Contract = of(EventKind::Context).may_halt();
    [None, Some(&DENY), Some(&ALL), Some(&TELL)][usize::from(number)]
}

#[derive(Clone, Copy, Debug)]
enum GuardReply {
    Decision(VerdictDecision),
    Answer,
    Failure(Option<VerdictDecision>),
    NoOpinion,
}

fn guard_reply() -> impl Strategy<Value = GuardReply> {
    let decision = || {
        prop::sample::select(vec![
            VerdictDecision::Allow,
            VerdictDecision::Ask,
            VerdictDecision::Deny,
            VerdictDecision::Halt,
        ])
    };
    prop_oneof![
        decision().prop_map(GuardReply::Decision),
        decision().prop_map(GuardReply::Decision),
        Just(GuardReply::Answer),
        prop::option::of(decision()).prop_map(GuardReply::Failure),
        Just(GuardReply::NoOpinion),
    ]
}

fn verdict(reply: GuardReply) -> hookgate::contract::Reply {
    match reply {
        GuardReply::Decision(VerdictDecision::Allow) => Ok(Verdict::allow()),
        GuardReply::Decision(VerdictDecision::Ask) => Ok(Verdict::ask("?")),
        GuardReply::Decision(VerdictDecision::Deny) => Ok(Verdict::deny("no")),
        GuardReply::Decision(VerdictDecision::Halt) => Ok(Verdict::halt("stop")),
        GuardReply::Answer => Ok(Verdict::none().answer(json!("supplied"), false)),
        GuardReply::Failure(salvaged) => {
            Err(Failure::new(FailureClass::Exit, "it broke").with_salvaged(salvaged))
        }
        GuardReply::NoOpinion => Ok(Verdict::none()),
    }
}

fn waits_for<F>(answer: F) -> BuiltHandler
where
    F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    BuiltHandler::async_fn(answer)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

proptest! {
    #[test]
    fn the_gate_of_a_step_is_what_was_decided_whatever_its_contract(
        step in 0..STEPS,
        assumption in 0_u8..4,
        hooks in prop::collection::vec((guard_reply(), any::<bool>(), any::<bool>()), 1..4),
    ) {
        let contract = contract_of(step);
        let mut table = HandlerTable::builder();
        table.allow_unknown_contracts();
        if let Some(other) = assumed_contract(assumption) {
            table.contract(other);
        }
        for (index, &(reply, waits, rewrites)) in hooks.iter().enumerate() {
            let built = if waits {
                waits_for(move |_| Box::pin(async move { verdict(reply) }))
            } else {
                BuiltHandler::from_sync(move |_: Invocation<'_>| verdict(reply))
            };
            let mut hook = Hook::new(format!("h{index}"), "test", built).custom_event("x.step");
            if rewrites && assumed_contract(assumption).is_some_and(|contract| contract.answer) {
                hook = hook.role(Role::Rewrite);
            }
            table.insert(hook);
        }
        let engine = Engine::new(table.build().unwrap());
        let [(outcome, report)] = run(evaluate(step, &engine));
        prop_assert_eq!(outcome, report.decision);
        // No decision is lost, as far as the event can express it.
        let decided = |strict: &dyn Fn(VerdictDecision) -> bool| hooks.iter().any(|(reply, ..)| match reply {
            GuardReply::Decision(decision) => strict(*decision),
            _ => false,
        });
        if contract.deny() && decided(&|decision| decision > VerdictDecision::Allow) {
            prop_assert!(outcome >= Outcome::Ask, "{:?}", report);
        }
        if contract.deny() && decided(&|decision| decision >= VerdictDecision::Deny) {
            prop_assert!(outcome >= Outcome::Deny, "{:?}", report);
        }
        // Nor does a failure fall open, where a failure counts as deny.
        if contract.deny() && hooks.iter().any(|(reply, ..)| matches!(reply, GuardReply::Failure(_))) {
            prop_assert!(outcome >= Outcome::Deny, "{:?}", report);
        }
        // What the event cannot express at all is reported.
        if outcome == Outcome::Allow && decided(&|decision| !contract.allows(decision)) {
            prop_assert!(!report.messages.is_empty(), "{:?}", report);
        }
    }
}

#[tokio::test]
async fn a_decision_without_a_state_is_denied_whatever_contract_the_table_assumes() {
    for (reply, failure) in [
        (GuardReply::Decision(VerdictDecision::Halt), Some(FailureClass::Illegal)),
        (GuardReply::Decision(VerdictDecision::Ask), Some(FailureClass::Illegal)),
        (GuardReply::Failure(None), Some(FailureClass::Exit)),
    ] {
        let hook = || {
            Hook::new("h", "test", BuiltHandler::from_sync(move |_: Invocation<'_>| verdict(reply)))
                .custom_event("x.step")
        };
        let asks_on_failure = hook().on_failure(Posture::Ask);
        for hook in [hook(), asks_on_failure] {
            let mut table = HandlerTable::builder();
            table.allow_unknown_contracts().insert(hook);
            let engine = Engine::new(table.build().unwrap());
            let (gate, report) = engine.dispatch_reported(Plain, &context()).await;
            let Gate::Denied(denied) = gate else { panic!("{report:?}") };
            assert_eq!(denied.decision().by, ["h"]);
            assert_eq!((report.decision, report.votes[0].failure), (Outcome::Deny, failure));
        }
    }
}

#[test]
fn an_event_without_a_known_contract_is_refused_when_the_table_is_built() {
    let hook = || {
        Hook::new("h", "test", BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::deny("no"))))
            .custom_event("x.step")
    };
    let problem =
        HandlerTable::builder().insert(hook()).build().unwrap_err().errors()[0].problem.clone();
    assert!(matches!(&problem, BuildProblem::UnknownContract { event, .. } if event == "x.step"));
    assert!(problem.to_string().contains("TableBuilder::contract"));
    let off = HandlerTable::builder().insert(hook().mode(Mode::Off)).build();
    assert!(off.is_err(), "also before it is switched on");
    assert!(HandlerTable::builder().contract(contract_of(0)).insert(hook()).build().is_ok());
    let taken = HandlerTable::builder().allow_unknown_contracts().insert(hook()).build().unwrap();
    let engine = Engine::new(taken);
    assert!(engine.edit(|_| {}).is_ok(), "an edit keeps what the table was given");
}

#[test]
fn the_steps_above_are_what_the_table_builder_takes() {
    for step in 0..STEPS {
        let table = TableBuilder::default().contract(contract_of(step)).build().unwrap();
        assert!(table.is_empty());
    }
}
