//! A result that must not be seen, in the shape that the agent expects.

use serde_json::{Map, Value};

/// What stands in place of each text.
const STUB: &str = "[withheld by a hook]";

/// The key under which a result says of which kind it is. Without it the shape is another one.
const KIND: &str = "type";

/// How long the name of a kind is at most.
const LONGEST_KIND: usize = 24;

/// Returns the same value without its texts. An agent takes a changed result only if it has the shape
/// that its tool gives, so the keys, the numbers and the flags stay.
pub(crate) fn withheld(result: &Value) -> Value {
    match result {
        Value::String(_) => STUB.into(),
        Value::Array(items) => items.iter().map(withheld).collect(),
        Value::Object(fields) => Value::Object(fields.iter().map(field).collect::<Map<_, _>>()),
        other => other.clone(),
    }
}

fn field((key, value): (&String, &Value)) -> (String, Value) {
    let is_kind = key == KIND && value.as_str().is_some_and(is_name);
    (key.clone(), if is_kind { value.clone() } else { withheld(value) })
}

fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_KIND && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}
