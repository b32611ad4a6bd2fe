//! The JSON Schema of an answer, for servers that hold a model to one.
//!
//! ```json
//! {"type": "object", "additionalProperties": false,
//!  "required": ["nonce", "reason", "decision"],
//!  "properties": {"nonce": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
//!                 "reason": {"type": "string"},
//!                 "decision": {"type": "string", "enum": ["allow", "deny", "ask", "unsure"]}}}
//! ```
//!
//! In a question about several rules each of them has such an object, without the nonce, under its name.

use serde_json::{Map, Value};

use super::spec::AnswerSpec;

/// What a nonce looks like. Without the pattern small models write something else there.
///
/// A nonce has 64 bits: an answer holds one guess, once, and models make mistakes when they copy
/// longer ones.
pub(crate) const NONCE_PATTERN: &str = "^[0-9a-f]{16}$";

/// Returns the name of a rule in a question that has several: `r1`, `r2` and so on.
pub(crate) fn rule_name(index: usize) -> String {
    format!("r{}", index + 1)
}

/// Returns the schema of an answer about one rule or several. Strict servers want every key to be
/// required, and no other key to be allowed.
pub(crate) fn answer_schema(specs: &[AnswerSpec<'_>]) -> Value {
    let mut keys = Map::new();
    keys.insert("nonce".into(), serde_json::json!({"type": "string", "pattern": NONCE_PATTERN}));
    match specs {
        [spec] => keys.extend(spec.properties()),
        _ => {
            for (index, spec) in specs.iter().enumerate() {
                keys.insert(rule_name(index), object_schema(spec.properties()));
            }
        }
    }
    object_schema(keys)
}

fn object_schema(keys: Map<String, Value>) -> Value {
    let required: Vec<Value> = keys.keys().cloned().map(Value::String).collect();
    serde_json::json!({
        "type": "object",
        "properties": keys,
        "required": required,
        "additionalProperties": false,
    })
}
