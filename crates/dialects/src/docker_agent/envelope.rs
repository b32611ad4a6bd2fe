//! The envelopes of docker agent, both ways.
//!
//! A field that is empty or zero is not in the envelope.

use hookgate_contract::dialect::HostEvent;
use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use super::TRANSFORM;
use crate::places::{CWD, Field, Places, REASON, SESSION_ID, SOURCE, TOOL_NAME, TOOL_USE_ID, keep};

pub(super) const PLACES: Places =
    Places { event_key: "hook_event_name", header: &[SESSION_ID, CWD], fields, ours, facts: &[] };

/// The event of ours about a tool that has failed.
const FAILURE: &str = "post_tool_use_failure";

const TOOL_INPUT: Field = Field::made("tool_input", tool_input, set_tool_input);
const CATEGORY: Field = Field::same("tool_category", JsonType::Text);
const MODEL: Field = Field::at("model", "model_id", JsonType::Text).or("unknown");
const LAST_MESSAGE: Field = Field::at("last_assistant_message", "stop_response", JsonType::Text);
const TOLD: Field = Field::at("message", "notification_message", JsonType::Text).or("");

fn fields(event: &str, ours: &str) -> &'static [Field] {
    match (event, ours) {
        ("pre_tool_use" | "tool_guard" | "tool_input_transform" | "permission_request", _) => {
            const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, CATEGORY] }
        }
        ("on_tool_approval_decision", _) => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    TOOL_USE_ID,
                    CATEGORY,
                    Field::same("approval_decision", JsonType::Text).or("unknown"),
                    Field::same("approval_source", JsonType::Text),
                ]
            }
        }
        (_, FAILURE) => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    TOOL_USE_ID,
                    CATEGORY,
                    Field::made("error", error, set_error),
                ]
            }
        }
        ("post_tool_use" | TRANSFORM, _) => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    TOOL_USE_ID,
                    CATEGORY,
                    Field::same("tool_response", JsonType::Json).or(""),
                ]
            }
        }
        ("session_start", _) => const { &[SOURCE] },
        ("session_end", _) => const { &[REASON] },
        ("user_prompt_submit", _) => const { &[Field::same("prompt", JsonType::Text).or("")] },
        ("user_followup_submit", _) => {
            const {
                &[
                    Field::same("prompt", JsonType::Text).or(""),
                    Field::made("source", |_| Some("followup".into()), keep),
                ]
            }
        }
        ("user_steering_messages_submit", _) => {
            const {
                &[
                    Field::made("prompt", steering, set_steering),
                    Field::made("source", |_| Some("steering".into()), keep),
                ]
            }
        }
        ("turn_start", _) => const { &[Field::made("iteration", |_| Some(0.into()), keep)] },
        ("turn_end", _) => const { &[Field::same("reason", JsonType::Text)] },
        ("before_llm_call", _) => {
            const {
                &[
                    MODEL,
                    Field::made("message_count", message_count, keep),
                    Field::same("messages", JsonType::List),
                    Field::same("iteration", JsonType::Count),
                ]
            }
        }
        ("after_llm_call", _) => {
            const {
                &[
                    Field::at("assistant_text", "stop_response", JsonType::Text).or(""),
                    Field::made("tool_call_names", |_| Some(json!([])), keep),
                    MODEL,
                    Field::same("usage", JsonType::Object),
                    Field::same("cost", JsonType::Number),
                ]
            }
        }
        ("pre_compact", _) => {
            const {
                &[
                    Field::at("trigger", "source", JsonType::Text).or("auto"),
                    Field::same("custom_instructions", JsonType::Text),
                ]
            }
        }
        ("before_compaction", _) => {
            const {
                &[
                    Field::at("trigger", "compaction_reason", JsonType::Text).or("auto"),
                    Field::at("token_estimate", "input_tokens", JsonType::Count),
                    Field::same("context_limit", JsonType::Count),
                ]
            }
        }
        ("after_compaction", _) => {
            const {
                &[
                    Field::at("tokens_before", "input_tokens", JsonType::Count),
                    Field::same("summary", JsonType::Text),
                ]
            }
        }
        ("subagent_stop", _) => {
            const {
                &[
                    Field::at("agent_type", "agent_name", JsonType::Text),
                    Field::same("parent_session_id", JsonType::Text),
                    LAST_MESSAGE,
                ]
            }
        }
        ("stop", _) => const { &[LAST_MESSAGE] },
        ("notification", _) => {
            const { &[TOLD, Field::at("level", "notification_level", JsonType::Text)] }
        }
        ("on_error", _) => {
            const { &[Field::at("error", "notification_message", JsonType::Text).or("unknown")] }
        }
        ("on_max_iterations", _) => {
            const { &[Field::made("max_iterations", |_| Some(0.into()), keep)] }
        }
        ("on_agent_switch", _) => {
            const {
                &[
                    Field::same("from_agent", JsonType::Text).or(""),
                    Field::same("to_agent", JsonType::Text).or(""),
                    Field::at("switch_kind", "agent_switch_kind", JsonType::Text),
                ]
            }
        }
        ("on_session_resume", _) => {
            const {
                &[
                    Field::same("previous_max_iterations", JsonType::Count),
                    Field::same("new_max_iterations", JsonType::Count),
                ]
            }
        }
        ("worktree_create", _) => {
            const {
                &[
                    Field::at("path", "worktree_path", JsonType::Text).or(""),
                    Field::at("branch", "worktree_branch", JsonType::Text),
                    Field::at("source_dir", "worktree_source_dir", JsonType::Text),
                ]
            }
        }
        _ => &[],
    }
}

/// One event tells of all results; of ours there are two.
fn ours(event: &'static HostEvent, native: &Map<String, Value>) -> &'static str {
    let failed = || match native.get("tool_error") {
        Some(Value::Bool(failed)) => *failed,
        Some(Value::String(error)) => !error.is_empty(),
        _ => false,
    };
    if event.ours == "post_tool_use" && failed() { FAILURE } else { event.ours }
}

fn tool_input(native: &Map<String, Value>) -> Option<Value> {
    let input = native.get("tool_input").filter(|input| !input.is_null());
    Some(input.cloned().unwrap_or_else(|| json!({})))
}

fn set_tool_input(native: &mut Map<String, Value>, input: &Value) {
    native.insert("tool_input".to_owned(), input.clone());
}

/// What a failed tool says: the text of its result.
fn error(native: &Map<String, Value>) -> Option<Value> {
    let texts = ["tool_error", "tool_response"].map(|key| native.get(key).and_then(Value::as_str));
    let text = texts.into_iter().flatten().find(|text| !text.is_empty());
    Some(text.unwrap_or("the tool failed").into())
}

fn set_error(native: &mut Map<String, Value>, error: &Value) {
    native.insert("tool_response".to_owned(), error.clone());
    native.insert("tool_error".to_owned(), true.into());
}

/// The messages that waited, as one prompt.
fn steering(native: &Map<String, Value>) -> Option<Value> {
    let messages = native.get("steering_messages").and_then(Value::as_array);
    let texts = messages.into_iter().flatten().filter_map(Value::as_str);
    Some(texts.collect::<Vec<_>>().join("\n").into())
}

fn set_steering(native: &mut Map<String, Value>, prompt: &Value) {
    native.insert("steering_messages".to_owned(), json!([prompt]));
}

fn message_count(native: &Map<String, Value>) -> Option<Value> {
    let messages = native.get("messages").and_then(Value::as_array);
    Some(messages.map_or(0, Vec::len).into())
}
