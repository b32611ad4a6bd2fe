//! Hook configs of Gemini CLI, run as it runs them.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod scene;

use std::sync::Arc;
use std::time::Duration;

use hookgate_dialects::foreign::{
    ForeignVerdict, HookResult, HookStatus, HookSystem, Host, Layer, Outcome, RawRun, RunEnd,
};
use hookgate_dialects::gemini::system::GeminiSystem;
use proptest::prelude::{any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy};
use scene::{Scene, any_json, error};
use serde_json::{Map, Value, json};

const EVENTS: [&str; 11] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "SessionStart",
    "SessionEnd",
    "PreCompress",
    "Notification",
];

/// Keys and words that mean something somewhere.
const WORDS: &[&str] = &[
    "hooks",
    "hooksConfig",
    "enabled",
    "disabled",
    "BeforeTool",
    "SessionEnd",
    "matcher",
    "sequential",
    "type",
    "command",
    "name",
    "timeout",
    "env",
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "deny",
    "block",
    "ask",
    "allow",
    "reason",
    "hookSpecificOutput",
    "additionalContext",
    "tool_input",
    "clearContext",
    "tailToolCallRequest",
    "toolConfig",
    "mode",
    "NONE",
    "ANY",
    "allowedFunctionNames",
    "llm_request",
    "llm_response",
    "candidates",
    "content",
    "parts",
];

fn scene() -> Scene {
    Scene::new(Arc::new(GeminiSystem))
}

fn group(event: &str, hooks: Value) -> Value {
    json!({"hooks": {event: [{"hooks": hooks}]}})
}

fn one(event: &str, command: &str) -> Value {
    group(event, json!([{"type": "command", "command": command}]))
}

fn input(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s-1", "tool_name": "read_file",
        "tool_input": {"file_path": "a"}, "tool_response": {"llmContent": "text"},
        "prompt": "p", "source": "startup", "reason": "exit", "trigger": "auto",
        "llm_request": {"model": "m", "config": {"topP": 1}},
        "llm_response": {"candidates": [{"content": {"parts": ["original"]}}]}})
}

/// Reads an output without a process.
fn said(event: &str, output: Value) -> HookResult {
    ended(event, RunEnd::Exited(0), &output.to_string(), "")
}

fn ended(event: &str, end: RunEnd, stdout: &str, stderr: &str) -> HookResult {
    let config = scene().config(&[("project", one(event, "x"))]);
    let run = RawRun {
        stderr: stderr.as_bytes().to_vec(),
        ..RawRun::new(end).with_stdout(stdout.as_bytes().to_vec())
    };
    let input = input(event).as_object().unwrap().clone();
    GeminiSystem.read(&config.hooks[0], &input, &run, &Host::default())
}

fn join(event: &str, outputs: &[Value]) -> Outcome {
    let results = outputs.iter().map(|output| said(event, output.clone())).collect();
    GeminiSystem.combine(input(event).as_object().unwrap(), results, &Host::default())
}

#[test]
fn the_cases_pass() {
    scene::conformance("gemini");
}

#[tokio::test]
async fn a_denial_of_a_real_program_blocks_and_a_crash_does_not() {
    let scene = scene();
    let deny = scene.program("deny", "", "no\n", 2);
    let run = scene.run(&[("project", one("BeforeTool", &deny))], input("BeforeTool")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::Deny);
    assert_eq!(run.outcome.reason.as_deref(), Some("no"));

    let silent = scene.program("silent", "", "", 2);
    let run = scene.run(&[("project", one("BeforeTool", &silent))], input("BeforeTool")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::None, "Gemini CLI lets it run");
    let shown = run.outcome.shown_to_user.unwrap();
    assert!(shown.contains("silent") && shown.contains("code 2"), "{shown}");

    let crash = one("BeforeTool", "kill -SEGV $$");
    let run = scene.run(&[("project", crash)], input("BeforeTool")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::None);
    assert!(error(&run.runs[0]).starts_with("signal 11"), "{}", error(&run.runs[0]));

    let gone = one("BeforeTool", "/no/such/hook");
    let run = scene.run(&[("project", gone)], input("BeforeTool")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::Deny, "bash says so on stderr, with 127");
}

#[tokio::test]
async fn a_hook_that_is_too_slow_is_stopped() {
    let scene = scene();
    let slow = scene.script("slow", "#!/bin/sh\necho '{\"decision\":\"deny\"}'\nsleep 30\n");
    let hooks = json!([{"type": "command", "command": slow, "timeout": 300}]);
    let run = scene.run(&[("project", group("BeforeTool", hooks))], input("BeforeTool")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::None);
    assert_eq!(error(&run.runs[0]), "the hook was stopped after 300 ms");
}

#[tokio::test]
async fn variables_are_filled_in_when_the_settings_are_read_and_when_the_command_runs() {
    let mut scene = scene();
    let show = scene.program("show", "", "", 0);
    scene.env.push(("MY_DIR".to_owned(), "/my".to_owned()));
    let mut input = input("Notification");
    input["cwd"] = "/a b".into();
    let command =
        format!("{show} '$MY_DIR' '$UNSET' '${{UNSET:-d}}' $GEMINI_CWD $GEMINI_SESSION_ID");
    let hooks = json!([{"type": "command", "command": command, "env": {"OWN": "$MY_DIR/x", "GEMINI_CWD": "/else"}}]);
    scene.run(&[("project", group("Notification", hooks))], input).await;
    assert_eq!(scene.got("show", "args").unwrap(), "/my $UNSET d /a b s-1\n");
    let env = scene.got("show", "env").unwrap();
    for line in
        ["OWN=/my/x", "GEMINI_CWD=/else", "GEMINI_PROJECT_DIR=/a b", "CLAUDE_PROJECT_DIR=/a b"]
    {
        assert!(env.lines().any(|known| known == line), "{line}");
    }
}

#[tokio::test]
async fn an_extension_knows_its_folder_and_runs_in_any_folder() {
    let mut scene = scene();
    scene.program("show", "", "", 0);
    let folder = scene.folder.path().to_str().unwrap().to_owned();
    scene.facts = json!({"plugins": {"x": {"root": folder}}, "trusted_folder": false});
    let own = one("Notification", "${extensionPath}/show");
    let other = one("Notification", "touch ran");
    let layers = [("extension:x", own), ("project", other.clone()), ("user", other)];
    let run = scene.run(&layers, input("Notification")).await;
    assert_eq!(run.runs.len(), 1);
    assert!(scene.got("show", "in").is_some());
    assert_eq!(scene.config(&layers).warnings.len(), 2, "two files are not trusted");
}

#[tokio::test]
async fn hooks_of_a_sequence_hand_their_changes_on() {
    let scene = scene();
    let answer =
        |specific: Value| json!({"decision": "deny", "hookSpecificOutput": specific}).to_string();
    let cases = [
        (
            "BeforeTool",
            json!({"tool_input": {"limit": 1}}),
            "tool_input",
            json!({"file_path": "a", "limit": 1}),
        ),
        ("BeforeAgent", json!({"additionalContext": "<c>"}), "prompt", json!("p\n\n<c>")),
        (
            "BeforeModel",
            json!({"llm_request": {"model": "n"}}),
            "llm_request",
            json!({"model": "n", "config": {"topP": 1}}),
        ),
        ("AfterTool", json!({"tool_input": {"limit": 1}}), "tool_input", json!({"file_path": "a"})),
    ];
    for (event, specific, field, expected) in cases {
        for (exit, expected) in [(0, expected), (1, input(event)[field].clone())] {
            let first = scene.program("first", &answer(specific.clone()), "", exit);
            let second = scene.program("second", "", "", 0);
            let hooks = json!([{"type": "command", "command": first}, {"type": "command", "command": second}]);
            let config = json!({"hooks": {event: [{"sequential": true, "hooks": hooks}]}});
            scene.run(&[("project", config)], input(event)).await;
            let got: Value = serde_json::from_str(&scene.got("second", "in").unwrap()).unwrap();
            assert_eq!(got[field], expected, "{event}, exit {exit}");
        }
    }
}

#[test]
fn the_same_command_under_the_same_name_is_the_same_hook() {
    let hook = |name: &str| json!({"type": "command", "command": "x", "name": name});
    let hooks =
        json!([{"type": "command", "command": "x"}, hook(""), hook("a"), hook("a"), hook("b")]);
    let hooks = scene().config(&[("project", group("BeforeTool", hooks))]).hooks;
    let same: Vec<_> = hooks.iter().map(|hook| GeminiSystem.is_same(&hooks[2], hook)).collect();
    assert_eq!(same, [false, false, true, true, false]);
    assert!(GeminiSystem.is_same(&hooks[0], &hooks[1]));
}

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

#[test]
fn switches_come_from_the_strongest_file_and_names_from_all() {
    let named = group(
        "BeforeTool",
        json!([
            {"type": "command", "command": "a", "name": "one"},
            {"type": "command", "command": "b"},
            {"type": "command", "command": "c"},
        ]),
    );
    let off = |names: Value| json!({"hooksConfig": {"disabled": names}});
    let config = scene().config(&[
        ("project", named.clone()),
        ("user", off(json!(["one"]))),
        ("system", off(json!(["b"]))),
    ]);
    assert_eq!((config.hooks.len(), config.warnings.len()), (1, 2));
    let switch = |is_on: bool| json!({"hooksConfig": {"enabled": is_on}});
    let count = |layers: &[(&str, Value)]| scene().config(layers).hooks.len();
    assert_eq!(count(&[("extension:x", named.clone()), ("user", switch(false))]), 0);
    let mut on = named.clone();
    on["hooksConfig"] = json!({"enabled": true});
    assert_eq!(count(&[("project", on.clone()), ("user", switch(false))]), 3);
    assert_eq!(count(&[("project", on), ("system", switch(false))]), 0);
}

#[test]
fn what_is_malformed_is_dropped_alone_and_told() {
    let config = json!({"hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "a"}]}],
        "AfterTool": {"hooks": []},
        "disabled": ["a"],
        "BeforeTool": [
            {"matcher": "x"}, "group", {"matcher": 1, "hooks": []},
            {"hooks": ["hook", {"command": "a"}, {"type": "http", "url": "a"}, {"type": "command"},
                {"type": "command", "command": ""}, {"type": "command", "command": "good", "future": 1}]},
        ],
    }});
    let config = scene().config(&[("project", config)]);
    assert_eq!(config.hooks.len(), 1);
    assert_eq!(config.warnings.len(), 11, "{:?}", config.warnings);
    assert_eq!(scene().config(&[("project", json!([]))]).warnings.len(), 1);
}

#[test]
fn limits_are_in_milliseconds() {
    let cases = [
        (json!(null), 60_000, false),
        (json!(1_500), 1_500, false),
        (json!(0.5), 1, true),
        (json!(0), 1, true),
        (json!(-5), 1, true),
        (json!(2_147_483_648_u64), 1, true),
        (json!("5"), 60_000, true),
    ];
    for (limit, expected, is_odd) in cases {
        let hooks = json!([{"type": "command", "command": "x", "timeout": limit}]);
        let config = scene().config(&[("project", group("BeforeTool", hooks))]);
        assert_eq!(config.hooks[0].timeout, Duration::from_millis(expected), "{limit}");
        assert_eq!(!config.warnings.is_empty(), is_odd, "{limit}");
    }
}

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

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
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
