//! What scripts answer that were written for an agent.

use hookgate_contract::dialect::{ScriptInput, ScriptOutput};
use hookgate_contract::{FailureClass, Reply, VerdictDecision};
use serde_json::json;

use crate::samples::dialect;

fn reply(agent: &str, event: &str, exit: i32, stdout: &str, stderr: &str) -> Reply {
    let input = ScriptInput::new(event, json!({}));
    dialect(agent).reply(&input, &ScriptOutput::new(exit, stdout.as_bytes(), stderr))
}

/// Says a reply in short: the decision with its reason, context, or the class of the failure.
fn short(reply: &Reply) -> String {
    match reply {
        Ok(verdict) => verdict.parts().map_or_else(String::new, |parts| {
            let mut all = Vec::new();
            if let Some(decision) = parts.decision {
                all.push(format!("{decision}: {}", parts.reason.as_deref().unwrap_or_default()));
            }
            all.extend(parts.patch.iter().map(|(field, value)| format!("{field}={value}")));
            all.extend(parts.context.iter().map(|text| format!("context: {text}")));
            all.extend(parts.message.iter().map(|text| format!("message: {text}")));
            all.join("; ")
        }),
        Err(failure) => match failure.salvaged {
            Some(decision) => format!("{} after {decision}", failure.class),
            None => failure.class.to_string(),
        },
    }
}

#[test]
fn scripts_for_claude_code() {
    let own = |event: &str, keys: &str| {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{keys}}}}}"#)
    };
    let deny = own("PreToolUse", r#""permissionDecision":"deny","permissionDecisionReason":"r""#);
    let cases = [
        ("PreToolUse", 0, String::new(), "", ""),
        ("PreToolUse", 0, "looks fine".into(), "", ""),
        ("PreToolUse", 0, deny.clone(), "", "deny: r"),
        ("PreToolUse", 5, deny.clone(), "", "deny: r"),
        ("PreToolUse", 2, String::new(), "no\n", "deny: no"),
        ("PreToolUse", 2, deny.clone(), "no\n", "deny: r"),
        ("PreToolUse", 2, own("PreToolUse", r#""permissionDecision":"allow""#), "ci", "deny: ci"),
        ("PreToolUse", 2, String::new(), "", "deny: blocked by a hook"),
        ("PreToolUse", 2, r#"{"systemMessage":7}"#.into(), "b", "deny: b"),
        ("PreToolUse", 1, String::new(), "jq: not found", "exit"),
        ("PreToolUse", 127, String::new(), "", "exit"),
        ("PreToolUse", 0, format!("Shell ready\n{deny}"), "", "malformed after deny"),
        ("PreToolUse", 0, format!("{deny}{deny}"), "", "malformed after deny"),
        ("PreToolUse", 0, deny.strip_suffix('}').unwrap().into(), "", "malformed after deny"),
        ("PreToolUse", 0, r#"{"systemMessage":7}"#.into(), "", "malformed"),
        (
            "PreToolUse",
            0,
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#.into(),
            "",
            "malformed after deny",
        ),
        (
            "PreToolUse",
            0,
            own("PreToolUse", r#""permissionDecision":"DENY""#),
            "",
            "malformed after deny",
        ),
        (
            "PreToolUse",
            0,
            own("PreToolUse", r#""permissionDecision":"ask""#),
            "",
            "ask: a hook asks to confirm",
        ),
        (
            "PreToolUse",
            0,
            own("PreToolUse", r#""permissionDecision":"defer""#),
            "",
            "ask: a hook asks to confirm",
        ),
        (
            "PreToolUse",
            0,
            own("PreToolUse", r#""updatedInput":{"command":"x"}"#),
            "",
            r#"tool_input={"command":"x"}"#,
        ),
        ("PreToolUse", 0, own("PreToolUse", r#""additionalContext":"c""#), "", "context: c"),
        ("PreToolUse", 0, r#"{"decision":"approve"}"#.into(), "", "allow: "),
        ("PreToolUse", 0, r#"{"decision":"block","reason":"old"}"#.into(), "", "deny: old"),
        (
            "PreToolUse",
            0,
            r#"{"decision":"deny","reason":"codex"}"#.into(),
            "",
            "malformed after deny",
        ),
        ("PreToolUse", 0, r#"{"continue":false,"stopReason":"s"}"#.into(), "", "halt: s"),
        ("PreToolUse", 0, r#"{"permission":"deny"}"#.into(), "", "malformed after deny"),
        (
            "PermissionRequest",
            0,
            own("PermissionRequest", r#""decision":{"behavior":"deny","message":"m"}"#),
            "",
            "deny: m",
        ),
        (
            "PermissionRequest",
            0,
            own("PermissionRequest", r#""decision":{"behavior":"deny","interrupt":true}"#),
            "",
            "halt: denied by a hook",
        ),
        (
            "PermissionRequest",
            0,
            own("PermissionRequest", r#""decision":{"behavior":"allow"}"#),
            "",
            "allow: ",
        ),
        ("PermissionRequest", 2, String::new(), "no", "exit after deny"),
        ("PostToolUse", 2, String::new(), "lint", "context: lint"),
        ("PostToolUse", 0, r#"{"decision":"block","reason":"lint"}"#.into(), "", "context: lint"),
        (
            "PostToolUse",
            0,
            own("PostToolUse", r#""updatedToolOutput":{"a":1}"#),
            "",
            r#"tool_response={"a":1}"#,
        ),
        (
            "PostToolBatch",
            0,
            r#"{"decision":"block","reason":"enough"}"#.into(),
            "",
            "halt: enough",
        ),
        ("UserPromptSubmit", 0, "branch: main\n".into(), "", "context: branch: main"),
        ("UserPromptSubmit", 0, "{broken".into(), "", "context: {broken"),
        ("UserPromptSubmit", 2, String::new(), "no", "deny: no"),
        ("SessionStart", 0, "node 22".into(), "", "context: node 22"),
        ("SessionStart", 2, String::new(), "no docker", "message: no docker"),
        ("Stop", 2, String::new(), "lint first", "deny: lint first"),
        (
            "Stop",
            0,
            own("Stop", r#""additionalContext":"run the suite""#),
            "",
            "deny: run the suite",
        ),
        (
            "Stop",
            0,
            r#"{"continue":false,"stopReason":"enough","decision":"block","reason":"x"}"#.into(),
            "",
            "halt: enough",
        ),
        ("TaskCreated", 0, r#"{"continue":false}"#.into(), "", "malformed after halt"),
        ("WorktreeCreate", 1, "/srv/x".into(), "", "deny: the work tree could not be created"),
        (
            "Elicitation",
            0,
            own("Elicitation", r#""action":"decline""#),
            "",
            "deny: declined by a hook",
        ),
        ("NoSuchEvent", 0, String::new(), "", "malformed"),
    ];
    for (event, exit, stdout, stderr, expected) in cases {
        let reply = reply("claude", event, exit, &stdout, stderr);
        assert_eq!(short(&reply), expected, "{event} {exit} {stdout} {reply:?}");
    }
}

#[test]
fn scripts_for_codex() {
    let own = |event: &str, keys: &str| {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}",{keys}}}}}"#)
    };
    let deny = own("PreToolUse", r#""permissionDecision":"deny","permissionDecisionReason":"r""#);
    let cases = [
        ("PreToolUse", 0, String::new(), "", ""),
        ("PreToolUse", 0, "42".into(), "", ""),
        ("PreToolUse", 0, deny.clone(), "", "deny: r"),
        ("PreToolUse", 1, deny.clone(), "", "exit after deny"),
        ("PreToolUse", 2, deny.clone(), "", "exit after deny"),
        ("PreToolUse", 2, String::new(), "no\n", "deny: no"),
        ("PreToolUse", 2, String::new(), " ", "exit after deny"),
        ("PreToolUse", 0, format!("log\n{deny}"), "", "malformed after deny"),
        ("PreToolUse", 0, "[1,2]".into(), "", "malformed"),
        ("PreToolUse", 0, own("PreToolUse", r#""permissionDecision":"ask""#), "", "malformed after ask"),
        ("PreToolUse", 0, own("PreToolUse", r#""permissionDecision":"deny""#), "", "malformed after deny"),
        ("PreToolUse", 0, own("PreToolUse", r#""permissionDecision":"allow""#), "", "malformed"),
        ("PreToolUse", 0, own("PreToolUse", r#""permissionDecision":"deny","permissionDecisionReason":"r","severity":1"#), "", "malformed after deny"),
        ("PreToolUse", 0, r#"{"continue":false,"decision":"block","reason":"r"}"#.into(), "", "malformed after halt"),
        ("PreToolUse", 0, r#"{"continue":true,"suppressOutput":false}"#.into(), "", ""),
        ("PreToolUse", 0, own("PreToolUse", r#""permissionDecision":"allow","updatedInput":{"command":"x"}"#), "", r#"tool_input={"command":"x"}"#),
        ("PermissionRequest", 0, own("PermissionRequest", r#""decision":{"behavior":"allow"}"#), "", "allow: "),
        ("PermissionRequest", 0, own("PermissionRequest", r#""decision":{"behavior":"deny","interrupt":true}"#), "", "malformed"),
        ("PermissionRequest", 2, String::new(), "m", "deny: m"),
        ("PostToolUse", 0, r#"{"decision":"block","reason":"f"}"#.into(), "", "deny: f"),
        ("PostToolUse", 0, r#"{"continue":false,"stopReason":"s","reason":"f"}"#.into(), "", "deny: f"),
        ("PostToolUse", 0, "formatted".into(), "", ""),
        ("SessionStart", 0, "notes".into(), "", "context: notes"),
        ("SessionStart", 0, "[warn] x".into(), "", "malformed"),
        ("SessionStart", 2, String::new(), "no", "exit"),
        ("SubagentStart", 0, r#"{"continue":false}"#.into(), "", "malformed after halt"),
        ("UserPromptSubmit", 0, r#"{"decision":"block","reason":"b","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"k"}}"#.into(), "", "deny: b; context: k"),
        ("UserPromptSubmit", 0, r#"{"continue":false,"stopReason":"p"}"#.into(), "", "halt: p"),
        ("Stop", 0, "ok".into(), "", "malformed"),
        ("Stop", 0, r#"{"decision":"block","reason":"go on"}"#.into(), "", "deny: go on"),
        ("PreCompact", 0, r#"{"continue":false,"stopReason":"s"}"#.into(), "", "deny: s"),
        ("PreCompact", 0, r#"{"decision":"block","reason":"r"}"#.into(), "", "malformed after deny"),
        ("Interrupt", 0, r#"{"systemMessage":"saved"}"#.into(), "", "message: saved"),
    ];
    for (event, exit, stdout, stderr, expected) in cases {
        let reply = reply("codex", event, exit, &stdout, stderr);
        assert_eq!(short(&reply), expected, "{event} {exit} {stdout} {reply:?}");
    }
}

/// An answer of another agent is never taken for silence.
#[test]
fn a_deny_in_the_form_of_another_agent_still_counts() {
    let foreign = [
        r#"{"decision":"deny","reason":"gemini"}"#,
        r#"{"permissionDecision":"deny"}"#,
        r#"{"permission":"deny","user_message":"cursor"}"#,
    ];
    for stdout in foreign {
        for agent in ["claude", "codex"] {
            let failure = reply(agent, "PreToolUse", 0, stdout, "").unwrap_err();
            assert_eq!(failure.class, FailureClass::Malformed, "{agent} {stdout}");
            assert_eq!(failure.salvaged, Some(VerdictDecision::Deny), "{agent} {stdout}");
        }
    }
}
