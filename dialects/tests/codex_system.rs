//! Hook configs of OpenAI Codex, run as it runs them.

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

use hookgate_dialects::codex::system::{CodexSystem, trust_hash};
use hookgate_dialects::foreign::{
    ForeignVerdict, HookResult, HookStatus, HookSystem, Host, Layer, RawRun, RunEnd,
};
use proptest::prelude::{any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy};
use scene::{Scene, any_json, error};
use serde_json::{Map, Value, json};

const EVENTS: [&str; 12] = [
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
];

/// Keys and words that mean something somewhere.
const WORDS: &[&str] = &[
    "hooks",
    "PreToolUse",
    "Stop",
    "SessionEnd",
    "matcher",
    "type",
    "command",
    "mcp_tool",
    "prompt",
    "server",
    "tool",
    "input",
    "timeout",
    "async",
    "features",
    "state",
    "enabled",
    "trusted_hash",
    "allow_managed_hooks_only",
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "block",
    "approve",
    "reason",
    "hookSpecificOutput",
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "deny",
    "allow",
    "ask",
    "updatedInput",
    "additionalContext",
    "behavior",
    "message",
    "interrupt",
];

fn scene() -> Scene {
    Scene::new(Arc::new(CodexSystem))
}

fn one(event: &str, hook: Value) -> Value {
    json!({"hooks": {event: [{"hooks": [hook]}]}})
}

fn command(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

fn input(event: &str) -> Value {
    json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"},
        "source": "startup", "trigger": "auto", "agent_type": "explorer", "reason": "other"})
}

/// Reads an answer without a process.
fn said(event: &str, stdout: &str) -> HookResult {
    ended(event, RunEnd::Exited(0), stdout, "")
}

fn ended(event: &str, end: RunEnd, stdout: &str, stderr: &str) -> HookResult {
    let config = scene().config(&[("user", one(event, command("x")))]);
    let run = RawRun {
        stderr: stderr.as_bytes().to_vec(),
        ..RawRun::new(end).with_stdout(stdout.as_bytes().to_vec())
    };
    let input = input(event).as_object().unwrap().clone();
    CodexSystem.read(&config.hooks[0], &input, &run, &Host::default())
}

fn fault(result: &HookResult) -> &str {
    match &result.status {
        HookStatus::Failed(text) => text,
        other => panic!("it did not fail: {other:?}"),
    }
}

#[test]
fn the_cases_pass() {
    scene::conformance("codex");
}

#[tokio::test]
async fn a_denial_of_a_real_program_blocks_and_a_crash_does_not() {
    let scene = scene();
    let deny = scene.program("deny", "", "no\n", 2);
    let run = scene.run(&[("user", one("PreToolUse", command(&deny)))], input("PreToolUse")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::Deny);
    assert_eq!(run.outcome.reason.as_deref(), Some("no"));
    assert!(!scene.got("deny", "in").unwrap().ends_with('\n'), "no newline behind the envelope");

    let crash = one("PreToolUse", command("kill -SEGV $$"));
    let run = scene.run(&[("user", crash)], input("PreToolUse")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::None);
    assert_eq!(error(&run.runs[0]), "hook exited without a status code");
    assert!(run.outcome.shown_to_user.is_some(), "the user is told that it failed open");

    let gone = one("PreToolUse", command("/no/such/hook"));
    let run = scene.run(&[("user", gone)], input("PreToolUse")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::None);
    assert!(error(&run.runs[0]).contains("code 127"), "{}", error(&run.runs[0]));
}

#[tokio::test]
async fn a_hook_that_is_too_slow_is_stopped() {
    let scene = scene();
    let slow = scene.script("slow", "#!/bin/sh\necho no >&2\nsleep 30\nexit 2\n");
    let hook = json!({"type": "command", "command": slow, "timeout": 1});
    let run = scene.run(&[("user", one("PreToolUse", hook))], input("PreToolUse")).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::None);
    assert_eq!(error(&run.runs[0]), "hook timed out after 1s");
}

#[tokio::test]
async fn a_hook_that_does_not_read_its_input_still_blocks() {
    let scene = scene();
    let deaf = scene.script("deaf", "#!/bin/sh\nexec <&-\necho no >&2\nexit 2\n");
    let mut input = input("PreToolUse");
    input["tool_input"]["command"] = "x".repeat(300_000).into();
    let run = scene.run(&[("user", one("PreToolUse", command(&deaf)))], input).await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::Deny);
}

#[tokio::test]
async fn a_plugin_has_its_folders_in_its_commands_and_in_the_environment() {
    let mut scene = scene();
    scene.program("show", "", "", 0);
    let folder = scene.folder.path().to_str().unwrap().to_owned();
    scene.facts = json!({"plugins": {"fmt": {"root": folder, "data": "/data"}}});
    let hook = command("${PLUGIN_ROOT}/show ${CLAUDE_PLUGIN_DATA}");
    scene.run(&[("plugin:fmt", one("Stop", hook))], input("Stop")).await;
    assert_eq!(scene.got("show", "args").unwrap(), "/data\n");
    let env = scene.got("show", "env").unwrap();
    for line in [format!("CLAUDE_PLUGIN_ROOT={folder}"), "PLUGIN_DATA=/data".to_owned()] {
        assert!(env.lines().any(|known| known == line), "{line}");
    }
}

#[test]
fn a_manifest_of_a_plugin_may_nest_its_hooks_or_list_them() {
    let hooks = json!({"hooks": {"Stop": [{"hooks": [command("a")]}]}});
    for manifest in [json!({"hooks": hooks}), json!({"name": "x", "hooks": [hooks, hooks]})] {
        let config = scene().config(&[("plugin:x", manifest.clone())]);
        assert_eq!(config.warnings, [], "{manifest}");
        assert!(!config.hooks.is_empty(), "{manifest}");
    }
    let config = scene().config(&[("plugin:x", json!({"hooks": "./h.json"}))]);
    assert!(config.warnings[0].message.contains("give it as a layer"), "{config:?}");
}

#[tokio::test]
async fn a_hook_in_the_background_decides_nothing_and_speaks_later() {
    let scene = scene();
    let answer = json!({"decision": "block", "reason": "r", "systemMessage": "m",
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "c"}});
    let later = scene.program("later", &answer.to_string(), "", 0);
    let hook = json!({"type": "command", "command": later, "async": true});
    let config = one("PostToolUse", hook.clone());
    let run = scene
        .run(
            &[("user", config), ("project", one("PostToolUse", hook.clone()))],
            input("PostToolUse"),
        )
        .await;
    assert_eq!(run.outcome.verdict, ForeignVerdict::None);
    assert_eq!(run.outcome.context, Vec::<String>::new());
    let later = &run.outcome.effect["delivered_later"];
    assert_eq!(later, &json!({"context": ["c", "c"], "system_message": "m\nm"}));
    assert_eq!(run.runs[0].result.status, HookStatus::Ignored);

    let config = scene.config(&[("user", one("SessionEnd", hook))]);
    assert!(!config.hooks[0].background, "a session waits for its last hooks");
}

#[test]
fn the_answers_that_are_refused_void_all_that_they_say() {
    let deny = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "r", "additionalContext": "c"});
    let good = said("PreToolUse", &json!({"hookSpecificOutput": deny}).to_string());
    assert_eq!(good.verdict, ForeignVerdict::Deny);
    assert_eq!(good.context, ["c"]);
    let spoilt = [
        (json!({"continue": false}), "PreToolUse hook returned unsupported continue:false"),
        (json!({"stopReason": "x"}), "PreToolUse hook returned unsupported stopReason"),
        (json!({"suppressOutput": true}), "PreToolUse hook returned unsupported suppressOutput"),
        (json!({"terminalSequence": "x"}), "hook returned invalid pre-tool-use JSON output"),
        (json!({"decision": "allow"}), "hook returned invalid pre-tool-use JSON output"),
    ];
    for (more, expected) in spoilt {
        let mut answer = json!({"hookSpecificOutput": deny, "systemMessage": "m"});
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let result = said("PreToolUse", &answer.to_string());
        assert!(fault(&result).starts_with(expected), "{}", fault(&result));
        assert_eq!(result.verdict, ForeignVerdict::None);
        assert_eq!(result.context, Vec::<String>::new());
    }
    let cases = [
        (
            "PreToolUse",
            r#"{"decision":"block","reason":" "}"#,
            "decision:block without a non-empty reason",
        ),
        ("PreToolUse", r#"{"reason":"r"}"#, "PreToolUse hook returned reason without decision"),
        (
            "PreToolUse",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r","updatedInput":{}}}"#,
            "updatedInput without permissionDecision:allow",
        ),
        (
            "PermissionRequest",
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedPermissions":[]}}}"#,
            "unsupported updatedPermissions",
        ),
        (
            "PermissionRequest",
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","interrupt":true}}}"#,
            "unsupported interrupt:true",
        ),
        (
            "PostToolUse",
            r#"{"suppressOutput":true,"decision":"block","reason":"r"}"#,
            "unsupported suppressOutput",
        ),
        (
            "UserPromptSubmit",
            r#"{"decision":"block"}"#,
            "UserPromptSubmit hook returned decision:block without",
        ),
        (
            "Stop",
            r#"{"decision":"block","reason":""}"#,
            "Stop hook returned decision:block without",
        ),
        (
            "SubagentStop",
            r#"{"decision":"block"}"#,
            "SubagentStop hook returned decision:block without",
        ),
        ("Stop", "text", "hook returned invalid stop hook JSON output"),
        ("Stop", "\"text\"", "hook returned invalid stop hook JSON output"),
        ("Interrupt", "text", "Interrupt hook returned non-JSON stdout"),
        ("Interrupt", r#"{"continue":true}"#, "hook returned invalid interrupt hook JSON output"),
        ("SubagentStart", "[x]", "hook returned invalid subagent start JSON output"),
        ("UserPromptSubmit", "{", "hook returned invalid user prompt submit JSON output"),
        (
            "PostCompact",
            r#"{"decision":"block"}"#,
            "hook returned invalid PostCompact hook JSON output",
        ),
    ];
    for (event, answer, expected) in cases {
        let result = said(event, answer);
        assert!(fault(&result).contains(expected), "{event} {answer}: {}", fault(&result));
        assert_eq!((result.verdict, result.halt), (ForeignVerdict::None, false));
    }
}

#[test]
fn what_is_allowed_has_its_effect() {
    let rewrite = json!({"hookSpecificOutput": {"hookEventName": "Stop",
        "permissionDecision": "allow", "updatedInput": {"command": "x"}}});
    let result = said("PreToolUse", &rewrite.to_string());
    assert_eq!(result.verdict, ForeignVerdict::None, "it does not skip the question to the user");
    assert_eq!(result.updated_input, Some(json!({"command": "x"})));

    let deny = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny"}}});
    let result = said("PermissionRequest", &deny.to_string());
    assert_eq!(result.reason.as_deref(), Some("PermissionRequest hook denied approval"));

    let result = said("PostToolUse", r#"{"continue": false}"#);
    assert_eq!(result.reason.as_deref(), Some("PostToolUse hook stopped execution"));
    assert_eq!((result.status, result.halt), (HookStatus::Stopped, false));
    let result = said("PostToolUse", r#"{"continue": false, "stopReason": "s"}"#);
    assert_eq!(result.reason.as_deref(), Some("s"));

    let start = json!({"continue": false, "stopReason": "s", "hookSpecificOutput":
        {"hookEventName": "SessionStart", "additionalContext": "c"}});
    let result = said("SessionStart", &start.to_string());
    assert!(result.halt && result.ends_turn);
    assert_eq!(result.context, ["c"]);
    let result = said("SubagentStart", &start.to_string());
    assert!(!result.halt, "a subagent starts all the same");

    assert_eq!(said("SessionEnd", "{not json").status, HookStatus::Ok, "nobody reads it");
    assert_eq!(said("Interrupt", r#"{"systemMessage": "m"}"#).system_message.unwrap(), "m");
}

#[test]
fn exit_two_needs_words_and_works_on_six_events() {
    for event in EVENTS {
        let silent = ended(event, RunEnd::Exited(2), "", " \n");
        assert!(fault(&silent).contains("exited with code 2"), "{event}");
        let loud = ended(event, RunEnd::Exited(2), r#"{"continue": true}"#, "why\n");
        let expected = match event {
            "PreToolUse" | "PermissionRequest" | "UserPromptSubmit" => ForeignVerdict::Deny,
            "PostToolUse" => ForeignVerdict::Feedback,
            "Stop" | "SubagentStop" => ForeignVerdict::KeepGoing,
            _ => ForeignVerdict::None,
        };
        assert_eq!(loud.verdict, expected, "{event}");
        if expected == ForeignVerdict::None {
            assert_eq!(fault(&loud), "hook exited with code 2: why", "{event}");
        } else {
            assert_eq!(loud.reason.as_deref(), Some("why"), "{event}");
        }
    }
}

#[test]
fn a_long_text_becomes_a_preview_and_nothing_is_lost() {
    let long = "word ".repeat(4_000);
    let folder = tempfile::tempdir().unwrap();
    let env = vec![("TMPDIR".to_owned(), folder.path().to_str().unwrap().to_owned())];
    let host = Host { env, ..Host::default() };
    let hook =
        |limit: Value| json!({"type": "command", "command": "x", "additionalContextLimit": limit});
    let spilled = |hook: Value| {
        let config = scene().config(&[("user", one("SessionStart", hook))]);
        let run = RawRun::new(RunEnd::Exited(0)).with_stdout(long.clone().into_bytes());
        let input = input("SessionStart").as_object().unwrap().clone();
        let result = CodexSystem.read(&config.hooks[0], &input, &run, &host);
        CodexSystem.combine(&input, vec![result], &host)
    };
    let outcome = spilled(command("x"));
    assert!(outcome.context_spilled && outcome.context[0].len() < long.len());
    let place = outcome.effect["spilled"][0].as_str().unwrap();
    assert!(outcome.context[0].contains(place), "the model is told where the whole is");
    let file = std::fs::read_to_string(place.strip_prefix("the whole is in ").unwrap()).unwrap();
    assert_eq!(file, long.trim());
    assert!(!spilled(hook(json!(0))).context_spilled, "zero is no limit");
    assert!(!spilled(hook(json!(5_000))).context_spilled);
    let config = scene().config(&[("user", one("Stop", hook(json!(1))))]);
    assert!(config.warnings[0].message.contains("additionalContextLimit"), "{config:?}");
}

#[test]
fn a_stop_beats_every_block_and_a_denial_every_rewrite() {
    let join = |event: &str, answers: &[&str]| {
        let results = answers.iter().map(|answer| said(event, answer)).collect();
        CodexSystem.combine(input(event).as_object().unwrap(), results, &Host::default())
    };
    let block = r#"{"decision":"block","reason":"b"}"#;
    let outcome = join("Stop", &[block, r#"{"continue":false,"stopReason":"s"}"#]);
    assert_eq!((outcome.verdict, outcome.halt), (ForeignVerdict::None, true));
    assert_eq!(outcome.halt_reason.as_deref(), Some("s"));
    let outcome = join("Stop", &[block, block]);
    assert_eq!(outcome.reason.as_deref(), Some("b\n\nb"));

    let rewrite = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}"#;
    assert_eq!(join("PreToolUse", &[rewrite]).updated_input, Some(json!({"a": 1})));
    let outcome = join("PreToolUse", &[rewrite, block]);
    assert_eq!((outcome.verdict, outcome.updated_input), (ForeignVerdict::Deny, None));
}

#[test]
fn a_review_counts_for_the_hook_that_was_reviewed() {
    let hook = command("./guard");
    let hash = trust_hash("PreToolUse", None, &hook);
    let runs = |facts: Value, state: Value| {
        let mut scene = scene();
        scene.facts = facts;
        let key = format!("{}:pre_tool_use:0:0", scene.folder.path().join("user").display());
        let layers = [
            ("user", one("PreToolUse", hook.clone())),
            ("user_toml", json!({"hooks": {"state": {key: state}}})),
        ];
        let config = scene.config(&layers);
        assert_eq!(config.hooks.is_empty(), !config.warnings.is_empty(), "{config:?}");
        !config.hooks.is_empty()
    };
    let bypass = json!({"flags": ["--dangerously-bypass-hook-trust"], "trusted": false});
    let not = json!({"trusted": false});
    let stale = json!({"trusted_hash": "sha256:00"});
    assert!(runs(json!({}), json!({})));
    assert!(!runs(not.clone(), json!({})), "nobody has reviewed it");
    assert!(runs(not.clone(), json!({"trusted_hash": hash})));
    assert!(!runs(json!({"trusted": true}), stale.clone()), "it has changed since");
    assert!(runs(bypass.clone(), stale));
    assert!(!runs(bypass, json!({"enabled": false})), "what is off stays off");
    assert!(!runs(json!({}), json!({"enabled": false, "trusted_hash": hash})));
}

#[test]
fn a_project_cannot_vouch_for_itself() {
    let mut scene = scene();
    scene.facts = json!({"trusted": false});
    let hook = command("./guard");
    let key = format!("{}:stop:0:0", scene.folder.path().join("project").display());
    let state =
        json!({"hooks": {"state": {key: {"trusted_hash": trust_hash("Stop", None, &hook)}}}});
    let of = |layer: &'static str| [("project", one("Stop", hook.clone())), (layer, state.clone())];
    assert!(scene.config(&of("project_toml")).hooks.is_empty());
    assert_eq!(scene.config(&of("user_toml")).hooks.len(), 1);
    scene.facts = json!({"project_trusted": false});
    assert!(scene.config(&of("user_toml")).hooks.is_empty());
}

#[test]
fn what_an_administrator_requires_runs_first_and_cannot_be_switched_off() {
    let mut scene = scene();
    let hook = |name: &str| one("Stop", command(name));
    let layers = [
        ("plugin:p", hook("plugin")),
        ("project", hook("project")),
        ("user", hook("user")),
        ("session_toml", hook("session")),
        ("requirements", hook("required")),
    ];
    let order: Vec<_> = scene.config(&layers).hooks.into_iter().map(|hook| hook.layer).collect();
    assert_eq!(order, ["requirements", "user", "project", "session_toml", "plugin:p"]);
    scene.facts = json!({"trusted": false});
    let layers_left: Vec<_> =
        scene.config(&layers).hooks.into_iter().map(|hook| hook.layer).collect();
    assert_eq!(layers_left, ["requirements"]);
    let off = json!({"features": {"codex_hooks": false}});
    assert!(scene.config(&[("user", hook("a")), ("config", off.clone())]).hooks.is_empty());
    let on = json!({"features": {"hooks": true}});
    scene.facts = json!({});
    let layers = [("user", hook("a")), ("config", off.clone()), ("project_toml", on.clone())];
    assert_eq!(scene.config(&layers).hooks.len(), 1, "the stronger layer switches them on");
    let layers = [("user", hook("a")), ("requirements", off), ("project_toml", on)];
    assert!(scene.config(&layers).hooks.is_empty(), "nobody overrules what is required");
}

#[test]
fn one_fault_makes_a_file_void_and_an_unknown_name_does_not() {
    let good = json!({"hooks": [command("a")]});
    let faults = [
        json!({"hooks": [{"type": "shell", "command": "a"}]}),
        json!({"hooks": [{"command": "a"}]}),
        json!({"hooks": [{"type": "command"}]}),
        json!({"hooks": [{"type": "command", "command": "a", "timeout": "5"}]}),
        json!({"hooks": [{"type": "command", "command": "a", "timeout": -1}]}),
        json!({"hooks": [{"type": "command", "command": "a", "timeout": 1.5}]}),
        json!({"hooks": [{"type": "command", "command": "a", "async": "yes"}]}),
        json!({"hooks": [{"type": "mcp_tool", "server": "s"}]}),
        json!({"matcher": 1, "hooks": []}),
        json!("group"),
    ];
    for fault in faults {
        let file = json!({"hooks": {"Stop": [good], "PreToolUse": [good, fault]}});
        let other = one("Stop", command("b"));
        let config = scene().config(&[("user", file), ("project", other)]);
        assert_eq!(config.hooks.len(), 1, "only the other file counts: {fault}");
        assert!(config.warnings[0].message.starts_with("no hook of this file runs"), "{config:?}");
        assert!(config.warnings[0].pointer.starts_with("/hooks/PreToolUse/1"), "{config:?}");
    }
    let file = json!({"version": 1, "hooks": {"Notification": 5, "stop": [], "Stop": [
        {"hooks": [{"type": "command", "command": "a", "future": true}], "future": 1}]}});
    let config = scene().config(&[("user", file)]);
    assert_eq!(config.hooks.len(), 1);
    let pointers: Vec<_> = config.warnings.iter().map(|w| w.pointer.as_str()).collect();
    assert_eq!(pointers, ["/version", "/hooks/Notification", "/hooks/stop"]);
}

#[test]
fn toml_that_was_not_parsed_yet_is_parsed() {
    let text =
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"a\"\ntimeout = 5\n";
    let config = scene().config(&[("user_toml", json!(text)), ("user", one("Stop", command("b")))]);
    assert_eq!(config.hooks[1].timeout, Duration::from_secs(5));
    assert!(config.warnings[0].message.contains("the same layer has hooks"), "{config:?}");
    let config = scene().config(&[("user_toml", json!("[[hooks"))]);
    assert!(config.warnings[0].message.starts_with("none of its hooks runs"), "{config:?}");
}

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
        facts in any_json(&["trusted", "flags", "plugins", "project_trusted", "x"]),
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
