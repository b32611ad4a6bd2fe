//! One JSON object that is taken apart key by key.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Integers, parse_with, type_name};
use crate::quote::{self, Quoted};
use crate::suggest::Suggestion;

/// A JSON object that is read strictly and taken apart key by key. Every error is a sentence for the
/// one who wrote the object.
///
/// ```
/// use hookgate_contract::json::{Object, as_text};
///
/// let mut object = Object::parse(br#"{"reason":"no","context":1}"#)?;
/// assert_eq!(object.take("reason", as_text)?, Some("no".to_owned()));
/// assert_eq!(object.take("absent", as_text)?, None);
/// let wrong = object.take("context", as_text).unwrap_err();
/// assert_eq!(wrong, "`context` must be a string, not a number");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Object(Map<String, Value>);

impl Object {
    /// Parses one object, with all integers that a [`Value`] holds exactly.
    ///
    /// # Errors
    /// Bytes that are not exactly one JSON object, or that begin with a byte order mark.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err("the answer begins with a byte order mark; print plain UTF-8".into());
        }
        match parse_with(bytes, Integers::Exact) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(other) => Err(format!("the answer is {}, not a JSON object", type_name(&other))),
            Err(error) => Err(format!("the answer is not one JSON object: {error}")),
        }
    }

    /// Returns the first key that is not one of `known`, and the known key that was most likely meant.
    #[must_use]
    pub fn unknown_key(&self, known: &[&str]) -> Option<(&str, Suggestion)> {
        let key = self.0.keys().find(|key| !known.contains(&key.as_str()))?;
        Some((key, Suggestion::nearest(key, known)))
    }

    /// Takes the value of a key and reads it; `None` if the object does not have the key.
    ///
    /// # Errors
    /// What `read` finds wrong, with the key before it.
    pub fn take<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(value) => read(value).map(Some).map_err(|wrong| format!("`{key}` {wrong}")),
        }
    }
}

/// Reads a string.
///
/// # Errors
/// A value of another type.
pub fn as_text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(format!("must be a string, not {}", type_name(&other))),
    }
}

/// Reads an array of strings.
///
/// # Errors
/// A value of another type, or an item of another type.
pub fn as_texts(value: Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(all) => all.into_iter().map(as_text).collect(),
        other => Err(format!("must be an array of strings, not {}", type_name(&other))),
    }
}

/// Reads an object.
///
/// # Errors
/// A value of another type.
pub fn as_object(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(map) => Ok(map),
        other => Err(format!("must be an object, not {}", type_name(&other))),
    }
}

/// Reads a value of a type that serde knows.
///
/// # Errors
/// What serde finds wrong, cut and without control characters.
pub fn as_type<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value)
        .map_err(|error| format!("cannot be read: {}", quote::message(&error.to_string())))
}

/// Reads a name that `parse` knows.
///
/// # Errors
/// A value that is not a string, or another name than one of `names`.
///
/// ```
/// use hookgate_contract::json::as_name;
///
/// let parse = |name: &str| (name == "on").then_some(true);
/// assert_eq!(as_name("on".into(), parse, "on"), Ok(true));
/// assert_eq!(as_name("off".into(), parse, "on").unwrap_err(), "is `off`, not one of on");
/// ```
pub fn as_name<T>(
    value: Value,
    parse: impl FnOnce(&str) -> Option<T>,
    names: &str,
) -> Result<T, String> {
    let name = as_text(value)?;
    parse(&name).ok_or_else(|| format!("is `{}`, not one of {names}", Quoted(&name)))
}

/// Adds the fields of a second object to an object that was written, without moving any of them.
/// Returns `false` if what `write` wrote is not an object; the bytes then are not JSON.
///
/// # Errors
/// Those of `write`.
///
/// ```
/// use hookgate_contract::json::add_fields;
///
/// let mut bytes = br#"{"a":1}"#.to_vec();
/// assert!(add_fields(&mut bytes, |out| serde_json::to_writer(out, &serde_json::json!({"b": 2})))?);
/// assert_eq!(bytes, br#"{"a":1,"b":2}"#);
/// assert!(!add_fields(&mut bytes, |out| serde_json::to_writer(out, &[1]))?);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn add_fields(
    object: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<bool> {
    // The object ends in `}` and the fields begin with `{`: one comma joins the two.
    object.pop();
    let joint = object.len();
    write(object)?;
    match object.get(joint..) {
        // JSON that the writer was given as text may have white space in it.
        Some([b'{', inner @ .., b'}']) if inner.trim_ascii().is_empty() => {
            object.truncate(joint);
            object.push(b'}');
        }
        Some([b'{', ..]) => {
            if let Some(brace) = object.get_mut(joint) {
                *brace = b',';
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::add_fields;
    use crate::json::write;

    #[test]
    fn json_that_was_given_as_text_is_joined_whatever_white_space_it_has() {
        for text in ["{}", "{ }", "{\n\t}", "{ \"a\" : 1 }", "{\"a\":{ }}"] {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            let mut bytes = br#"{"first":0}"#.to_vec();
            assert!(add_fields(&mut bytes, |out| write(out, &raw)).unwrap());
            let joined: Value = serde_json::from_slice(&bytes).unwrap();
            let mut expected: Value = serde_json::from_str(text).unwrap();
            expected["first"] = 0.into();
            assert_eq!(joined, expected, "{text}");
        }
    }
}
