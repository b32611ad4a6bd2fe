//! What outputs mean, and what several of them come to.

use hookgate_agent_systems::foreign::{ForeignVerdict, HookStatus, Outcome, RunEnd};
use serde_json::{Value, json};

use super::stage::{EVENTS, ended, join};

#[test]
fn json_decides_whatever_the_exit_status_is() {
    let deny = r#"{"decision": "block", "reason": "r"}"#;
    for exit in [0, 1, 2, 3, 255] {
        let result = ended("BeforeTool", RunEnd::Exited(exit), deny, "e");
        assert_eq!((result.verdict, result.status), (ForeignVerdict::Deny, HookStatus::Blocked));
        let result = ended("BeforeTool", RunEnd::Exited(exit), r#"{"decision": "allow"}"#, "e");
        assert_eq!(result.verdict, ForeignVerdict::None, "an allowing object undoes exit {exit}");
    }
    let result = ended("BeforeTool", RunEnd::Signalled(9), deny, "");
    assert_eq!(result.verdict, ForeignVerdict::Deny, "it was said before the end");
    let result = ended("BeforeTool", RunEnd::Exited(1), "", "w");
    assert_eq!(result.system_message.as_deref(), Some("Warning: w"));
    assert!(matches!(result.status, HookStatus::Error(_)));
    assert_eq!(ended("BeforeTool", RunEnd::TimedOut, deny, "").verdict, ForeignVerdict::None);
}

#[test]
fn each_event_makes_of_a_denial_what_it_can() {
    let deny = json!({"decision": "deny", "reason": "r"});
    for event in EVENTS {
        let outcome = join(event, std::slice::from_ref(&deny));
        let expected = match event {
            "BeforeTool" | "BeforeAgent" | "BeforeModel" | "AfterModel" => ForeignVerdict::Deny,
            "AfterTool" => ForeignVerdict::Feedback,
            "AfterAgent" => ForeignVerdict::KeepGoing,
            _ => ForeignVerdict::None,
        };
        assert_eq!(outcome.verdict, expected, "{event}");
        let stop = json!({"continue": false, "decision": "deny", "reason": "r"});
        let outcome = join(event, &[stop]);
        assert_eq!(outcome.halt, expected != ForeignVerdict::None, "{event}");
        assert_eq!(outcome.verdict, ForeignVerdict::None, "a stop comes first: {event}");
    }
    let cases = [json!({"decision": "DENY"}), json!({"decision": true}), json!({"continue": 0})];
    for output in cases {
        let outcome = join("BeforeTool", std::slice::from_ref(&output));
        assert_eq!((outcome.verdict, outcome.halt), (ForeignVerdict::None, false), "{output}");
    }
}

#[test]
fn outputs_are_joined_as_their_event_asks() {
    let texts = |decision: &str, text: &str| {
        json!({"decision": decision, "reason": text,
        "systemMessage": text, "hookSpecificOutput": {"additionalContext": text, "tool_input": {"by": text}}})
    };
    let outcome = join("BeforeTool", &[texts("ask", "a"), texts("allow", "b")]);
    assert_eq!(outcome.verdict, ForeignVerdict::Ask);
    assert_eq!(outcome.shown_to_user.as_deref(), Some("a\nb"), "the confirmation shows it");
    assert_eq!(outcome.updated_input, Some(json!({"by": "b"})));
    assert_eq!(outcome.system_message.as_deref(), Some("a\nb"));
    let outcome = join("BeforeTool", &[texts("deny", "a"), texts("ask", "b")]);
    assert_eq!(outcome.verdict, ForeignVerdict::Deny);
    assert_eq!((outcome.reason.as_deref(), outcome.updated_input), (Some("a\nb"), None));

    let outcome = join("BeforeModel", &[texts("deny", "a"), texts("allow", "b")]);
    assert_eq!(outcome.verdict, ForeignVerdict::None, "the later one undoes the earlier one");
    let outcome = join("BeforeModel", &[texts("allow", "a"), texts("deny", "b")]);
    assert_eq!(outcome.reason.as_deref(), Some("b"));

    let tools = |mode: &str, names: Value| json!({"hookSpecificOutput": {"toolConfig": {"mode": mode, "allowedFunctionNames": names}}});
    let config =
        |outputs: &[Value]| join("BeforeToolSelection", outputs).effect["tool_config"].clone();
    let two = [tools("ANY", json!(["z", "a"])), tools("AUTO", json!(["m", "a"]))];
    assert_eq!(config(&two), json!({"mode": "ANY", "allowedFunctionNames": ["a", "m", "z"]}));
    let none = [tools("ANY", json!(["a"])), tools("NONE", json!(["b"]))];
    assert_eq!(config(&none), json!({"mode": "NONE", "allowedFunctionNames": []}));

    let outcome = join("SessionEnd", &[texts("deny", "a"), texts("deny", "b")]);
    assert_eq!(outcome.system_message.as_deref(), Some("b"));
    assert_eq!(join("BeforeTool", &[]), Outcome::default());
}

#[test]
fn what_is_specific_to_an_event_has_its_effect() {
    let specific =
        |event: &str, specific: Value| join(event, &[json!({"hookSpecificOutput": specific})]);
    let outcome = specific("SessionStart", json!({"additionalContext": "<b>"}));
    assert_eq!(outcome.context, ["&lt;b&gt;"]);
    let clear = json!({"decision": "deny", "hookSpecificOutput": {"clearContext": true}});
    let later = json!({"hookSpecificOutput": {"clearContext": false}});
    assert_eq!(join("AfterAgent", &[clear, later]).effect["clear_context"], true);
    let answer = json!({"candidates": [{"content": {"parts": ["new"]}}]});
    let outcome = specific("BeforeModel", json!({"llm_response": answer}));
    assert!(!outcome.effect.contains_key("synthetic_text"), "only a denial uses it");
    let outcome = specific("AfterModel", json!({"llm_response": answer}));
    assert_eq!(outcome.effect["response_parts"], json!(["new"]));
    let outcome = specific("BeforeModel", json!({"llm_request": {"model": "n"}}));
    assert_eq!(outcome.effect["model"], "n");
    let denied = json!({"decision": "deny", "hookSpecificOutput": {"tailToolCallRequest": {"name": "x"}, "additionalContext": "c"}});
    let outcome = join("AfterTool", &[denied]);
    assert_eq!(
        (outcome.context.len(), outcome.effect.len()),
        (0, 0),
        "a block leaves nothing else"
    );
    let hidden = json!({"systemMessage": "m", "suppressOutput": true});
    assert_eq!(join("BeforeTool", &[hidden]).system_message, None);
}
