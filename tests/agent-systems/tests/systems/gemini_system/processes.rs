//! Hooks that are real programs.

use hookgate_agent_systems::foreign::ForeignVerdict;
use serde_json::{Value, json};

use super::stage::{group, input, one, scene};
use crate::scene::error;

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
    assert_eq!(error(&run.runs[0]), "the hook timed out after 300ms");
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
