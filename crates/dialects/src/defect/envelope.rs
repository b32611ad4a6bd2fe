//! The envelopes of defect, both ways.

use hookgate_contract::dialect::{HostEvent, ScriptInput};
use hookgate_contract::json::JsonType;
use hookgate_contract::payload::{PromptSource, Safety};
use serde_json::{Map, Value, json};

use crate::places::{CWD, Field, Places, SESSION_ID, keep};

pub(super) const PLACES: Places =
    Places { event_key: "hook_event", header: &[SESSION_ID, CWD], fields, ours, facts: &[] };

/// The event of ours about a tool that has failed.
const FAILURE: &str = "post_tool_use_failure";

const TOOL: Field = Field::at("tool_name", "tool", JsonType::Text).required();
/// The arguments are told before the call only.
const NO_INPUT: Field = Field::made("tool_input", |_| Some(json!({})), keep);
const MODEL: Field = Field::same("model", JsonType::Text).or("unknown");

fn fields(event: &str, ours: &str) -> &'static [Field] {
    match (event, ours) {
        ("after_session_enter", _) => const { &[Field::made("source", entered, set_entered)] },
        ("after_turn_enter", _) => {
            const {
                &[
                    Field::made("iteration", |_| Some(0.into()), keep),
                    Field::same("is_subagent", JsonType::Flag),
                    Field::same("agent_type", JsonType::Text),
                ]
            }
        }
        ("before_ingest", _) => {
            const {
                &[
                    Field::at("prompt", "input", JsonType::Text).or(""),
                    Field::made("source", prompt_source, set_source),
                ]
            }
        }
        ("after_ingest", _) => {
            const {
                &[
                    Field::made("prompt", |_| Some("".into()), keep),
                    Field::same("committed_len", JsonType::Count),
                ]
            }
        }
        ("before_compact", _) => {
            const {
                &[
                    Field::made("trigger", |_| Some("auto".into()), keep),
                    Field::same("token_estimate", JsonType::Count),
                    Field::same("threshold", JsonType::Count),
                ]
            }
        }
        ("after_compact", _) => {
            const {
                &[
                    Field::same("tokens_before", JsonType::Count),
                    Field::same("tokens_after", JsonType::Count),
                ]
            }
        }
        ("before_generate", _) => {
            const {
                &[
                    MODEL,
                    Field::same("message_count", JsonType::Count).required(),
                    Field::same("attempt", JsonType::Count),
                ]
            }
        }
        ("after_generate", _) => {
            const {
                &[
                    Field::made("assistant_text", |_| Some("".into()), keep),
                    Field::made("tool_call_names", |_| Some(json!([])), keep),
                    MODEL,
                    Field::same("usage", JsonType::Object),
                    Field::same("stop_reason", JsonType::Text),
                    Field::same("error", JsonType::Text),
                ]
            }
        }
        ("before_permission", _) => const { &[TOOL, NO_INPUT] },
        ("after_permission", _) => {
            const { &[TOOL, NO_INPUT, Field::made("approval_decision", granted, set_granted)] }
        }
        ("before_tool_apply", _) => {
            const {
                &[
                    TOOL,
                    Field::made("tool_input", args, set_args),
                    Field::made("safety", safety, set_safety),
                ]
            }
        }
        ("after_tool_apply", FAILURE) => {
            const { &[TOOL, NO_INPUT, Field::made("error", error, set_error)] }
        }
        ("after_tool_apply", _) => {
            const { &[TOOL, NO_INPUT, Field::at("tool_response", "output", JsonType::Json).or("")] }
        }
        ("after_tool_batch", _) => const { &[Field::made("results", results, set_results)] },
        ("before_turn_end", _) => {
            const {
                &[
                    Field::same("stop_reason", JsonType::Text),
                    Field::same("continues_so_far", JsonType::Count),
                ]
            }
        }
        _ => &[],
    }
}

/// One step tells of all results; of ours there are two.
fn ours(event: &'static HostEvent, native: &Map<String, Value>) -> &'static str {
    let failed = native.get("is_error") == Some(&Value::Bool(true));
    if event.ours == "post_tool_use" && failed { FAILURE } else { event.ours }
}

/// Completes what was written of our envelope as defect would, with the variables that it sets.
pub(super) fn complete(
    event: &HostEvent,
    envelope: &Map<String, Value>,
    mut native: Map<String, Value>,
) -> ScriptInput {
    if event.name == "after_tool_apply" {
        native.entry("is_error").or_insert_with(|| false.into());
    }
    let variables = [
        ("DEFECT_SESSION_ID", "session_id"),
        ("DEFECT_CWD", "cwd"),
        ("DEFECT_TOOL_NAME", "tool_name"),
    ];
    let known = variables
        .into_iter()
        .filter_map(|(name, field)| Some((name, envelope.get(field)?.as_str()?)));
    let input = ScriptInput::new(event.name, Value::Object(native));
    known.fold(input, |input, (name, value)| input.variable(name, value))
}

fn text_at<'a>(native: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    native.get(key)?.as_str()
}

/// A session is entered anew, or again.
fn entered(native: &Map<String, Value>) -> Option<Value> {
    let is_again = text_at(native, "source") == Some("resume");
    Some(if is_again { "resume" } else { "startup" }.into())
}

fn set_entered(native: &mut Map<String, Value>, source: &Value) {
    let word = if source == "resume" { "resume" } else { "new" };
    native.insert("source".to_owned(), word.into());
}

fn prompt_source(native: &Map<String, Value>) -> Option<Value> {
    let said = text_at(native, "source").and_then(PromptSource::from_name);
    Some(said.unwrap_or_default().name().into())
}

fn set_source(native: &mut Map<String, Value>, source: &Value) {
    native.insert("source".to_owned(), source.clone());
}

fn granted(native: &Map<String, Value>) -> Option<Value> {
    let is_granted = native.get("granted") == Some(&Value::Bool(true));
    Some(if is_granted { "allow" } else { "deny" }.into())
}

fn set_granted(native: &mut Map<String, Value>, decision: &Value) {
    native.insert("granted".to_owned(), (decision == "allow").into());
}

fn args(native: &Map<String, Value>) -> Option<Value> {
    let args = native.get("args").filter(|args| !args.is_null());
    Some(args.cloned().unwrap_or_else(|| json!({})))
}

fn set_args(native: &mut Map<String, Value>, input: &Value) {
    native.insert("args".to_owned(), input.clone());
}

fn safety(native: &Map<String, Value>) -> Option<Value> {
    Some(Safety::from_name(text_at(native, "safety")?)?.name().into())
}

fn set_safety(native: &mut Map<String, Value>, safety: &Value) {
    native.insert("safety".to_owned(), safety.clone());
}

/// What a failed tool says: its output.
fn error(native: &Map<String, Value>) -> Option<Value> {
    let text = text_at(native, "output").filter(|text| !text.is_empty());
    Some(text.unwrap_or("the tool failed").into())
}

fn set_error(native: &mut Map<String, Value>, error: &Value) {
    native.insert("output".to_owned(), error.clone());
    native.insert("is_error".to_owned(), true.into());
}

/// How the calls of a batch ended.
fn results(native: &Map<String, Value>) -> Option<Value> {
    let all = native.get("results").and_then(Value::as_array);
    let ended = |result: &Value| {
        let name = result.get("tool").and_then(Value::as_str).unwrap_or("unknown");
        let is_error = result.get("is_error") == Some(&Value::Bool(true));
        json!({ "tool_name": name, "is_error": is_error })
    };
    Some(all.into_iter().flatten().map(ended).collect())
}

fn set_results(native: &mut Map<String, Value>, results: &Value) {
    let all = results.as_array();
    let ended = |result: &Value| json!({ "tool": result.get("tool_name"), "is_error": result.get("is_error") });
    let all: Vec<Value> = all.into_iter().flatten().map(ended).collect();
    native.insert("results".to_owned(), all.into());
}
