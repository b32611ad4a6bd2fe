//! JSON in which every key stands once.
//!
//! Of two equal keys one parser keeps the first and another the last. A hook and a tool that read
//! the same bytes could then see different values, so such bytes are refused.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::quote::Quoted;

/// Parses one JSON value, refusing duplicate keys and anything after the value.
///
/// # Errors
/// Whatever makes the bytes not that: bad syntax, invalid UTF-8, nesting beyond 128 levels, a
/// duplicate key, trailing text.
///
/// ```
/// assert!(hookgate_contract::json::parse(br#"{"a":1}"#).is_ok());
/// let twice = hookgate_contract::json::parse(br#"{"a":1,"a":2}"#).unwrap_err();
/// assert!(twice.to_string().starts_with("duplicate key `a`"));
/// ```
pub fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let value = Unique.deserialize(&mut parser)?;
    parser.end()?;
    Ok(value)
}

/// Reads a value from any deserializer, refusing duplicate keys.
struct Unique;

impl<'de> DeserializeSeed<'de> for Unique {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, parser: D) -> Result<Value, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if all.contains_key(&key) {
                return Err(de::Error::custom(format_args!("duplicate key `{}`", Quoted(&key))));
            }
            let value = entries.next_value_seed(Self)?;
            all.insert(key, value);
        }
        Ok(Value::Object(all))
    }
}

/// Applies an RFC 7396 merge patch: objects merge, null deletes, everything else replaces.
pub fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(target) = target {
        for (key, value) in patch {
            if value.is_null() {
                target.remove(&key);
            } else {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn duplicate_keys_are_refused_at_any_depth() {
        for bad in [r#"{"a":1,"a":1}"#, r#"[{"b":{"c":1,"c":2}}]"#, r#"{"a":1,"\u0061":2}"#] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn merge_follows_rfc_7396() {
        let mut value = json!({"a": "b", "c": {"d": "e", "f": "g"}});
        merge(&mut value, json!({"a": "z", "c": {"f": null}}));
        assert_eq!(value, json!({"a": "z", "c": {"d": "e"}}));
        merge(&mut value, json!([1]));
        assert_eq!(value, json!([1]));
    }
}
