//! Hooks of Cursor, run as Cursor runs them.

use std::sync::Arc;

use super::support::{Says, Set, answers, status};
use hookgate_agent_systems::cursor::CursorSystem;
use hookgate_agent_systems::foreign::{Audience, ForeignVerdict as V, HookStatus};
use serde_json::{Value, json};

fn one(event: &str, hook: Value) -> Set {
    Set::new(CursorSystem, json!({"version": 1, "hooks": {event: [hook]}}))
}

fn says(answer: &Value) -> Value {
    json!({"command": answers(answer, 0)})
}

fn shell() -> Value {
    json!({"hook_event_name": "beforeShellExecution", "command": "curl x", "cwd": "/"})
}

#[tokio::test]
async fn failures_go_on_unless_the_hook_fails_closed() {
    for (command, is_failure) in [
        ("exit 1", true),
        ("kill -9 $$", true),
        ("/nowhere/at/all", true),
        ("echo not json", true),
        (r#"echo '{"permission":"DENY"}'"#, true),
        ("sleep 5", true),
        ("exit 0", false),
        (r#"echo '{"permission":"allow"}'"#, false),
    ] {
        for closed in [false, true] {
            let hook = json!({"command": command, "timeout": 0.3, "failClosed": closed});
            let set = one("beforeShellExecution", hook);
            let run = set.run("beforeShellExecution", shell()).await;
            let is_denied = run.outcome.verdict == V::Deny;
            assert_eq!(is_denied, is_failure && closed, "{command}, {closed}");
        }
    }
    let hook = json!({"command": "exit 1", "failClosed": true});
    let set = one("afterFileEdit", hook);
    assert_eq!(set.run("afterFileEdit", json!({})).await.outcome.verdict, V::None);
    assert_eq!(set.warnings().len(), 1, "it is told that nothing is blocked there");
}

#[tokio::test]
async fn exit_2_says_no_where_something_can_be_blocked() {
    for (event, verdict) in [
        ("preToolUse", V::Deny),
        ("beforeShellExecution", V::Deny),
        ("beforeMCPExecution", V::Deny),
        ("beforeReadFile", V::Deny),
        ("beforeTabFileRead", V::Deny),
        ("subagentStart", V::Deny),
        ("beforeSubmitPrompt", V::Deny),
        ("postToolUse", V::None),
        ("afterFileEdit", V::None),
        ("stop", V::None),
        ("sessionStart", V::None),
    ] {
        let set = one(event, json!({"command": "echo because >&2; exit 2"}));
        let outcome = set.run(event, json!({})).await.outcome;
        assert_eq!(outcome.verdict, verdict, "{event}");
        assert_eq!(outcome.reason.is_some(), verdict == V::Deny, "{event}");
    }
}

#[tokio::test]
async fn ask_means_something_else_at_each_event() {
    for (event, verdict) in [
        ("beforeShellExecution", V::Ask),
        ("beforeMCPExecution", V::Ask),
        ("subagentStart", V::Deny),
        ("preToolUse", V::None),
        ("beforeReadFile", V::None),
    ] {
        let set = one(event, says(&json!({"permission": "ask", "user_message": "u"})));
        assert_eq!(set.run(event, json!({})).await.outcome.verdict, verdict, "{event}");
    }
}

#[tokio::test]
async fn a_refusal_has_two_texts() {
    let deny = json!({"permission": "deny", "agent_message": "a", "user_message": "u",
        "updated_input": {"command": "ls"}});
    let outcome = one("preToolUse", says(&deny)).run("preToolUse", json!({})).await.outcome;
    assert_eq!(outcome.reason.as_deref(), Some("a"));
    assert_eq!(outcome.reason_to, Some(Audience::Model));
    assert_eq!(outcome.shown_to_user.as_deref(), Some("u"));
    assert_eq!(outcome.updated_input, None);
    let deny = json!({"continue": false, "user_message": "u"});
    let outcome =
        one("beforeSubmitPrompt", says(&deny)).run("beforeSubmitPrompt", json!({})).await.outcome;
    assert_eq!((outcome.verdict, outcome.shown_to_user.as_deref()), (V::Deny, Some("u")));
}

#[tokio::test]
async fn arguments_are_replaced_and_results_of_mcp_tools_only() {
    let rewrite = json!({"permission": "allow", "updated_input": {"command": "npm ci"}});
    let outcome = one("preToolUse", says(&rewrite)).run("preToolUse", json!({})).await.outcome;
    assert_eq!(outcome.updated_input, Some(json!({"command": "npm ci"})));
    let output = json!({"updated_mcp_tool_output": {"rows": []}, "additional_context": "c"});
    let set = one("postToolUse", says(&output));
    let outcome = set.run("postToolUse", json!({"tool_name": "MCP:query"})).await.outcome;
    assert_eq!(outcome.updated_output, Some(json!({"rows": []})));
    assert_eq!(outcome.context, ["c"]);
    let outcome = set.run("postToolUse", json!({"tool_name": "Shell"})).await.outcome;
    assert_eq!(outcome.updated_output, None);
}

#[tokio::test]
async fn the_agent_keeps_going_until_the_limit_of_the_hook() {
    let answer = answers(&json!({"followup_message": "more"}), 0);
    for (options, count, verdict) in [
        (json!({}), 4, V::KeepGoing),
        (json!({}), 5, V::None),
        (json!({"loop_limit": 1}), 1, V::None),
        (json!({"loop_limit": 10}), 9, V::KeepGoing),
        (json!({"loop_limit": null}), 900, V::KeepGoing),
    ] {
        let mut hook = options.clone();
        hook["command"] = answer.clone().into();
        let set = one("stop", hook);
        let run = set.run("stop", json!({"status": "completed", "loop_count": count})).await;
        assert_eq!(run.outcome.verdict, verdict, "{options} {count}");
    }
    let set = one("subagentStop", json!({"command": answer}));
    for (status, verdict) in [("completed", V::KeepGoing), ("error", V::None), ("aborted", V::None)]
    {
        let run = set.run("subagentStop", json!({"status": status, "loop_count": 0})).await;
        assert_eq!(run.outcome.verdict, verdict, "{status}");
    }
    let set = one("stop", says(&json!({"followup_message": ""})));
    assert_eq!(set.run("stop", json!({"loop_count": 0})).await.outcome.verdict, V::None);
}

#[tokio::test]
async fn the_start_of_a_session_gives_variables_and_blocks_nothing() {
    let answer = json!({"env": {"A": "1"}, "additional_context": "c", "continue": false});
    let outcome = one("sessionStart", says(&answer)).run("sessionStart", json!({})).await.outcome;
    assert_eq!(outcome.verdict, V::None);
    assert_eq!(outcome.effect["session_env"], json!({"A": "1"}));
    assert_eq!(outcome.context, ["c"]);
    let print = r#"printf '{"additional_context":"%s %s"}' "$A" "$CURSOR_PROJECT_DIR""#;
    let set = one("postToolUse", json!({"command": print}))
        .fact("session_env", outcome.effect["session_env"].clone());
    let outcome = set.run("postToolUse", json!({"workspace_roots": ["/srv/x"]})).await.outcome;
    assert_eq!(outcome.context, ["1 /srv/x"]);
}

#[tokio::test]
async fn the_stronger_source_decides_and_in_one_source_the_strictest() {
    let permission =
        |said: &str| json!({"hooks": {"preToolUse": [says(&json!({"permission": said}))]}});
    let both = |project: &str, user: &str| {
        Set::new(CursorSystem, permission(project)).layer("user", permission(user))
    };
    let verdict = async |set: Set| set.run("preToolUse", json!({})).await.outcome.verdict;
    assert_eq!(verdict(both("allow", "deny")).await, V::Allow);
    assert_eq!(verdict(both("deny", "allow")).await, V::Deny);
    let set = both("allow", "allow").layer("enterprise", permission("deny"));
    assert_eq!(verdict(set).await, V::Deny);
    let hooks = ["allow", "deny"].map(|said| says(&json!({"permission": said})));
    let set = Set::new(CursorSystem, json!({"hooks": {"preToolUse": hooks}}));
    assert_eq!(verdict(set).await, V::Deny);
    let silent = Set::new(CursorSystem, json!({"hooks": {"preToolUse": [{"command": "true"}]}}));
    assert_eq!(verdict(silent.layer("user", permission("deny"))).await, V::Deny);
}

#[tokio::test]
async fn files_of_claude_code_are_read_as_well() {
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "r"}});
    let config = json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": answers(&deny, 0)}]}],
        "Stop": [{"hooks": [{"type": "command",
            "command": answers(&json!({"decision": "block", "reason": "more"}), 0)}]}],
        "PermissionRequest": [{"hooks": [{"type": "command", "command": "true"}]}],
    }});
    let set = Set::new(CursorSystem, json!({})).layer("claude_project", config);
    let outcome = set.run("preToolUse", json!({"tool_name": "Shell"})).await.outcome;
    assert_eq!((outcome.verdict, outcome.reason.as_deref()), (V::Deny, Some("r")));
    let outcome = set.run("preToolUse", json!({"tool_name": "Read"})).await.outcome;
    assert_eq!(outcome.verdict, V::None);
    let outcome = set.run("stop", json!({"loop_count": 50})).await.outcome;
    assert_eq!(outcome.effect["next_prompt"], json!("more"), "such a hook has no limit");
    assert_eq!(set.warnings().len(), 1, "{:?}", set.warnings());
}

#[tokio::test]
async fn a_model_may_judge() {
    let prompt = json!({"type": "prompt", "prompt": "Is this fine?"});
    for (answer, closed, verdict) in [
        (json!({"ok": true}), false, V::None),
        (json!({"ok": false, "reason": "r"}), false, V::Deny),
        (json!({"fine": true}), false, V::None),
        (json!({"fine": true}), true, V::Deny),
    ] {
        let mut hook = prompt.clone();
        hook["failClosed"] = closed.into();
        let mut set = one("beforeShellExecution", hook);
        set.services.model = Arc::new(Says(answer.clone()));
        let run = set.run("beforeShellExecution", shell()).await;
        assert_eq!(run.outcome.verdict, verdict, "{answer} {closed}");
    }
    let cloud = one("preToolUse", prompt).fact("surface", json!("cloud"));
    assert_eq!(cloud.hooks().config().hooks.len(), 0);
}

#[tokio::test]
async fn what_never_runs_is_told() {
    let set = Set::new(
        CursorSystem,
        json!({"hooks": {
            "beforeShellExecution": [{"command": "true", "matcher": "Bash("}, {"command": " "},
                {"command": "true", "timeout": "5"}, {"type": "agent", "command": "x"}],
            "PreToolUse": [{"command": "true"}],
            "sessionEnd": {"command": "true"},
        }}),
    );
    assert_eq!(set.warnings().len(), 6, "{:#?}", set.warnings());
    let run = set.run("beforeShellExecution", shell()).await;
    assert_eq!(run.runs.len(), 1);
    assert!(matches!(status(&run, 0), HookStatus::Skipped(_)));
    let untrusted = one("stop", json!({"command": "true"})).fact("trusted", json!(false));
    assert_eq!((untrusted.hooks().config().hooks.len(), untrusted.warnings().len()), (0, 1));
}
