//! A text as it stands in JSON.

use serde_json::Value;

/// Returns a text as it is written within a string of JSON.
pub(crate) fn as_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}
