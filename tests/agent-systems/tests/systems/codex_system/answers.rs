//! What answers mean, and which are refused.

use hookgate_agent_systems::codex::CodexSystem;
use hookgate_agent_systems::foreign::{
    ForeignVerdict, HookStatus, HookSystem, Host, RawRun, RunEnd,
};
use serde_json::{Value, json};

use super::stage::{EVENTS, command, ended, fault, input, one, said, scene};

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
    assert_eq!(std::fs::read_to_string(place).unwrap(), long.trim());
    let name = place.strip_suffix(".txt").unwrap().rsplit('/').next().unwrap();
    assert_eq!(name.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{place}");
    assert!(!spilled(hook(json!(0))).context_spilled, "zero is no limit");
    assert!(!spilled(hook(json!(5_000))).context_spilled);
    // A reason that the model reads is cut as well; the user reads the whole.
    for (event, is_cut) in [
        ("PreToolUse", true),
        ("PermissionRequest", true),
        ("Stop", true),
        ("UserPromptSubmit", false),
    ] {
        let config = scene().config(&[("user", one(event, command("x")))]);
        let mut run = RawRun::new(RunEnd::Exited(2));
        run.stderr = long.clone().into_bytes();
        let input = input(event).as_object().unwrap().clone();
        let result = CodexSystem.read(&config.hooks[0], &input, &run, &host);
        let reason = result.reason.unwrap();
        assert_eq!(reason.len() < long.trim().len(), is_cut, "{event}");
    }
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
