//! The envelopes of Gemini CLI, both ways.

use hookgate_contract::dialect::{HostEvent, ScriptInput};
use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use crate::places::{
    CWD, Field, MESSAGE, NOTIFICATION_TYPE, PROMPT, Places, REASON, SESSION_ID, SOURCE,
    STOP_HOOK_ACTIVE, TOOL_INPUT, TOOL_NAME, TOOL_RESPONSE, TRIGGER, keep,
};
use crate::pointer;

pub(super) const PLACES: Places =
    Places { event_key: "hook_event_name", header: &[SESSION_ID, CWD], fields, ours, facts: &[] };

const MODEL: Field = Field::at("model", "/llm_request/model", JsonType::Text).required();
const MESSAGES: Field = Field::at("messages", "/llm_request/messages", JsonType::List);

fn fields(event: &str, ours: &str) -> &'static [Field] {
    match (event, ours) {
        ("SessionStart", _) => const { &[SOURCE] },
        ("SessionEnd", _) => const { &[REASON] },
        ("PreCompress", _) => const { &[TRIGGER] },
        ("Notification", _) => const { &[MESSAGE, NOTIFICATION_TYPE] },
        ("BeforeAgent", _) => const { &[PROMPT] },
        ("AfterAgent", _) => {
            const {
                &[
                    Field::at("last_assistant_message", "/prompt_response", JsonType::Text),
                    STOP_HOOK_ACTIVE,
                ]
            }
        }
        ("BeforeTool", _) => const { &[TOOL_NAME, TOOL_INPUT] },
        ("AfterTool", "post_tool_use") => const { &[TOOL_NAME, TOOL_INPUT, TOOL_RESPONSE] },
        ("AfterTool", _) => {
            const { &[TOOL_NAME, TOOL_INPUT, Field::made("error", error_text, set_error).required()] }
        }
        ("BeforeModel", _) => {
            const {
                &[
                    MODEL,
                    Field::made("message_count", message_count, keep).required(),
                    MESSAGES,
                    Field::at("temperature", "/llm_request/config/temperature", JsonType::Number),
                    Field::at("max_tokens", "/llm_request/config/maxOutputTokens", JsonType::Count),
                    Field::at("provider_params", "/llm_request/config", JsonType::Object),
                ]
            }
        }
        ("AfterModel", _) => {
            const {
                &[
                    MODEL,
                    Field::made("assistant_text", assistant_text, set_assistant_text).required(),
                    Field::made("tool_call_names", tool_call_names, keep).required(),
                    Field::at(
                        "stop_reason",
                        "/llm_response/candidates/0/finishReason",
                        JsonType::Text,
                    ),
                    Field::at("usage", "/llm_response/usageMetadata", JsonType::Json),
                ]
            }
        }
        ("BeforeToolSelection", _) => {
            const {
                &[
                    MODEL,
                    Field::made("input_text", last_user_text, keep).required(),
                    Field::at(
                        "tool_names",
                        "/llm_request/toolConfig/allowedFunctionNames",
                        JsonType::Names,
                    ),
                ]
            }
        }
        _ => &[],
    }
}

/// A result with an error is that of a tool that failed.
fn ours(event: &'static HostEvent, native: &Map<String, Value>) -> &'static str {
    let failed = || pointer::get(native, "/tool_response/error").is_some_and(|e| !e.is_null());
    if event.name == "AfterTool" && failed() { "post_tool_use_failure" } else { event.ours }
}

/// Completes what was written of our envelope as Gemini CLI would.
pub(super) fn complete(
    event: &HostEvent,
    _: &Map<String, Value>,
    mut native: Map<String, Value>,
) -> ScriptInput {
    if event.name == "AfterTool" {
        native.entry("tool_response").or_insert_with(|| json!({}));
    }
    let text = |key| native.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (cwd, session) = (text("cwd"), text("session_id"));
    ScriptInput::new(event.name, Value::Object(native))
        .variable("GEMINI_PROJECT_DIR", &*cwd)
        .variable("GEMINI_CWD", &*cwd)
        .variable("GEMINI_SESSION_ID", session)
        .variable("CLAUDE_PROJECT_DIR", cwd)
}

/// What the model reads of a tool that failed; else what the error says.
fn error_text(native: &Map<String, Value>) -> Option<Value> {
    let response = native.get("tool_response")?;
    let texts = ["/llmContent", "/error/message", "/error"];
    let text = texts.iter().find_map(|place| response.pointer(place)?.as_str());
    Some(text.map_or_else(|| response.to_string(), str::to_owned).into())
}

fn set_error(native: &mut Map<String, Value>, error: &Value) {
    pointer::put(native, "/tool_response/llmContent", error.clone());
    pointer::put(native, "/tool_response/error/message", error.clone());
}

fn message_count(native: &Map<String, Value>) -> Option<Value> {
    let messages = pointer::get(native, "/llm_request/messages").and_then(Value::as_array);
    Some(messages.map_or(0, Vec::len).into())
}

/// The text of the whole answer, or that of the parts of its candidates.
fn assistant_text(native: &Map<String, Value>) -> Option<Value> {
    if let Some(text) = pointer::get(native, "/llm_response/text").filter(|text| text.is_string()) {
        return Some(text.clone());
    }
    let parts = pointer::get(native, "/llm_response/candidates/0/content/parts");
    let parts = parts.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text =
        |part: &Value| Some(part.as_str().or_else(|| part.get("text")?.as_str())?.to_owned());
    Some(parts.iter().filter_map(text).collect::<String>().into())
}

fn set_assistant_text(native: &mut Map<String, Value>, text: &Value) {
    let candidate = json!({ "content": { "role": "model", "parts": [text] }, "index": 0 });
    pointer::put(native, "/llm_response/text", text.clone());
    pointer::put(native, "/llm_response/candidates", json!([candidate]));
}

/// The calls in the parts of the answer. Gemini CLI sends only texts so far.
fn tool_call_names(native: &Map<String, Value>) -> Option<Value> {
    let parts = pointer::get(native, "/llm_response/candidates/0/content/parts");
    let parts = parts.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names = parts.iter().filter_map(|part| part.pointer("/functionCall/name"));
    Some(names.filter(|name| name.is_string()).cloned().collect())
}

fn last_user_text(native: &Map<String, Value>) -> Option<Value> {
    let messages = pointer::get(native, "/llm_request/messages").and_then(Value::as_array);
    let is_user = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("user");
    let last = messages.and_then(|all| all.iter().rev().find(is_user));
    let text = last.and_then(|message| message.get("content")?.as_str());
    Some(text.unwrap_or_default().into())
}
