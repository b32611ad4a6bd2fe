//! The input of a policy: the envelope of the step, and its effects.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookgate_contract::json::PlainNumber;
use hookgate_contract::{EffectsFn, Envelope, Failure};
use regorus::Value;
use serde_json::Value as Json;

/// The effects of one version of a step, which all hooks with policies in Rego share.
struct SharedEffects(Value);

/// Returns the envelope as the policy sees it, with the key `effects` if the host knows effects.
///
/// # Errors
/// If the envelope cannot be made.
pub(crate) fn input(
    envelope: &Envelope<'_>,
    effects: Option<&Arc<EffectsFn>>,
) -> Result<Value, Failure> {
    let Json::Object(fields) = envelope.value()? else { return Ok(Value::new_object()) };
    let mut object: BTreeMap<Value, Value> =
        fields.iter().map(|(key, value)| (key.as_str().into(), to_rego(value))).collect();
    if let Some(effects) = effects {
        let shared = envelope.derived(|| SharedEffects(to_rego(&effects(envelope))));
        object.insert("effects".into(), shared.0.clone());
    }
    Ok(Value::from(object))
}

/// Converts JSON by hand: the conversions of the library take an object whose key is the name that
/// serde_json has for big numbers for a number, and so a step could hide its fields from the policy.
pub(crate) fn to_rego(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => match number.into() {
            PlainNumber::Signed(integer) => Value::from(integer),
            PlainNumber::Unsigned(integer) => Value::from(integer),
            PlainNumber::Float(number) => Value::from(number),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::from(items.iter().map(to_rego).collect::<Vec<_>>()),
        Json::Object(fields) => Value::from(
            fields
                .iter()
                .map(|(key, value)| (Value::from(key.as_str()), to_rego(value)))
                .collect::<BTreeMap<_, _>>(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_stays_what_it_is() {
        for json in [
            json!(null),
            json!({"a": [1, -2, 2.5, u64::MAX, true, "x"], "b": {}}),
            json!({"$serde_json::private::Number": "1", "path": "/etc/passwd"}),
        ] {
            let written = serde_json::to_value(to_rego(&json)).unwrap();
            assert_eq!(written, json);
        }
    }

    /// The control: the conversion of the library takes all of it for nothing.
    #[test]
    fn the_conversion_of_the_library_would_hide_a_field() {
        let json = json!({"$serde_json::private::Number": "1", "path": "/etc/passwd"});
        assert_eq!(Value::from(json), Value::Undefined);
    }
}
