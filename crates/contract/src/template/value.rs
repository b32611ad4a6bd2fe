//! The envelope as a value of the template engine.

use crate::json::PlainNumber;
use minijinja::Value;
use serde_json::Value as Json;

/// Converts JSON by hand: with some features of serde_json, which any crate of the program may turn on, a number
/// serialises to an object.
pub(crate) fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => match number.into() {
            PlainNumber::Signed(integer) => Value::from(integer),
            PlainNumber::Unsigned(integer) => Value::from(integer),
            PlainNumber::Float(number) => Value::from(number),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::from_iter(items.iter().map(value_of)),
        Json::Object(fields) => {
            Value::from_pairs(fields.iter().map(|(key, value)| (key.as_str(), value_of(value))))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_stays_what_it_is() {
        let json = json!({
            "none": null, "flag": true, "text": "$x", "list": [1, -2, [], {}], "float": 1000.5,
            "small": i64::MIN, "large": u64::MAX, "exact": 9_007_199_254_740_993_u64,
            "inner": {"$serde_json::private::Number": "1"},
        });
        assert_eq!(serde_json::to_value(value_of(&json)).unwrap(), json);
        // As text of a file, whose numbers some features of serde_json keep as they are written.
        let json: Json = serde_json::from_str(r#"{"a": [1e3, 0.1, 12, -7]}"#).unwrap();
        assert_eq!(value_of(&json).to_string(), "{'a': [1000.0, 0.1, 12, -7]}");
    }
}
