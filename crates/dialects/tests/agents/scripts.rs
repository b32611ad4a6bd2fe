//! What scripts answer that were written for an agent.

use hookgate_contract::Reply;
use hookgate_contract::dialect::{ScriptInput, ScriptOutput};
use serde_json::Value;

use crate::samples::{dialect, sample};

fn reply(agent: &str, event: &str, exit: i32, stdout: &str, stderr: &str) -> Reply {
    let dialect = dialect(agent);
    let event = dialect.event(event).unwrap();
    let input = ScriptInput::new(event.name, Value::Object(sample(agent, event)));
    dialect.reply(&input, &ScriptOutput::new(exit, stdout.as_bytes(), stderr))
}

/// Says a reply in short: the decision with its reason, patches, context, or the class of the failure.
fn short(reply: &Reply) -> String {
    let verdict = match reply {
        Ok(verdict) => verdict,
        Err(failure) => {
            let after = failure.salvaged.map(|decision| format!(" after {decision}"));
            return format!("{}{}", failure.class, after.unwrap_or_default());
        }
    };
    let Some(parts) = verdict.parts() else { return String::new() };
    let mut all = Vec::new();
    if let Some(decision) = parts.decision {
        let reason = parts.reason.as_deref().map(|reason| format!(": {reason}"));
        all.push(format!("{decision}{}", reason.unwrap_or_default()));
    }
    all.extend(parts.patch.iter().map(|(field, value)| format!("{field}={value}")));
    all.extend(parts.answer.iter().map(|answer| format!("answer={}", answer.content)));
    all.extend(parts.context.iter().map(|text| format!("context: {text}")));
    all.extend(parts.message.iter().map(|text| format!("message: {text}")));
    all.join("; ")
}

/// A script: the event, how it ended, what it wrote to stdout and stderr, and what that means.
pub(crate) type Case = (&'static str, i32, &'static str, &'static str, &'static str);

pub(crate) fn check(agent: &str, cases: &[Case]) {
    for (event, exit, stdout, stderr, expected) in cases {
        let reply = reply(agent, event, *exit, stdout, stderr);
        assert_eq!(short(&reply), *expected, "{agent} {event} {exit} {stdout:?} {stderr:?}");
    }
}

#[test]
fn scripts_for_gemini_cli() {
    let deny = r#"{"decision":"deny","reason":"r"}"#;
    check(
        "gemini",
        &[
            ("BeforeTool", 0, "", "", ""),
            ("BeforeTool", 0, "looks fine", "", "message: looks fine"),
            ("BeforeTool", 0, deny, "", "deny: r"),
            ("BeforeTool", 1, deny, "", "deny: r"),
            ("BeforeTool", 0, "\u{feff}{\"decision\":\"block\",\"reason\":\"r\"}", "", "deny: r"),
            ("BeforeTool", 0, "", deny, "deny: r"),
            ("BeforeTool", 2, "", "no\n", "deny: no"),
            ("BeforeTool", 2, r#"{"decision":"allow"}"#, "no", "deny: no"),
            ("BeforeTool", 2, "", "", "deny: denied by a hook"),
            ("BeforeTool", 3, "", "boom", "deny: boom"),
            ("BeforeTool", 1, "", "boom", "exit"),
            ("BeforeTool", 127, "", "", "exit"),
            (
                "BeforeTool",
                0,
                r#"{"decision":"ask","systemMessage":"q"}"#,
                "",
                "ask: q; message: q",
            ),
            ("BeforeTool", 0, r#"{"decision":"allow"}"#, "", "allow"),
            ("BeforeTool", 0, r#"{"decision":"DENY"}"#, "", "malformed after deny"),
            ("BeforeTool", 0, "log\n{\"decision\":\"deny\"}", "", "malformed after deny"),
            ("BeforeTool", 0, r#"{"decision":"deny""#, "", "malformed after deny"),
            ("BeforeTool", 0, r#"{"continue":false,"stopReason":"s"}"#, "", "halt: s"),
            (
                "BeforeTool",
                0,
                r#"{"hookSpecificOutput":{"tool_input":{"command":"x"}}}"#,
                "",
                r#"tool_input={"command":"x"}"#,
            ),
            ("AfterTool", 0, deny, "", "deny: r"),
            (
                "AfterTool",
                0,
                r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#,
                "",
                "context: c",
            ),
            ("AfterAgent", 2, "", "go on", "deny: go on"),
            ("SessionStart", 2, "", "no", ""),
            (
                "BeforeModel",
                0,
                r#"{"decision":"deny","hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["cached"]}}]}}}"#,
                "",
                r#"answer="cached""#,
            ),
            (
                "AfterModel",
                0,
                r#"{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["***"]}}]}}}"#,
                "",
                r#"assistant_text="***""#,
            ),
            (
                "BeforeToolSelection",
                0,
                r#"{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["a"]}}}"#,
                "",
                r#"tool_names=["a"]"#,
            ),
        ],
    );
}

#[test]
fn scripts_for_qwen_code() {
    let deny =
        r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#;
    check(
        "qwen",
        &[
            ("PreToolUse", 0, deny, "", "deny: r"),
            ("PreToolUse", 3, deny, "", "deny: r"),
            ("PreToolUse", 2, "", "no", "deny: no"),
            ("PreToolUse", 1, "", "boom", "exit"),
            ("PreToolUse", 0, "fine", "", ""),
            ("PreToolUse", 0, r#"{"continue":false,"stopReason":"s"}"#, "", "deny: s"),
            ("UserPromptSubmit", 0, "branch: main", "", "context: branch: main"),
            ("UserPromptSubmit", 0, r#"{"decision":"block","reason":"r"}"#, "", "deny: r"),
            ("UserPromptSubmit", 0, r#"{"continue":false,"stopReason":"s"}"#, "", "halt: s"),
            ("Stop", 0, r#"{"continue":false,"stopReason":"next"}"#, "", "deny: next"),
            ("SessionStart", 0, "node 22", "", "context: node 22"),
        ],
    );
}

#[test]
fn scripts_for_kimi_code() {
    check(
        "kimi",
        &[
            (
                "PreToolUse",
                0,
                r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#,
                "",
                "deny: r",
            ),
            ("PreToolUse", 0, r#"{"decision":"block","reason":"r"}"#, "", "malformed after deny"),
            ("PreToolUse", 2, "", "no", "deny: no"),
            ("PreToolUse", 3, "", "boom", "exit"),
            ("UserPromptSubmit", 0, "be brief", "", "context: be brief"),
            ("UserPromptSubmit", 0, r#"{"message":"m"}"#, "", "context: m"),
        ],
    );
}

#[test]
fn scripts_for_copilot() {
    check(
        "copilot",
        &[
            ("preToolUse", 0, "", "", ""),
            (
                "preToolUse",
                0,
                r#"{"permissionDecision":"deny","permissionDecisionReason":"r"}"#,
                "",
                "deny: r",
            ),
            (
                "preToolUse",
                0,
                "{\"type\":\"progress\",\"message\":\"…\"}\n{\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"q\"}\n",
                "",
                "ask: q",
            ),
            ("preToolUse", 1, "", "boom", "deny: boom"),
            ("preToolUse", 1, r#"{"permissionDecision":"allow"}"#, "", "deny: denied by a hook"),
            ("preToolUse", 0, "not json", "", ""),
            (
                "preToolUse",
                0,
                r#"{"modifiedArgs":{"command":"x"}}"#,
                "",
                r#"tool_input={"command":"x"}"#,
            ),
            // The nested form is read at the name in PascalCase only.
            (
                "preToolUse",
                0,
                r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#,
                "",
                "malformed after deny",
            ),
            (
                "PreToolUse",
                0,
                r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#,
                "",
                "deny: r",
            ),
            ("permissionRequest", 0, r#"{"behavior":"allow"}"#, "", "allow"),
            (
                "permissionRequest",
                2,
                r#"{"message":"from json"}"#,
                "",
                "deny: from json; message: from json",
            ),
            ("postToolUse", 1, "", "x", "exit"),
            ("agentStop", 0, r#"{"decision":"block","reason":"test"}"#, "", "deny: test"),
            ("sessionStart", 0, r#"{"additionalContext":"c"}"#, "", "context: c"),
        ],
    );
}

#[test]
fn scripts_for_cline_and_opencode() {
    check(
        "cline",
        &[
            ("PreToolUse", 0, r#"{"cancel":true,"errorMessage":"r"}"#, "", "deny: r"),
            ("PreToolUse", 1, r#"{"cancel":true,"errorMessage":"r"}"#, "", "deny: r"),
            ("PreToolUse", 0, r#"{"cancel":false,"contextModification":"c"}"#, "", "context: c"),
            ("PreToolUse", 2, "", "no", "exit"),
            (
                "PreToolUse",
                0,
                r#"{"overrideInput":{"commands":["x"]}}"#,
                "",
                r#"tool_input={"commands":["x"]}"#,
            ),
        ],
    );
    check(
        "opencode",
        &[
            ("tool.execute.before", 0, r#"{"decision":"pass"}"#, "", ""),
            ("tool.execute.before", 0, "", "", "malformed"),
            ("tool.execute.before", 0, r#"{"decision":"deny","reason":"r"}"#, "", "deny: r"),
            ("tool.execute.before", 2, "", "no", "deny: no"),
            (
                "tool.execute.after",
                0,
                r#"{"decision":"pass","output":"o"}"#,
                "",
                r#"tool_response="o""#,
            ),
        ],
    );
}

#[test]
fn scripts_for_cursor() {
    check(
        "cursor",
        &[
            (
                "preToolUse",
                0,
                r#"{"permission":"deny","agent_message":"a","user_message":"u"}"#,
                "",
                "deny: a; message: u",
            ),
            ("preToolUse", 2, "", "no", "deny: no"),
            ("preToolUse", 1, r#"{"permission":"deny"}"#, "", "exit after deny"),
            ("preToolUse", 0, "not json", "", "malformed"),
            (
                "beforeShellExecution",
                0,
                r#"{"permission":"ask","user_message":"q"}"#,
                "",
                "ask: q; message: q",
            ),
            (
                "beforeSubmitPrompt",
                0,
                r#"{"continue":false,"user_message":"key"}"#,
                "",
                "deny: key; message: key",
            ),
            ("beforeSubmitPrompt", 0, r#"{"continue":true}"#, "", ""),
            ("stop", 0, r#"{"followup_message":"test"}"#, "", "deny: test"),
            ("postToolUse", 0, r#"{"additional_context":"c"}"#, "", "context: c"),
        ],
    );
}
