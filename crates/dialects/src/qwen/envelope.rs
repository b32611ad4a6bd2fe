//! The envelopes of Qwen Code, both ways.

use hookgate_contract::dialect::{HostEvent, ScriptInput};
use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use crate::places::{
    AGENT_ID, AGENT_TYPE, CWD, DURATION_MS, ERROR, Field, LAST_MESSAGE, MESSAGE, NOTIFICATION_TYPE,
    PROMPT, Places, REASON, SESSION_ID, SOURCE, STOP_HOOK_ACTIVE, TITLE, TOOL_INPUT, TOOL_NAME,
    TOOL_RESPONSE, TOOL_USE_ID, TRIGGER, by_table, keep,
};

pub(super) const PLACES: Places = Places {
    event_key: "hook_event_name",
    header: &[SESSION_ID, CWD, AGENT_ID, AGENT_TYPE],
    fields,
    ours: by_table,
    facts: &["transcript_path", "permission_mode", "prompt_id", "timestamp"],
};

const IS_INTERRUPT: Field = Field::same("is_interrupt", JsonType::Flag);

fn fields(event: &str, _: &str) -> &'static [Field] {
    match event {
        "SessionStart" => const { &[SOURCE, Field::same("model", JsonType::Text)] },
        "UserPromptSubmit" => const { &[PROMPT] },
        "PreToolUse" => const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID] },
        "PermissionRequest" => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    TOOL_USE_ID,
                    Field::at("suggestions", "permission_suggestions", JsonType::Json),
                ]
            }
        }
        "PermissionDenied" => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    TOOL_USE_ID,
                    Field::made("approval_decision", denied, keep).required(),
                ]
            }
        }
        "PostToolUse" => {
            const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_RESPONSE, DURATION_MS] }
        }
        "PostToolUseFailure" => {
            const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, ERROR, DURATION_MS, IS_INTERRUPT] }
        }
        "PostToolBatch" => const { &[Field::made("results", results, set_results).required()] },
        "Notification" => const { &[MESSAGE, TITLE, NOTIFICATION_TYPE] },
        "SubagentStop" | "Stop" => const { &[STOP_HOOK_ACTIVE, LAST_MESSAGE] },
        "StopFailure" => const { &[Field::same("error", JsonType::Text).or("unknown")] },
        "PreCompact" => const { &[TRIGGER, Field::same("custom_instructions", JsonType::Text)] },
        "PostCompact" => const { &[Field::at("summary", "compact_summary", JsonType::Text)] },
        "SessionEnd" => const { &[REASON] },
        _ => &[],
    }
}

/// Completes what was written of our envelope as Qwen Code would.
pub(super) fn complete(
    event: &HostEvent,
    _: &Map<String, Value>,
    native: Map<String, Value>,
) -> ScriptInput {
    let text = |key| native.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (cwd, session) = (text("cwd"), text("session_id"));
    ScriptInput::new(event.name, Value::Object(native))
        .variable("QWEN_PROJECT_DIR", &*cwd)
        .variable("GEMINI_PROJECT_DIR", &*cwd)
        .variable("CLAUDE_PROJECT_DIR", cwd)
        .variable("QWEN_CODE_SESSION_ID", session)
}

fn denied(_: &Map<String, Value>) -> Option<Value> {
    Some("deny".into())
}

/// How each call of a batch ended.
fn results(native: &Map<String, Value>) -> Option<Value> {
    let calls = native.get("tool_calls").and_then(Value::as_array);
    let result = |call: &Value| {
        let text = |key| call.get(key).and_then(Value::as_str);
        let failed = text("status").is_some_and(|status| status != "success");
        let mut result =
            json!({ "tool_name": text("tool_name").unwrap_or_default(), "is_error": failed });
        if let (Some(id), Some(fields)) = (text("tool_use_id"), result.as_object_mut()) {
            fields.insert("tool_use_id".to_owned(), id.into());
        }
        result
    };
    Some(calls.map(Vec::as_slice).unwrap_or_default().iter().map(result).collect())
}

fn set_results(native: &mut Map<String, Value>, results: &Value) {
    let call = |result: &Value| {
        let failed = result.get("is_error") == Some(&Value::Bool(true));
        let mut call = result.clone();
        if let Some(fields) = call.as_object_mut() {
            fields.remove("is_error");
            fields.insert("status".to_owned(), if failed { "error" } else { "success" }.into());
        }
        call
    };
    let calls = results.as_array().map(|all| all.iter().map(call).collect::<Value>());
    native.insert("tool_calls".to_owned(), calls.unwrap_or_else(|| json!([])));
}
