//! What holds for any bytes and any config.

use hookgate_agent_systems::codex::CodexSystem;
use hookgate_agent_systems::foreign::{
    ForeignVerdict, HookStatus, HookSystem, Host, Layer, RawRun, RunEnd,
};
use proptest::prelude::{any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy};
use serde_json::{Map, Value, json};

use super::stage::{EVENTS, input, one, scene};
use crate::scene::{any_answer, any_json};

/// Keys and words that mean something somewhere.
const WORDS: &str = "hooks PreToolUse Stop SessionEnd matcher type command mcp_tool prompt server tool input \
    timeout async features state enabled trusted_hash allow_managed_hooks_only continue \
    stopReason suppressOutput systemMessage decision block approve reason hookSpecificOutput \
    hookEventName permissionDecision permissionDecisionReason deny allow ask updatedInput \
    additionalContext behavior message interrupt";

fn any_end() -> impl Strategy<Value = RunEnd> {
    prop_oneof![
        Just(RunEnd::Exited(0)),
        Just(RunEnd::Exited(2)),
        any::<i32>().prop_map(RunEnd::Exited),
        any::<i32>().prop_map(RunEnd::Signalled),
        any::<i32>().prop_map(RunEnd::InputNotRead),
        any::<bool>().prop_map(RunEnd::Called),
        Just(RunEnd::TimedOut),
        Just(RunEnd::NotConnected),
        Just(RunEnd::Answered(200)),
        Just(RunEnd::Opinion(json!({"ok": false}))),
        ".{0,4}".prop_map(RunEnd::NotStarted),
    ]
}

/// Answers of the right form, and some that are almost right.
fn nearly() -> impl Strategy<Value = Value> {
    let texts = json!(["r", " ", null]);
    let specific = any_answer(&[
        ("hookEventName", json!(["PreToolUse", "Stop"])),
        ("permissionDecision", json!(["allow", "deny", "ask"])),
        ("permissionDecisionReason", texts.clone()),
        ("updatedInput", json!([{"a": 1}, null])),
        ("additionalContext", texts.clone()),
    ]);
    let universal = any_answer(&[
        ("continue", json!([true, false])),
        ("stopReason", texts.clone()),
        ("suppressOutput", json!([true, false])),
        ("systemMessage", texts.clone()),
        ("decision", json!(["block", "approve"])),
        ("reason", texts),
    ]);
    (universal, proptest::option::of(specific)).prop_map(|(mut answer, specific)| {
        if let Some(specific) = specific {
            answer["hookSpecificOutput"] = specific;
        }
        answer
    })
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        nearly().prop_map(|value| value.to_string().into_bytes()),
        proptest::collection::vec(any::<u8>(), 0..40),
        any_json(WORDS).prop_map(|value| value.to_string().into_bytes()),
    ]
}

proptest! {
    #[test]
    fn any_run_means_something_definite(
        event in proptest::sample::select(&EVENTS[..]),
        end in any_end(),
        stdout in any_text(),
        stderr in any_text(),
        is_async in any::<bool>(),
    ) {
        let hook = json!({"type": "command", "command": "x", "async": is_async});
        let config = scene().config(&[("user", one(event, hook))]);
        let run = RawRun { stderr, ..RawRun::new(end.clone()).with_stdout(stdout) };
        let input = input(event).as_object().unwrap().clone();
        let result = CodexSystem.read(&config.hooks[0], &input, &run, &Host::default());
        if matches!(result.status, HookStatus::Failed(_)) {
            prop_assert_eq!(result.verdict, ForeignVerdict::None);
            prop_assert!(!result.halt && result.context.is_empty());
            prop_assert!(result.updated_input.is_none() && result.reason.is_none());
        }
        let may_speak = matches!(end, RunEnd::Called(false))
            || matches!(end, RunEnd::Exited(0 | 2) | RunEnd::InputNotRead(0 | 2));
        prop_assert!(may_speak || matches!(result.status, HookStatus::Failed(_)), "{:?}", result);
        if result.verdict == ForeignVerdict::Deny {
            prop_assert!(result.reason.as_ref().is_some_and(|reason| !reason.trim().is_empty()));
        }
        let outcome = CodexSystem.combine(&input, vec![result.clone(), result.clone()], &Host::default());
        prop_assert!(outcome.verdict == result.verdict || outcome.halt);
        prop_assert!(outcome.verdict != ForeignVerdict::Deny || outcome.updated_input.is_none());
    }

    #[test]
    fn any_config_is_read(
        content in any_json(WORDS),
        other in any_json(WORDS),
        facts in any_json("trusted flags plugins project_trusted x"),
        name in proptest::sample::select(&["user", "config", "requirements", "plugin:x"][..]),
    ) {
        let layer = |name: &str, content| Layer {
            name: name.to_owned(),
            file: format!("/x/{name}"),
            content,
        };
        let facts: Map<_, _> = facts.as_object().cloned().unwrap_or_default();
        let host = Host { facts, ..Host::default() };
        let layers = [layer(name, content), layer("project", other)];
        let config = CodexSystem.load(&layers, &host);
        for hook in &config.hooks {
            let seconds = hook.timeout.as_secs();
            prop_assert!(seconds >= 1 && (hook.event != "SessionEnd" || seconds <= 3));
        }
    }
}
