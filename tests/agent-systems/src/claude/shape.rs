//! Whether a changed result of a tool still has the shape that the tool has.

use serde_json::{Map, Value};

/// Tells whether a new result can stand for the old one. Tools of MCP servers may answer anything.
pub(super) fn fits_output(input: &Map<String, Value>, new: &Value) -> bool {
    let is_mcp = input
        .get("tool_name")
        .and_then(Value::as_str)
        .is_some_and(|name| name.starts_with("mcp__"));
    is_mcp || input.get("tool_response").is_none_or(|old| has_shape(old, new))
}

/// Tells whether a value has the type of another one, and an object all its fields.
fn has_shape(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            old.iter().all(|(name, old)| new.get(name).is_some_and(|new| has_shape(old, new)))
        }
        (Value::Null, _)
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::String(_), Value::String(_))
        | (Value::Array(_), Value::Array(_)) => true,
        _ => false,
    }
}
