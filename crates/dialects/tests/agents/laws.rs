//! Laws that hold for every decision: the agents as they were watched obey the answer, and what was denied
//! does not happen wherever the agent obeys a deny at all.

use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostEvent};
use hookgate_contract::{Answer, VerdictDecision, patch_field};
use hookgate_test_support::agent_rules::{self, Ended, Reaction};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::samples::{AGENTS, dialect, step};

fn reaction(agent: &str, event: &str, answer: &HostAnswer) -> (Reaction, Option<Value>) {
    let ended = Ended { exit: answer.exit.into(), stdout: &answer.stdout, stderr: &answer.stderr };
    agent_rules::reaction(agent, event, ended)
}

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
        Just(json!({"command": "ls", "list": ["one", 3]})),
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
        Just(patch_field::ASSISTANT_TEXT),
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
    let places = AGENTS
        .iter()
        .flat_map(|agent| dialect(agent).events().iter().map(|event| (*agent, event)))
        .collect::<Vec<_>>();
    let answer = proptest::option::weighted(0.2, value().prop_map(Answer::new));
    let texts = || proptest::collection::vec(text(), 0..3);
    let place = proptest::sample::select(places);
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

/// The fields that a verdict can patch at an event: the engine takes no others.
fn legal(case: &Case) -> Map<String, Value> {
    let event = hookgate_contract::Event::from_name(case.event.ours);
    let field = |name: &str| event.and_then(|event| event.contract().patch_field(name));
    let is_legal = |(name, value): &(&String, &Value)| field(name).is_some_and(|f| f.admits(value));
    case.patch.iter().filter(is_legal).map(|(name, value)| (name.clone(), value.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn every_answer_is_taken_and_every_deny_is_obeyed(case in case()) {
        let (step, patch) = (step(case.agent, case.event), legal(&case));
        let decision = HostDecision::new(case.decision, case.reason.as_deref(), &patch)
            .answer(case.answer.as_ref())
            .texts(&case.context, &case.messages);
        let answer = dialect(case.agent).answer(&step, &decision);
        prop_assert!(matches!(answer.exit, 0 | 2), "{answer:?}");
        if answer.exit == 2 {
            prop_assert!(answer.stdout.is_empty() && !answer.stderr.trim().is_empty(), "{answer:?}");
        } else if !answer.stdout.is_empty() && case.agent != "kimi" {
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
        if let Reaction::Blocked(reason) | Reaction::Halted(reason) = &reaction {
            prop_assert!(!reason.trim().is_empty(), "{answer:?}");
        }
        // Nobody is waved through whom no hook has allowed.
        if wanted != Some(VerdictDecision::Allow) {
            prop_assert!(reaction != Reaction::Approved, "{answer:?}");
        }
        // A change of the arguments counts whole, or the tool does not run, wherever that can be.
        if let Some(input) = patch.get(patch_field::TOOL_INPUT)
            && !reaction.blocks()
        {
            prop_assert_eq!(changed.as_ref(), Some(input), "{:?}", answer);
        }
        if patch.contains_key(patch_field::TOOL_RESPONSE)
            && can(HostEffect::RewriteResult)
            // It takes changed results of MCP tools only, and the loss is told.
            && case.agent != "cursor"
            && !reaction.blocks()
        {
            prop_assert!(changed.is_some(), "{answer:?}");
        }
        // What was lost is told.
        let hidden = [patch_field::TOOL_RESPONSE, patch_field::ERROR, patch_field::ASSISTANT_TEXT];
        if hidden.iter().any(|name| patch.contains_key(*name)) && !reaction.blocks() {
            prop_assert!(changed.is_some() || !answer.losses.is_empty(), "{answer:?}");
        }
        if patch.contains_key(patch_field::PROMPT) && !reaction.blocks() {
            prop_assert!(changed.is_some() || !answer.losses.is_empty(), "{answer:?}");
        }
    }

    #[test]
    fn a_refused_step_does_not_happen(case in case(), reason in "[a-z]{1,20}") {
        let answer = dialect(case.agent).refuse(Some(case.event.name), &reason);
        let (reaction, _) = reaction(case.agent, case.event.name, &answer);
        if case.event.fails_closed() {
            prop_assert!(reaction.blocks(), "{}: {reaction:?} to {answer:?}", case.event.name);
        } else {
            prop_assert!(!reaction.blocks() && answer.exit == 0, "{}: {answer:?}", case.event.name);
        }
        prop_assert!((answer.stdout + &answer.stderr).contains(&reason));
    }
}

/// Whatever the event may be, a tool does not run.
#[test]
fn a_step_of_an_unknown_event_is_refused() {
    for agent in AGENTS {
        let before = dialect(agent).events().iter().find(|event| event.ours == "pre_tool_use");
        for event in [None, Some("AnEventOfTomorrow")] {
            let answer = dialect(agent).refuse(event, "not known");
            let (reaction, _) = reaction(agent, before.unwrap().name, &answer);
            assert!(reaction.blocks(), "{agent}: {answer:?}");
            assert!((answer.stdout + &answer.stderr).contains("not known"), "{agent}");
        }
    }
}

/// A later allow would undo the deny of another hook.
#[test]
fn qwen_code_is_never_told_allow() {
    let patch = Map::new();
    for event in dialect("qwen").events() {
        for decision in [None, Some(VerdictDecision::Allow)] {
            let decided = HostDecision::new(decision, Some("fine"), &patch);
            let answer = dialect("qwen").answer(&step("qwen", event), &decided);
            assert_eq!((answer.exit, answer.stdout.as_str()), (0, ""), "{}", event.name);
        }
    }
}

/// The rules themselves: endings after which the watched agents went on.
#[test]
fn the_rules_know_what_runs_all_the_same() {
    let deny =
        r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"x"}}"#;
    let runs: [(&str, &str, i32, &str, &str); 12] = [
        ("gemini", "BeforeTool", 0, deny, ""),
        ("gemini", "BeforeTool", 2, "", ""),
        ("gemini", "BeforeTool", 2, r#"{"decision":"allow"}"#, "no"),
        ("gemini", "BeforeTool", 1, "", "no"),
        ("qwen", "PreToolUse", 2, "no", ""),
        ("qwen", "PostToolUse", 2, "", "no"),
        ("kimi", "PreToolUse", 1, deny, ""),
        ("kimi", "PreToolUse", 0, r#"{"decision":"block","reason":"x"}"#, ""),
        ("cline", "PreToolUse", 2, "", "no"),
        ("copilot", "preToolUse", 0, deny, ""),
        ("copilot", "userPromptSubmitted", 2, "", "no"),
        ("cursor", "preToolUse", 1, r#"{"permission":"deny"}"#, ""),
    ];
    for (agent, event, exit, stdout, stderr) in runs {
        let (reaction, _) = agent_rules::reaction(agent, event, Ended { exit, stdout, stderr });
        assert!(!reaction.blocks(), "{agent} {event} {exit} {stdout}");
    }
    let blocks = [("gemini", 2), ("qwen", 2), ("kimi", 2), ("copilot", 3), ("cursor", 2)];
    for (agent, exit) in blocks {
        let event = dialect(agent).events().iter().find(|event| event.ours == "pre_tool_use");
        let ended = Ended { exit, stdout: "", stderr: "no" };
        let (reaction, _) = agent_rules::reaction(agent, event.unwrap().name, ended);
        assert!(reaction.blocks(), "{agent}");
    }
}
