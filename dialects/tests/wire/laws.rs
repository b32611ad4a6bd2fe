//! Laws that hold for every decision: an answer is always one that the agent takes, and what was denied
//! does not happen wherever the agent obeys a deny at all.

use hookgate_contract::dialect::{HostDecision, HostEffect, HostEvent};
use hookgate_contract::{Answer, VerdictDecision, patch_field};
use hookgate_test_support::agent_rules::Reaction;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::agents::reaction;
use crate::samples::{dialect, step};

const AGENTS: [&str; 2] = ["claude", "codex"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("  \n".to_owned()),
        Just("no".to_owned()),
        Just("{\"decision\":\"approve\"}".to_owned()),
        ".{0,40}",
        Just("x".repeat(20_000)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!("")),
        Just(json!({})),
        Just(json!({"command": "ls -l"})),
        Just(json!([1, "two"])),
        text().prop_map(Value::from),
    ]
}

fn patch() -> impl Strategy<Value = Map<String, Value>> {
    let field = prop_oneof![
        Just(patch_field::TOOL_INPUT),
        Just(patch_field::TOOL_RESPONSE),
        Just(patch_field::IS_ERROR),
        Just(patch_field::ERROR),
        Just(patch_field::PROMPT),
        Just(patch_field::SUMMARY),
    ];
    proptest::collection::vec((field, value()), 0..3)
        .prop_map(|fields| fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
}

#[derive(Debug, Clone)]
struct Case {
    agent: &'static str,
    event: &'static HostEvent,
    decision: Option<VerdictDecision>,
    reason: Option<String>,
    patch: Map<String, Value>,
    answer: Option<Answer>,
    context: Vec<String>,
    messages: Vec<String>,
}

fn case() -> impl Strategy<Value = Case> {
    let decision = prop_oneof![
        Just(None),
        proptest::sample::select(&VerdictDecision::ALL[..]).prop_map(Some),
    ];
    let place = proptest::sample::select(
        AGENTS
            .iter()
            .flat_map(|agent| dialect(agent).events().iter().map(|event| (*agent, event)))
            .collect::<Vec<_>>(),
    );
    let answer = proptest::option::weighted(0.2, value().prop_map(Answer::new));
    let texts = || proptest::collection::vec(text(), 0..3);
    (place, decision, proptest::option::of(text()), patch(), answer, texts(), texts()).prop_map(
        |((agent, event), decision, reason, patch, answer, context, messages)| Case {
            agent,
            event,
            decision,
            reason,
            patch,
            answer,
            context,
            messages,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn every_answer_is_taken_and_every_deny_is_obeyed(case in case()) {
        let step = step(case.agent, case.event.name);
        let decision = HostDecision::new(case.decision, case.reason.as_deref(), &case.patch)
            .answer(case.answer.as_ref())
            .texts(&case.context, &case.messages);
        let answer = dialect(case.agent).answer(&step, &decision);
        prop_assert!(matches!(answer.exit, 0 | 2), "{answer:?}");
        if answer.exit == 2 {
            prop_assert!(answer.stdout.is_empty() && !answer.stderr.trim().is_empty(), "{answer:?}");
        } else if !answer.stdout.is_empty() {
            prop_assert!(serde_json::from_str::<Map<String, Value>>(&answer.stdout).is_ok());
        }
        let (reaction, changed) = reaction(case.agent, case.event.name, &answer);
        prop_assert!(!matches!(reaction, Reaction::Failed(_)), "{reaction:?} to {answer:?}");

        let can = |effect| case.event.can(effect);
        let wanted = case.decision;
        if wanted >= Some(VerdictDecision::Deny) && can(HostEffect::Deny) {
            prop_assert!(reaction.blocks(), "{reaction:?} to {answer:?}");
            // What is hidden is gone from the answer, too.
            prop_assert!(!answer.stdout.contains("one\\ntwo"), "{answer:?}");
        }
        if wanted == Some(VerdictDecision::Deny) && can(HostEffect::KeepGoing) {
            prop_assert!(matches!(reaction, Reaction::Blocked(_)), "{reaction:?} to {answer:?}");
        }
        if wanted == Some(VerdictDecision::Halt) && can(HostEffect::Halt) {
            prop_assert!(matches!(reaction, Reaction::Halted(_)), "{reaction:?} to {answer:?}");
        }
        if wanted == Some(VerdictDecision::Ask) && (can(HostEffect::Ask) || can(HostEffect::Deny)) {
            let held = matches!(reaction, Reaction::Asks) || reaction.blocks();
            prop_assert!(held, "{reaction:?} to {answer:?}");
        }
        // Nobody is waved through whom no hook has allowed.
        if wanted != Some(VerdictDecision::Allow) {
            prop_assert!(reaction != Reaction::Approved, "{answer:?}");
        }
        // A change of the arguments counts whole, or the tool does not run.
        if let Some(input) = case.patch.get(patch_field::TOOL_INPUT)
            && case.event.ours == "pre_tool_use"
            && !reaction.blocks()
        {
            prop_assert_eq!(changed.as_ref(), Some(input), "{:?}", answer);
        }
        // And what a result was changed to stands in place of it, or nothing does.
        if let Some(response) = case.patch.get(patch_field::TOOL_RESPONSE)
            && case.event.ours == "post_tool_use"
        {
            let replaced = changed.is_some() || reaction.blocks();
            prop_assert!(replaced, "{response} is lost: {:?}", answer);
        }
    }

    #[test]
    fn a_refused_step_does_not_happen(case in case(), reason in "[a-z]{1,20}") {
        let dialect = dialect(case.agent);
        let answer = dialect.refuse(Some(case.event.name), &reason);
        let (reaction, _) = reaction(case.agent, case.event.name, &answer);
        if case.event.fails_closed() {
            prop_assert!(reaction.blocks(), "{}: {reaction:?} to {answer:?}", case.event.name);
        } else {
            prop_assert!(!reaction.blocks() && answer.exit == 0, "{}: {answer:?}", case.event.name);
        }
        prop_assert!((answer.stdout + &answer.stderr).contains(&reason));
    }
}

#[test]
fn a_step_of_an_unknown_event_is_refused() {
    for agent in AGENTS {
        for event in [None, Some("AnEventOfTomorrow")] {
            let answer = dialect(agent).refuse(event, "not known");
            assert_eq!((answer.exit, answer.stdout.as_str()), (2, ""), "{agent}");
            assert_eq!(answer.stderr, "not known");
        }
    }
}
