//! Whether a value has what is expected of it.

use serde_json::{Map, Value};

use crate::report::Report;

/// Whether fields of a step were changed to these values. A key that begins with `/` is a pointer into what was
/// changed; no field at all means that nothing was changed.
#[must_use]
pub fn is_patched(expected: &Map<String, Value>, report: &Report) -> bool {
    if expected.is_empty() {
        return report.patched.is_empty();
    }
    let all = Value::Object(report.final_fields.clone());
    expected.iter().all(|(key, value)| {
        let got = if key.starts_with('/') { all.pointer(key) } else { all.get(key) };
        got.is_some_and(|got| includes(got, value))
    })
}

/// Whether a value has all that another one has: of tables only the keys that are named are compared.
///
/// ```
/// use hookgate::certify::includes;
/// use serde_json::json;
///
/// assert!(includes(&json!({"a": 1.0, "b": 2}), &json!({"a": 1})));
/// assert!(!includes(&json!({"b": 2}), &json!({"a": 1})));
/// ```
#[must_use]
pub fn includes(got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Object(got), Value::Object(expected)) => expected
            .iter()
            .all(|(key, value)| got.get(key).is_some_and(|found| includes(found, value))),
        (Value::Number(got), Value::Number(expected)) => {
            got == expected || got.as_f64() == expected.as_f64()
        }
        (got, expected) => got == expected,
    }
}
