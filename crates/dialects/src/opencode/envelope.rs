//! The envelopes that the plugin sends, both ways.

use hookgate_contract::dialect::{Dialect, DialectError, HostEvent, ScriptInput};
use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use crate::agent_dialect::AgentDialect;
use crate::places::{
    CWD, Field, Places, SESSION_ID, TOOL_INPUT, TOOL_NAME, TOOL_RESPONSE, TOOL_USE_ID, keep,
};
use crate::pointer;

pub(super) const PLACES: Places = Places {
    event_key: "hook_event_name",
    header: &[SESSION_ID, Field::made("session_id", session, keep), CWD],
    fields,
    ours,
    facts: &[],
};

/// The kinds of OpenCode's own events that are events of ours.
const KINDS: [(&str, &str); 4] = [
    ("session.created", "session_start"),
    ("session.compacted", "post_compact"),
    ("session.deleted", "session_end"),
    ("session.error", "run_failed"),
];

fn fields(event: &str, ours: &str) -> &'static [Field] {
    match (event, ours) {
        ("tool.execute.before", _) => const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID] },
        ("tool.execute.after", _) => const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, TOOL_RESPONSE] },
        ("chat.message", _) => const { &[Field::made("prompt", prompt, set_prompt).required()] },
        ("permission.ask", _) => {
            const {
                &[
                    Field::made("tool_name", permission, set_permission).required(),
                    Field::made("tool_input", permission_input, set_permission_input).required(),
                    Field::at("tool_use_id", "/input/callID", JsonType::Text),
                ]
            }
        }
        ("experimental.session.compacting", _) => {
            const { &[Field::same("trigger", JsonType::Text).or("auto")] }
        }
        ("event", "session_start") => const { &[Field::made("source", startup, keep)] },
        ("event", "session_end") => const { &[Field::made("reason", deleted, keep)] },
        ("event", "run_failed") => const { &[Field::made("error", error, keep).required()] },
        _ => &[],
    }
}

/// Writes our envelope as the plugin would.
pub(super) fn write(
    dialect: &AgentDialect,
    envelope: &Map<String, Value>,
) -> Result<ScriptInput, DialectError> {
    let ours = envelope.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let kind = KINDS.iter().find(|(_, name)| *name == ours);
    let event = match kind.and_then(|_| dialect.event("event")) {
        Some(event) => event,
        None => Places::event_of(dialect, envelope)?,
    };
    let mut native = PLACES.write(event, envelope);
    if let Some((kind, _)) = kind {
        native.entry("event").or_insert_with(|| json!({ "type": kind, "properties": {} }));
    }
    Ok(ScriptInput::new(event.name, Value::Object(native)).variable("OPENCODE", "1"))
}

fn ours(event: &'static HostEvent, native: &Map<String, Value>) -> &'static str {
    let kind = pointer::get(native, "/event/type").and_then(Value::as_str);
    let known = KINDS.iter().find(|(name, _)| event.name == "event" && Some(*name) == kind);
    known.map_or(event.ours, |(_, ours)| *ours)
}

fn session(native: &Map<String, Value>) -> Option<Value> {
    let places = ["/input/sessionID", "/event/properties/sessionID", "/event/properties/info/id"];
    places.iter().find_map(|place| pointer::get(native, place).filter(|id| id.is_string())).cloned()
}

fn texts(native: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let parts = pointer::get(native, "/output/parts").and_then(Value::as_array);
    let is_text = |part: &&Value| part.get("type").and_then(Value::as_str) == Some("text");
    let parts = parts.map(Vec::as_slice).unwrap_or_default().iter().filter(is_text);
    parts.filter_map(|part| part.get("text")?.as_str())
}

fn prompt(native: &Map<String, Value>) -> Option<Value> {
    Some(texts(native).collect::<Vec<_>>().join("\n").into())
}

fn set_prompt(native: &mut Map<String, Value>, prompt: &Value) {
    pointer::put(native, "/output/parts", json!([{ "type": "text", "text": prompt }]));
}

fn permission(native: &Map<String, Value>) -> Option<Value> {
    let kinds = ["/input/type", "/input/permission"];
    let kind = kinds.iter().find_map(|place| pointer::get(native, place)?.as_str());
    Some(kind.unwrap_or("unknown").into())
}

fn set_permission(native: &mut Map<String, Value>, name: &Value) {
    pointer::put(native, "/input/type", name.clone());
}

fn permission_input(native: &Map<String, Value>) -> Option<Value> {
    let metadata = pointer::get(native, "/input/metadata").filter(|data| data.is_object());
    Some(metadata.cloned().unwrap_or_else(|| json!({})))
}

fn set_permission_input(native: &mut Map<String, Value>, input: &Value) {
    pointer::put(native, "/input/metadata", input.clone());
}

fn startup(_: &Map<String, Value>) -> Option<Value> {
    Some("startup".into())
}

fn deleted(_: &Map<String, Value>) -> Option<Value> {
    Some("deleted".into())
}

fn error(native: &Map<String, Value>) -> Option<Value> {
    let error = pointer::get(native, "/event/properties/error");
    let places = ["/data/message", "/message", "/name", ""];
    let text = places.iter().find_map(|place| error?.pointer(place)?.as_str());
    Some(text.unwrap_or("unknown").into())
}
