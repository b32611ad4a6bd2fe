//! The envelopes of Meerkat, both ways: what a point is about is inside of an object.
//!
//! What has happened outside of a run, such as an input that was refused, is inside of two: `observation` names
//! the point once more, and has the facts in another `observation`.

use hookgate_contract::dialect::{DialectError, HostEvent, ScriptInput};
use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use crate::agent_dialect::AgentDialect;
use crate::places::{Field, Places, SESSION_ID, keep};
use crate::pointer;

pub(super) const PLACES: Places = Places {
    event_key: "point",
    header: &[SESSION_ID, Field::at("turn", "turn_number", JsonType::Count)],
    fields,
    ours,
    facts: &[],
};

/// The event of ours about a tool that has failed.
const FAILURE: &str = "post_tool_use_failure";

const NAMES: &str = "/llm_response/tool_call_names";
const CONTENT: &str = "/tool_result/content";
const IS_ERROR: &str = "/tool_result/is_error";

const RESULT_NAME: Field = Field::at("tool_name", "/tool_result/name", JsonType::Text).required();
const RESULT_ID: Field = Field::at("tool_use_id", "/tool_result/tool_use_id", JsonType::Text);
const INPUT_ID: Field =
    Field::at("input_id", "/observation/observation/input_id", JsonType::Text).or("unknown");
const INPUT_KIND: Field =
    Field::at("input_kind", "/observation/observation/input_kind", JsonType::Text).or("unknown");
const MESSAGE_KIND: Field =
    Field::at("message_kind", "/observation/observation/kind", JsonType::Text).or("unknown");
const INTERACTION_ID: Field =
    Field::at("interaction_id", "/observation/observation/interaction_id", JsonType::Text);
const DELIVERY: &str = "/observation/observation/delivery";
const OBSERVATION_TYPE: &str = "/observation/observation_type";

/// The arguments are not told after the call.
const NO_INPUT: Field = Field::made("tool_input", |_| Some(json!({})), keep);

fn fields(point: &str, ours: &str) -> &'static [Field] {
    match (point, ours) {
        ("run_started", _) => const { &[Field::made("prompt", prompt, set_prompt)] },
        ("pre_llm_request", _) => {
            const {
                &[
                    Field::at("model", "/llm_request/model", JsonType::Text).or("unknown"),
                    Field::at("message_count", "/llm_request/message_count", JsonType::Count)
                        .required(),
                    Field::at("max_tokens", "/llm_request/max_tokens", JsonType::Count),
                    Field::at("temperature", "/llm_request/temperature", JsonType::Number),
                    Field::at("provider_params", "/llm_request/provider_params", JsonType::Object),
                ]
            }
        }
        ("post_llm_response", _) => {
            const {
                &[
                    Field::at("assistant_text", "/llm_response/assistant_text", JsonType::Text)
                        .or(""),
                    Field::made("tool_call_names", tool_names, set_tool_names),
                    Field::at("stop_reason", "/llm_response/stop_reason", JsonType::Text),
                    Field::at("usage", "/llm_response/usage", JsonType::Object),
                ]
            }
        }
        ("pre_tool_execution", _) => {
            const {
                &[
                    Field::at("tool_name", "/tool_call/name", JsonType::Text).required(),
                    Field::at("tool_input", "/tool_call/args", JsonType::Json).required(),
                    Field::at("tool_use_id", "/tool_call/tool_use_id", JsonType::Text),
                ]
            }
        }
        ("post_tool_execution", FAILURE) => {
            const { &[RESULT_NAME, NO_INPUT, RESULT_ID, Field::made("error", error, set_error)] }
        }
        ("post_tool_execution", _) => {
            const {
                &[
                    RESULT_NAME,
                    NO_INPUT,
                    RESULT_ID,
                    Field::at("tool_response", CONTENT, JsonType::Json).or(""),
                    Field::at("content_blocks", "/tool_result/content_blocks", JsonType::List),
                ]
            }
        }
        ("run_completed", _) => {
            const {
                &[
                    Field::made("result_text", |_| Some("".into()), keep),
                    Field::made("turns", turns, set_turns),
                ]
            }
        }
        ("run_failed", _) => {
            const {
                &[
                    Field::made("error", run_error, set_run_error),
                    Field::same("error_class", JsonType::Text),
                ]
            }
        }
        ("runtime_input_accepted", _) => {
            const {
                &[
                    INPUT_ID,
                    INPUT_KIND,
                    Field::made("outcome", |_| Some("accepted".into()), keep),
                    Field::at(
                        "handling_mode",
                        "/observation/observation/handling_mode",
                        JsonType::Text,
                    ),
                ]
            }
        }
        ("runtime_input_rejected", _) => {
            const {
                &[
                    INPUT_ID,
                    INPUT_KIND,
                    Field::made("outcome", |_| Some("rejected".into()), keep),
                    Field::at(
                        "reason",
                        "/observation/observation/reason/reason_type",
                        JsonType::Text,
                    ),
                    Field::at("detail", "/observation/observation/reason/detail", JsonType::Text),
                    Field::at(
                        "runtime_state",
                        "/observation/observation/reason/state",
                        JsonType::Text,
                    ),
                ]
            }
        }
        ("runtime_input_deduplicated", _) => {
            const {
                &[
                    INPUT_ID,
                    INPUT_KIND,
                    Field::made("outcome", |_| Some("deduplicated".into()), keep),
                    Field::at(
                        "existing_input_id",
                        "/observation/observation/existing_input_id",
                        JsonType::Text,
                    ),
                ]
            }
        }
        ("peer_ingress_committed", _) => {
            const {
                &[
                    Field::made("direction", |_| Some("in".into()), keep),
                    MESSAGE_KIND,
                    Field::at("peer_id", "/observation/observation/peer/id", JsonType::Text),
                    Field::at(
                        "peer_name",
                        "/observation/observation/peer/display_name",
                        JsonType::Text,
                    ),
                    Field::at("request_id", "/observation/observation/request_id", JsonType::Text),
                    Field::at(
                        "sender_taint",
                        "/observation/observation/sender_taint",
                        JsonType::Text,
                    ),
                ]
            }
        }
        ("peer_egress_committed", _) => {
            const {
                &[
                    Field::made("direction", |_| Some("out".into()), keep),
                    MESSAGE_KIND,
                    Field::at("peer_id", "/observation/observation/peer_id", JsonType::Text),
                    Field::at("peer_name", "/observation/observation/display_name", JsonType::Text),
                    Field::at(
                        "envelope_id",
                        "/observation/observation/envelope_id",
                        JsonType::Text,
                    ),
                    Field::made("delivery", delivery, set_delivery),
                    INTERACTION_ID,
                    Field::at(
                        "in_reply_to",
                        "/observation/observation/in_reply_to",
                        JsonType::Text,
                    ),
                ]
            }
        }
        ("interaction_completed", _) => {
            const {
                &[
                    INTERACTION_ID.or("unknown"),
                    Field::at("result_text", "/observation/observation/result", JsonType::Text)
                        .or(""),
                    Field::at(
                        "structured_output",
                        "/observation/observation/structured_output",
                        JsonType::Json,
                    ),
                ]
            }
        }
        _ => &[],
    }
}

/// One point tells of all results; of ours there are two.
fn ours(event: &'static HostEvent, native: &Map<String, Value>) -> &'static str {
    let failed = || pointer::get(native, IS_ERROR) == Some(&Value::Bool(true));
    if event.ours == "post_tool_use" && failed() { FAILURE } else { event.ours }
}

/// Writes an envelope of ours as Meerkat would send it. Where several points are one event of ours, a field says
/// which of them it is; the agent's own word goes first.
pub(super) fn write(
    dialect: &AgentDialect,
    envelope: &Map<String, Value>,
) -> Result<ScriptInput, DialectError> {
    let named = Places::named_event(dialect, envelope);
    let Some(point) = point_of(envelope).filter(|_| named.is_none()) else {
        return PLACES.input(dialect, envelope, complete);
    };
    let mut marked = envelope.clone();
    let host = marked.entry("host").or_insert_with(|| json!({}));
    if let Some(host) = host.as_object_mut() {
        host.insert("hook_event_name".to_owned(), point.into());
    }
    PLACES.input(dialect, &marked, complete)
}

/// The point that a field of our envelope means.
fn point_of(envelope: &Map<String, Value>) -> Option<&'static str> {
    let text = |key: &str| envelope.get(key).and_then(Value::as_str).unwrap_or_default();
    match (text("hook_event_name"), text("outcome"), text("direction")) {
        ("runtime_input", "rejected", _) => Some("runtime_input_rejected"),
        ("runtime_input", "deduplicated", _) => Some("runtime_input_deduplicated"),
        ("peer_message", _, "out") => Some("peer_egress_committed"),
        _ => None,
    }
}

/// Completes what was written of our envelope as Meerkat would.
fn complete(
    event: &HostEvent,
    _: &Map<String, Value>,
    mut native: Map<String, Value>,
) -> ScriptInput {
    if event.name == "post_tool_execution" && pointer::get(&native, IS_ERROR).is_none() {
        pointer::put(&mut native, IS_ERROR, false.into());
    }
    if native.contains_key("observation") && pointer::get(&native, OBSERVATION_TYPE).is_none() {
        pointer::put(&mut native, OBSERVATION_TYPE, event.name.into());
    }
    ScriptInput::new(event.name, Value::Object(native))
}

/// How far a message has come: a word, or an object with the word as its key.
fn delivery(native: &Map<String, Value>) -> Option<Value> {
    match pointer::get(native, DELIVERY)? {
        Value::String(word) => Some(word.as_str().into()),
        Value::Object(told) => told.keys().next().map(|word| word.as_str().into()),
        _ => None,
    }
}

fn set_delivery(native: &mut Map<String, Value>, delivery: &Value) {
    pointer::put(native, DELIVERY, delivery.clone());
}

/// The text of a prompt; since version 0.7 it is beside its parts.
fn prompt(native: &Map<String, Value>) -> Option<Value> {
    let content = || pointer::get(native, "/prompt_input/content");
    let text = native.get("prompt").or_else(content)?;
    text.is_string().then(|| text.clone())
}

fn set_prompt(native: &mut Map<String, Value>, prompt: &Value) {
    native.insert("prompt_input".to_owned(), json!({ "kind": "content", "content": prompt }));
    native.insert("prompt".to_owned(), prompt.clone());
}

fn tool_names(native: &Map<String, Value>) -> Option<Value> {
    let names = pointer::get(native, NAMES).filter(|names| JsonType::Names.admits(names));
    Some(names.cloned().unwrap_or_else(|| json!([])))
}

fn set_tool_names(native: &mut Map<String, Value>, names: &Value) {
    pointer::put(native, NAMES, names.clone());
}

/// What a failed tool says: the text of its result.
fn error(native: &Map<String, Value>) -> Option<Value> {
    let text = pointer::get(native, CONTENT).and_then(Value::as_str);
    Some(text.unwrap_or("the tool failed").into())
}

fn set_error(native: &mut Map<String, Value>, error: &Value) {
    pointer::put(native, CONTENT, error.clone());
    pointer::put(native, IS_ERROR, true.into());
}

/// There the number of the turn is how many there were.
fn turns(native: &Map<String, Value>) -> Option<Value> {
    Some(native.get("turn_number").and_then(Value::as_u64).unwrap_or_default().into())
}

fn set_turns(native: &mut Map<String, Value>, turns: &Value) {
    native.insert("turn_number".to_owned(), turns.clone());
}

fn run_error(native: &Map<String, Value>) -> Option<Value> {
    let message = || pointer::get(native, "/error_report/message");
    let error = native.get("error").or_else(message).and_then(Value::as_str);
    Some(error.unwrap_or("unknown").into())
}

fn set_run_error(native: &mut Map<String, Value>, error: &Value) {
    native.insert("error".to_owned(), error.clone());
    native.insert("error_report".to_owned(), json!({ "message": error }));
}
