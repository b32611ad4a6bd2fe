//! The envelopes of Kimi Code, both ways.

use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use crate::places::{
    CWD, Field, MESSAGE, NOTIFICATION_TYPE, Places, REASON, SESSION_ID, SOURCE, STOP_HOOK_ACTIVE,
    TITLE, TOOL_INPUT, TOOL_NAME, TRIGGER, by_table,
};

pub(super) const PLACES: Places = Places {
    event_key: "hook_event_name",
    header: &[SESSION_ID, CWD],
    fields,
    ours: by_table,
    facts: &["client_type", "session_title"],
};

const CALL_ID: Field = Field::at("tool_use_id", "tool_call_id", JsonType::Text);
const SUBAGENT: Field = Field::at("agent_type", "agent_name", JsonType::Text);

fn fields(event: &str, _: &str) -> &'static [Field] {
    match event {
        "SessionStart" => const { &[SOURCE, Field::same("model", JsonType::Text)] },
        "UserPromptSubmit" => const { &[Field::made("prompt", prompt, set_prompt).required()] },
        "PreToolUse" => const { &[TOOL_NAME, TOOL_INPUT, CALL_ID] },
        "PermissionRequest" => const { &[TOOL_NAME_SAID, CALL_ID, TOOL_INPUT_SAID] },
        "PermissionResult" => {
            const {
                &[
                    TOOL_NAME_SAID,
                    CALL_ID,
                    TOOL_INPUT_SAID,
                    Field::at("approval_decision", "decision", JsonType::Text).or("unknown"),
                ]
            }
        }
        "PostToolUse" => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    CALL_ID,
                    Field::at("tool_response", "tool_output", JsonType::Json).required(),
                ]
            }
        }
        "PostToolUseFailure" => {
            const { &[TOOL_NAME, TOOL_INPUT, CALL_ID, Field::made("error", error, set_error).required()] }
        }
        "SubagentStart" => const { &[SUBAGENT, Field::same("prompt", JsonType::Text)] },
        "SubagentStop" => {
            const { &[SUBAGENT, Field::at("last_assistant_message", "response", JsonType::Text)] }
        }
        "Stop" => const { &[STOP_HOOK_ACTIVE] },
        "StopFailure" => const { &[Field::made("error", error, set_error).required()] },
        "PreCompact" => {
            const { &[TRIGGER, Field::at("token_estimate", "token_count", JsonType::Count)] }
        }
        "PostCompact" => {
            const { &[Field::at("tokens_after", "estimated_token_count", JsonType::Count)] }
        }
        "Notification" => {
            const { &[MESSAGE, TITLE, NOTIFICATION_TYPE, Field::same("level", JsonType::Text)] }
        }
        "SessionEnd" => const { &[REASON] },
        _ => &[],
    }
}

/// Its user is asked about something that may have no arguments.
const TOOL_NAME_SAID: Field = Field::same("tool_name", JsonType::Text).or("unknown");
const TOOL_INPUT_SAID: Field = Field::made("tool_input", tool_input, set_tool_input);

/// The texts of a prompt, which is a list of parts.
fn prompt(native: &Map<String, Value>) -> Option<Value> {
    match native.get("prompt")? {
        Value::String(text) => Some(text.as_str().into()),
        Value::Array(parts) => {
            let texts: Vec<&str> =
                parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            Some(texts.join("\n").into())
        }
        _ => None,
    }
}

fn set_prompt(native: &mut Map<String, Value>, prompt: &Value) {
    native.insert("prompt".to_owned(), json!([{ "type": "text", "text": prompt }]));
}

/// What an error says; it may be a text or an object.
fn error(native: &Map<String, Value>) -> Option<Value> {
    let error = native.get("error").or_else(|| native.get("error_message"))?;
    let message = error.as_str().or_else(|| error.get("message")?.as_str());
    Some(message.map_or_else(|| error.to_string(), str::to_owned).into())
}

fn set_error(native: &mut Map<String, Value>, error: &Value) {
    match native.get_mut("error").and_then(Value::as_object_mut) {
        Some(fields) => fields.insert("message".to_owned(), error.clone()),
        None => native.insert("error".to_owned(), json!({ "message": error })),
    };
}

fn tool_input(native: &Map<String, Value>) -> Option<Value> {
    Some(
        native
            .get("tool_input")
            .filter(|input| !input.is_null())
            .cloned()
            .unwrap_or_else(|| json!({})),
    )
}

fn set_tool_input(native: &mut Map<String, Value>, input: &Value) {
    native.insert("tool_input".to_owned(), input.clone());
}
