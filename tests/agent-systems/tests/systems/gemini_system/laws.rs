//! What holds for any bytes and any config.

use hookgate_agent_systems::foreign::{ForeignVerdict, HookSystem, Host, Layer, RawRun, RunEnd};
use hookgate_agent_systems::gemini::GeminiSystem;
use proptest::prelude::{any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy};
use serde_json::{Map, Value, json};

use super::stage::{EVENTS, input, one, scene};
use crate::scene::{any_answer, any_json};

/// Keys and words that mean something somewhere.
const WORDS: &str = "hooks hooksConfig enabled disabled BeforeTool SessionEnd matcher sequential type command \
    name timeout env continue stopReason suppressOutput systemMessage decision deny block \
    ask allow reason hookSpecificOutput additionalContext tool_input clearContext \
    tailToolCallRequest toolConfig mode NONE ANY allowedFunctionNames llm_request \
    llm_response candidates content parts";

fn any_end() -> impl Strategy<Value = RunEnd> {
    prop_oneof![
        (-1..4).prop_map(RunEnd::Exited),
        any::<i32>().prop_map(RunEnd::Exited),
        any::<i32>().prop_map(RunEnd::Signalled),
        any::<i32>().prop_map(RunEnd::InputNotRead),
        any::<bool>().prop_map(RunEnd::Called),
        Just(RunEnd::TimedOut),
        Just(RunEnd::Answered(200)),
        ".{0,4}".prop_map(RunEnd::NotStarted),
    ]
}

/// Outputs that have keys with a meaning.
fn meant() -> impl Strategy<Value = Value> {
    let texts = json!(["r", "", 5, null]);
    any_answer(&[
        ("continue", json!([true, false, 0])),
        ("stopReason", texts.clone()),
        ("suppressOutput", json!([true, false])),
        ("systemMessage", texts.clone()),
        ("decision", json!(["block", "deny", "ask", "allow", "no"])),
        ("reason", texts),
        (
            "hookSpecificOutput",
            json!([{"additionalContext": "<c>", "tool_input": {"a": 1}},
            {"clearContext": true, "tool_input": [1]}, {"llm_response": {"candidates": [1]}}, 5]),
        ),
    ])
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        meant().prop_map(|value| value.to_string().into_bytes()),
        proptest::collection::vec(any::<u8>(), 0..40),
        any_json(WORDS).prop_map(|value| value.to_string().into_bytes()),
    ]
}

proptest! {
    #[test]
    fn any_run_means_something_definite(
        event in proptest::sample::select(&EVENTS[..]),
        end in any_end(),
        other in any::<i32>(),
        stdout in any_text(),
        stderr in any_text(),
        envelope in any_json(WORDS),
    ) {
        let config = scene().config(&[("project", one(event, "x"))]);
        let mut input = input(event).as_object().unwrap().clone();
        input.extend(envelope.as_object().cloned().unwrap_or_default());
        let read = |end: RunEnd| {
            let run = RawRun { stderr: stderr.clone(), ..RawRun::new(end).with_stdout(stdout.clone()) };
            GeminiSystem.read(&config.hooks[0], &input, &run, &Host::default())
        };
        let result = read(end.clone());
        if matches!(end, RunEnd::TimedOut | RunEnd::NotStarted(_) | RunEnd::Answered(_)) {
            prop_assert_eq!(result.verdict, ForeignVerdict::None);
            prop_assert!(!result.halt && result.context.is_empty());
        }
        if matches!(result.verdict, ForeignVerdict::Deny | ForeignVerdict::Feedback) {
            prop_assert!(result.reason.as_ref().is_some_and(|reason| !reason.is_empty()));
        }
        let is_json = serde_json::from_slice::<Map<String, Value>>(&stdout).is_ok();
        if is_json {
            let (one, two) = (read(RunEnd::Exited(0)), read(RunEnd::Exited(other)));
            prop_assert_eq!((one.verdict, one.halt), (two.verdict, two.halt));
        }
        let mut carried = input.clone();
        GeminiSystem.carry(&mut carried, &result);
        prop_assert!(carried.len() == input.len());
        let outcome = GeminiSystem.combine(&input, vec![result.clone()], &Host::default());
        prop_assert_eq!((outcome.verdict, outcome.halt), (result.verdict, result.halt));
        GeminiSystem.combine(&input, vec![result.clone(), result], &Host::default());
    }

    #[test]
    fn any_config_is_read(
        content in any_json(WORDS),
        other in any_json(WORDS),
        name in proptest::sample::select(&["user", "system", "extension:x"][..]),
    ) {
        let layer = |name: &str, content| Layer {
            name: name.to_owned(),
            file: format!("/x/{name}"),
            content,
        };
        let layers = [layer(name, content), layer("project", other)];
        let config = GeminiSystem.load(&layers, &Host::default());
        prop_assert!(config.hooks.iter().all(|hook| !hook.timeout.is_zero()));
    }

    #[test]
    fn any_matcher_is_tried(matcher in ".{0,12}", tool in "[a-z_]{0,12}") {
        let hooks = json!({"hooks": {"BeforeTool": [{"matcher": matcher, "hooks":
            [{"type": "command", "command": "x"}]}]}});
        let config = scene().config(&[("project", hooks)]);
        let mut input = input("BeforeTool").as_object().unwrap().clone();
        input.insert("tool_name".to_owned(), tool.into());
        GeminiSystem.selects(&config.hooks[0], &input, &Host::default());
    }
}
