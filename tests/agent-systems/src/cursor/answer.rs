//! What an answer means at its event.

use serde_json::{Map, Value};

use super::event::CursorEvent;
use crate::foreign::{Audience, ForeignVerdict, HookResult, HookStatus};

/// An answer that does not have the form that its event wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Malformed(pub(super) String);

/// Reads an answer. `may_loop` tells whether the hook may keep the agent going once more.
pub(super) fn read(
    event: CursorEvent,
    answer: &Map<String, Value>,
    input: &Map<String, Value>,
    may_loop: bool,
) -> Result<HookResult, Malformed> {
    let mut result = HookResult::new(HookStatus::Ok);
    match event {
        CursorEvent::PreToolUse
        | CursorEvent::BeforeShellExecution
        | CursorEvent::BeforeMcpExecution
        | CursorEvent::BeforeReadFile
        | CursorEvent::BeforeTabFileRead
        | CursorEvent::SubagentStart => permission(event, answer, &mut result)?,
        CursorEvent::BeforeSubmitPrompt => prompt(answer, &mut result)?,
        CursorEvent::PostToolUse => {
            result.context.extend(text(answer, "additional_context"));
            let is_mcp = input
                .get("tool_name")
                .and_then(Value::as_str)
                .is_some_and(|name| name.starts_with("MCP:"));
            if is_mcp {
                result.updated_output =
                    answer.get("updated_mcp_tool_output").filter(|value| !value.is_null()).cloned();
            }
        }
        CursorEvent::Stop | CursorEvent::SubagentStop => {
            let completed = event == CursorEvent::Stop
                || input.get("status").and_then(Value::as_str) == Some("completed");
            if let Some(message) = text(answer, "followup_message").filter(|_| completed) {
                keep_going(message, may_loop, &mut result);
            }
        }
        CursorEvent::SessionStart => {
            result.context.extend(text(answer, "additional_context"));
            if let Some(env) = answer.get("env").filter(|env| env.is_object()) {
                result.effect.insert("session_env".to_owned(), env.clone());
            }
        }
        CursorEvent::PreCompact => result.shown_to_user = text(answer, "user_message"),
        CursorEvent::WorkspaceOpen => {
            if let Some(paths) = answer.get("pluginPaths").filter(|paths| paths.is_array()) {
                result.effect.insert("plugin_paths".to_owned(), paths.clone());
            }
        }
        CursorEvent::SessionEnd
        | CursorEvent::PostToolUseFailure
        | CursorEvent::AfterShellExecution
        | CursorEvent::AfterMcpExecution
        | CursorEvent::AfterFileEdit
        | CursorEvent::AfterTabFileEdit
        | CursorEvent::AfterAgentResponse
        | CursorEvent::AfterAgentThought => {
            if !answer.is_empty() {
                result.status = HookStatus::Ignored;
            }
        }
    }
    Ok(result)
}

/// Returns a text that says something.
fn text(answer: &Map<String, Value>, name: &str) -> Option<String> {
    answer.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn permission(
    event: CursorEvent,
    answer: &Map<String, Value>,
    result: &mut HookResult,
) -> Result<(), Malformed> {
    let can_ask =
        matches!(event, CursorEvent::BeforeShellExecution | CursorEvent::BeforeMcpExecution);
    result.verdict = match answer.get("permission") {
        None | Some(Value::Null) => ForeignVerdict::None,
        Some(Value::String(said)) => match said.as_str() {
            "allow" => ForeignVerdict::Allow,
            "deny" => ForeignVerdict::Deny,
            "ask" if can_ask => ForeignVerdict::Ask,
            "ask" if event == CursorEvent::SubagentStart => ForeignVerdict::Deny,
            // It is taken and has no effect.
            "ask" => {
                result.status = HookStatus::Ignored;
                ForeignVerdict::None
            }
            other => return Err(Malformed(format!("`permission` cannot be `{other}`"))),
        },
        Some(_) => return Err(Malformed("`permission` must be a text".to_owned())),
    };
    if matches!(result.verdict, ForeignVerdict::Deny | ForeignVerdict::Ask) {
        say(answer, result);
    }
    if result.verdict == ForeignVerdict::Deny {
        result.status = HookStatus::Blocked;
    } else if event == CursorEvent::PreToolUse {
        result.updated_input =
            answer.get("updated_input").filter(|input| input.is_object()).cloned();
    }
    Ok(())
}

fn prompt(answer: &Map<String, Value>, result: &mut HookResult) -> Result<(), Malformed> {
    match answer.get("continue") {
        None | Some(Value::Null | Value::Bool(true)) => Ok(()),
        Some(Value::Bool(false)) => {
            result.verdict = ForeignVerdict::Deny;
            result.status = HookStatus::Blocked;
            say(answer, result);
            Ok(())
        }
        Some(_) => Err(Malformed("`continue` must be true or false".to_owned())),
    }
}

/// Takes the two texts of a refusal: one for the model, one for the user.
pub(super) fn say(answer: &Map<String, Value>, result: &mut HookResult) {
    result.shown_to_user = text(answer, "user_message");
    let for_model = text(answer, "agent_message");
    result.reason_to = match (&for_model, &result.shown_to_user) {
        (Some(_), _) => Some(Audience::Model),
        (None, Some(_)) => Some(Audience::User),
        (None, None) => None,
    };
    result.reason = for_model.or_else(|| result.shown_to_user.clone());
}

/// Keeps the agent going, unless the hook did so too often.
pub(super) fn keep_going(message: String, may_loop: bool, result: &mut HookResult) {
    if !may_loop {
        result.status = HookStatus::Ignored;
        return;
    }
    result.verdict = ForeignVerdict::KeepGoing;
    result.status = HookStatus::Blocked;
    result.effect.insert("next_prompt".to_owned(), message.clone().into());
    result.reason = Some(message);
    result.reason_to = Some(Audience::Model);
}

/// Turns an answer in the form of Claude Code into one of Cursor.
pub(super) fn from_claude(answer: &mut Map<String, Value>) {
    let nested = match answer.remove("hookSpecificOutput") {
        Some(Value::Object(nested)) => nested,
        _ => Map::new(),
    };
    let mut copy = |from: &str, to: &str| {
        let value = nested.get(from).or_else(|| answer.get(from)).cloned();
        if let (Some(value), false) = (value, answer.contains_key(to)) {
            answer.insert(to.to_owned(), value);
        }
    };
    copy("permissionDecision", "permission");
    copy("permissionDecisionReason", "user_message");
    copy("updatedInput", "updated_input");
    copy("additionalContext", "additional_context");
    copy("decision", "decision");
    copy("reason", "reason");
    let said = answer.get("decision").and_then(Value::as_str);
    let permission = match said {
        Some("block" | "deny") => "deny",
        Some("approve" | "allow") => "allow",
        _ => return,
    };
    answer.entry("permission").or_insert_with(|| permission.into());
    if permission == "deny" {
        let reason = answer.get("reason").cloned().unwrap_or_default();
        answer.entry("user_message").or_insert_with(|| reason.clone());
        answer.entry("followup_message").or_insert(reason);
        answer.entry("continue").or_insert(Value::Bool(false));
    }
}
