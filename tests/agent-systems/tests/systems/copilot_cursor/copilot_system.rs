//! Hooks of Copilot, run as Copilot runs them.

use super::support::{Set, answers, status};
use hookgate_agent_systems::copilot::CopilotSystem;
use hookgate_agent_systems::foreign::{Audience, ForeignVerdict as V, HookStatus};
use serde_json::{Value, json};

fn one(event: &str, hook: Value) -> Set {
    Set::new(CopilotSystem, json!({"version": 1, "hooks": {event: [hook]}}))
}

fn two(event: &str, first: Value, second: Value) -> Set {
    let hooks = [first, second].map(|answer| json!({"bash": answers(&answer, 0)}));
    Set::new(CopilotSystem, json!({"version": 1, "hooks": {event: hooks}}))
}

fn call() -> Value {
    json!({"toolName": "bash", "toolArgs": {"command": "ls"}})
}

#[tokio::test]
async fn before_a_tool_each_failure_but_the_time_limit_is_a_no() {
    for (command, verdict) in [
        ("exit 0", V::None),
        ("echo text", V::None),
        ("exit 1", V::Deny),
        ("exit 2", V::Deny),
        ("exit 101", V::Deny),
        ("kill -9 $$", V::Deny),
        ("/nowhere/at/all", V::Deny),
        (r#"echo '{"permissionDecision":"allow"}'; exit 1"#, V::Deny),
        (r#"echo '{"permissionDecision":"allow"}'"#, V::Allow),
        (r#"echo '{"permissionDecision":"DENY"}'"#, V::None),
    ] {
        let run = one("preToolUse", json!({"bash": command})).run("preToolUse", call()).await;
        assert_eq!(run.outcome.verdict, verdict, "{command}");
    }
    let slow = one("preToolUse", json!({"bash": "sleep 5; exit 2", "timeoutSec": 0.2}));
    let run = slow.run("preToolUse", call()).await;
    assert_eq!(run.outcome.verdict, V::None);
    assert!(matches!(status(&run, 0), HookStatus::Timeout(why) if why.contains("sleep 5")));
}

#[tokio::test]
async fn at_other_events_a_failure_is_noted_only() {
    let input = json!({"toolName": "bash", "toolResult": {"resultType": "success"}});
    for command in ["exit 1", "kill -9 $$", "echo no >&2; exit 2"] {
        let set = one("postToolUse", json!({"bash": command}));
        let run = set.run("postToolUse", input.clone()).await;
        assert_eq!(run.outcome.verdict, V::None, "{command}");
        assert!(matches!(status(&run, 0), HookStatus::Error(_)), "{command}");
    }
    let run = one("postToolUse", json!({"bash": "echo no >&2; exit 2"}));
    assert_eq!(run.run("postToolUse", input).await.outcome.shown_to_user.as_deref(), Some("no"));
}

#[tokio::test]
async fn in_the_cloud_nobody_can_be_asked() {
    let ask = answers(&json!({"permissionDecision": "ask", "permissionDecisionReason": "q"}), 0);
    let run = one("preToolUse", json!({"bash": ask})).run("preToolUse", call()).await;
    assert_eq!((run.outcome.verdict, run.outcome.reason_to), (V::Ask, Some(Audience::User)));
    let cloud = one("preToolUse", json!({"bash": ask})).fact("surface", json!("cloud"));
    let run = cloud.run("preToolUse", call()).await;
    assert_eq!(run.outcome.verdict, V::Deny);
}

#[tokio::test]
async fn in_the_cloud_only_shell_hooks_of_the_repository_run() {
    let hook = json!({"bash": "true"});
    let set = Set::new(
        CopilotSystem,
        json!({"version": 1, "hooks": {
            "preToolUse": [hook, {"exec": "true"}, {"powershell": "x"}],
            "permissionRequest": [hook], "notification": [hook],
        }}),
    )
    .layer("user", json!({"version": 1, "hooks": {"preToolUse": [hook]}}))
    .layer("policy", json!({"version": 1, "hooks": {"preToolUse": [hook]}}));
    assert_eq!(set.hooks().config().hooks.len(), 6);
    let cloud = set.fact("surface", json!("cloud"));
    assert_eq!(cloud.hooks().config().hooks.len(), 1);
    assert_eq!(cloud.warnings().len(), 6, "{:#?}", cloud.warnings());
}

#[tokio::test]
async fn a_request_for_permission_takes_the_last_word() {
    let input = json!({"toolName": "bash", "toolArgs": {"command": "ls"}});
    let (yes, no) = (json!({"behavior": "allow"}), json!({"behavior": "deny", "message": "m"}));
    let run = two("permissionRequest", no.clone(), yes.clone());
    assert_eq!(run.run("permissionRequest", input.clone()).await.outcome.verdict, V::Allow);
    let run = two("permissionRequest", yes.clone(), no.clone());
    let outcome = run.run("permissionRequest", input.clone()).await.outcome;
    assert_eq!((outcome.verdict, outcome.reason.as_deref()), (V::Deny, Some("m")));
    // The same words before a tool: any no counts.
    let (yes, no) = (json!({"permissionDecision": "allow"}), json!({"permissionDecision": "deny"}));
    let outcome = two("preToolUse", no, yes).run("preToolUse", input).await.outcome;
    assert_eq!(outcome.verdict, V::Deny);
}

#[tokio::test]
async fn an_allow_does_not_open_the_sandbox() {
    let allow = answers(&json!({"behavior": "allow"}), 0);
    let set = one("permissionRequest", json!({"bash": allow}));
    for (bypass, verdict) in [(true, V::None), (false, V::Allow)] {
        let input = json!({"toolName": "bash", "toolInput": {"requestSandboxBypass": bypass}});
        assert_eq!(set.run("permissionRequest", input).await.outcome.verdict, verdict);
    }
}

#[tokio::test]
async fn after_a_tool_results_and_contexts_are_joined() {
    let input = json!({"toolName": "edit", "toolResult": {"resultType": "success"}});
    let result = |kind: &str, text: &str| {
        json!({"modifiedResult": {"resultType": kind, "textResultForLlm": text},
            "additionalContext": text})
    };
    let set = two("postToolUse", result("success", "a"), result("success", "b"));
    let outcome = set.run("postToolUse", input.clone()).await.outcome;
    assert_eq!(outcome.context, ["a\n\nb"]);
    assert_eq!(outcome.updated_output, Some(json!("b")));

    let long = json!({"additionalContext": "é".repeat(6000)});
    let set = two("postToolUse", long, json!({}));
    let outcome = set.run("postToolUse", input.clone()).await.outcome;
    assert_eq!(outcome.context[0].len(), 10 * 1024);

    let set = two("postToolUse", json!({"modifiedResult": {"textResultForLlm": "x"}}), json!({}));
    let outcome = set.run("postToolUse", input).await.outcome;
    assert_eq!(outcome.updated_output, None, "a result must say that it is one");
}

#[tokio::test]
async fn after_a_failure_exit_2_speaks_to_the_model() {
    let input = json!({"toolName": "bash", "error": "exit 1"});
    for (command, context) in [
        ("echo 'try npm ci'; exit 2", vec!["try npm ci"]),
        (r#"echo '{"additionalContext":"c"}'; exit 2"#, vec!["c"]),
        (r#"echo '{"additionalContext":"c"}'"#, vec!["c"]),
        ("echo 'plain'", vec![]),
        ("echo x; exit 1", vec![]),
    ] {
        let set = one("postToolUseFailure", json!({"bash": command}));
        let run = set.run("postToolUseFailure", input.clone()).await;
        assert_eq!(run.outcome.context, context, "{command}");
    }
}

#[tokio::test]
async fn a_block_needs_a_reason_and_beats_a_rewrite() {
    let block = json!({"decision": "block", "reason": "go on", "modifiedResponse": "r"});
    let input = json!({"stopReason": "end_turn", "agentName": "a"});
    let hook = |answer: &Value| json!({"bash": answers(answer, 0)});
    let outcome =
        one("subagentStop", hook(&block)).run("subagentStop", input.clone()).await.outcome;
    assert_eq!((outcome.verdict, outcome.reason.as_deref()), (V::KeepGoing, Some("go on")));
    assert_eq!(outcome.updated_output, None);

    let empty = json!({"decision": "block", "modifiedResponse": "r"});
    let outcome =
        one("subagentStop", hook(&empty)).run("subagentStop", input.clone()).await.outcome;
    assert_eq!((outcome.verdict, outcome.updated_output), (V::None, Some(json!("r"))));

    let outcome = one("agentStop", json!({"bash": "echo no >&2; exit 2"}));
    let outcome = outcome.run("agentStop", input).await.outcome;
    assert_eq!(outcome.verdict, V::None, "exit 2 is no block here");
}

#[tokio::test]
async fn what_the_model_reads_is_rewritten_by_text_that_says_something() {
    let input = json!({"prompt": "p", "transformedPrompt": "<c/>p"});
    for (answer, prompt) in [
        (json!({"modifiedTransformedPrompt": "new"}), "new"),
        (json!({"modifiedTransformedPrompt": ""}), "<c/>p"),
        (json!({"modifiedTransformedPrompt": 7}), "<c/>p"),
        (json!({}), "<c/>p"),
    ] {
        let set = one("userPromptTransformed", json!({"bash": answers(&answer, 0)}));
        let outcome = set.run("userPromptTransformed", input.clone()).await.outcome;
        assert_eq!(outcome.effect["model_prompt"], json!(prompt), "{answer}");
    }
    let drop = answers(&json!({"modifiedPrompt": "x", "decision": "block"}), 0);
    let run = one("userPromptSubmitted", json!({"bash": drop}));
    let run = run.run("userPromptSubmitted", json!({"prompt": "p"})).await;
    assert_eq!((run.outcome.verdict, status(&run, 0)), (V::None, &HookStatus::Ignored));
}

#[tokio::test]
async fn the_name_of_the_event_chooses_what_an_answer_may_look_like() {
    let nested = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "r"}});
    let hook = json!({"bash": answers(&nested, 0)});
    let input = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}});
    let outcome = one("PreToolUse", hook.clone()).run("PreToolUse", input).await.outcome;
    assert_eq!((outcome.verdict, outcome.reason.as_deref()), (V::Deny, Some("r")));
    let outcome = one("preToolUse", hook).run("preToolUse", call()).await.outcome;
    assert_eq!(outcome.verdict, V::None);
}

#[tokio::test]
async fn a_hook_gets_its_folder_its_variables_and_its_words() {
    let command = json!({
        "exec": "sh",
        "args": ["-c", r#"printf '{"additionalContext":"%s %s %s"}' "$(pwd)" "$A" "$1""#, "sh", "$A b"],
        "cwd": "sub", "env": {"A": "x${BASE}y$NOT_SET"},
    });
    let set = one("sessionStart", command).env("BASE", "-b-");
    std::fs::create_dir(set.path().join("sub")).unwrap();
    let outcome = set.run("sessionStart", json!({"source": "new"})).await.outcome;
    let folder = set.path().canonicalize().unwrap().join("sub");
    assert_eq!(outcome.context, [format!("{} x-b-y $A b", folder.display())]);
}

#[tokio::test]
async fn a_wrong_entry_falls_alone_in_a_file_and_takes_all_in_settings() {
    let hooks = json!({"preToolUse": [{"bash": "true"}, {"bash": "true", "timeoutSec": "9"}, 7],
        "preToolUSE": [{"bash": "true"}]});
    let set = Set::new(CopilotSystem, json!({"version": 1, "hooks": hooks}));
    assert_eq!(set.hooks().config().hooks.len(), 1);
    assert_eq!(set.warnings().len(), 3, "{:#?}", set.warnings());

    let mut set = Set::new(CopilotSystem, json!({}));
    set.layers[0].file = "/r/.github/copilot/settings.json".to_owned();
    set.layers[0].content = json!({"hooks": hooks});
    assert_eq!(set.hooks().config().hooks.len(), 0);

    for content in
        [json!({"version": 2, "hooks": hooks}), json!({"version": 1, "hooks": {"preToolUse": {}}})]
    {
        let set = Set::new(CopilotSystem, content);
        assert_eq!((set.hooks().config().hooks.len(), set.warnings().len()), (0, 1));
    }
}

#[tokio::test]
async fn the_switch_turns_off_a_file_or_from_settings_all_but_the_policy() {
    let hooks = json!({"preToolUse": [{"bash": "true"}]});
    let file = |off: bool| json!({"version": 1, "disableAllHooks": off, "hooks": hooks});
    let layers = |set: Set| -> Vec<String> {
        set.hooks().config().hooks.iter().map(|hook| hook.layer.clone()).collect()
    };
    let set =
        Set::new(CopilotSystem, file(true)).layer("user", file(false)).layer("policy", file(true));
    assert_eq!(layers(set), ["policy", "user"]);
    let set = Set::new(CopilotSystem, file(false))
        .layer("user", file(false))
        .layer("policy", file(false))
        .layer("project_settings", json!({"disableAllHooks": true}));
    assert_eq!(layers(set), ["policy"]);
    let set = Set::new(CopilotSystem, file(false)).layer("user", file(false));
    assert_eq!(layers(set.fact("trusted_folder", json!(false))), ["user"]);
}

#[tokio::test]
async fn groups_of_claude_code_are_read_too() {
    let deny = answers(&json!({"permissionDecision": "deny"}), 0);
    let group = json!({"matcher": "Edit|Write", "hooks": [{"type": "command", "command": deny}]});
    let set = one("PreToolUse", group);
    for (tool, verdict) in [("Write", V::Deny), ("Bash", V::None)] {
        let input = json!({"hook_event_name": "PreToolUse", "tool_name": tool});
        assert_eq!(set.run("PreToolUse", input).await.outcome.verdict, verdict, "{tool}");
    }
}

#[tokio::test]
async fn a_prompt_is_submitted_at_the_start_of_a_session_of_a_person() {
    let set = one("sessionStart", json!({"type": "prompt", "prompt": "/init"}));
    let outcome = set.run("sessionStart", json!({"source": "new"})).await.outcome;
    assert_eq!(outcome.effect["next_prompt"], json!("/init"));
    let run = set.run("sessionStart", json!({"source": "resume"})).await;
    assert!(run.outcome.effect.is_empty());
    assert_eq!(one("preToolUse", json!({"type": "prompt", "prompt": "p"})).warnings().len(), 1);
}
