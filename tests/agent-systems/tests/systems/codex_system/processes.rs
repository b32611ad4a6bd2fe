//! Hooks that are real programs.

use std::sync::Arc;

use hookgate_agent_systems::codex::CodexSystem;
use hookgate_agent_systems::foreign::{
    EventRun, ForeignHooks, ForeignVerdict, HookStatus, Services,
};
use serde_json::json;

use super::stage::{command, input, one, scene};
use crate::scene::error;

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

#[tokio::test]
async fn eight_hooks_of_a_session_run_in_the_background_and_no_more() {
    let scene = scene();
    let slow = json!({"type": "command", "command": "sleep 0.5", "async": true});
    let group = json!({"hooks": vec![slow; 5]});
    let layers = scene.layers(&[("user", json!({"hooks": {"PostToolUse": [group]}}))]);
    let hooks =
        ForeignHooks::load(Arc::new(CodexSystem), &layers, scene.host(), Services::default());
    let input = input("PostToolUse").as_object().unwrap().clone();
    let skipped = |run: &EventRun| {
        let runs = run.runs.iter();
        runs.filter(|run| matches!(run.result.status, HookStatus::Skipped(_))).count()
    };
    // Two events of one session: the limit is that of the session.
    let mut first = hooks.run("PostToolUse", &input).await;
    let mut second = hooks.run("PostToolUse", &input).await;
    first.settle().await;
    second.settle().await;
    assert_eq!((skipped(&first), skipped(&second)), (0, 2));
    assert_eq!((first.runs.len(), second.runs.len()), (5, 5));
    let mut third = hooks.run("PostToolUse", &input).await;
    third.settle().await;
    assert_eq!(skipped(&third), 0, "whoever has ended makes room");
}
