//! JSON that every reader understands alike: every key appears once, and no number changes.
//!
//! Of two equal keys one parser keeps the first and another the last; an integer beyond 2^53 is
//! another one to a parser that keeps numbers as doubles. A hook and a tool that read the same bytes
//! could then see different values, so such bytes are refused.

mod canonical;
mod compound;
mod number;
mod object;
mod size;
mod text;
mod types;
mod write;

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::quote::Quoted;
pub use canonical::canonical;
pub use number::{Integers, PlainNumber};
use number::{Literals, PRIVATE_KEYS, PRIVATE_NUMBER, beyond, double, is_plain, keeps_digits};
pub use object::{Object, add_fields, as_name, as_object, as_text, as_texts, as_type};
pub use size::is_larger_than;
pub use types::{JsonType, type_name};
pub use write::write;

/// Parses one JSON value, refusing duplicate keys, numbers that not every reader understands alike
/// ([`Integers::Interoperable`]), and anything after the value.
///
/// # Errors
/// Whatever makes the bytes not that: bad syntax, invalid UTF-8, nesting beyond 128 levels, a
/// duplicate key, an integer beyond ±(2^53−1), a number that a double does not hold, trailing text, a
/// key that `serde_json` keeps for itself (a reader that is built with some of its features takes
/// `{"$serde_json::private::Number":"1"}` as the number 1).
///
/// ```
/// use hookgate_contract::json::parse;
///
/// assert!(parse(br#"{"a":1}"#).is_ok());
/// let twice = parse(br#"{"a":1,"a":2}"#).unwrap_err();
/// assert!(twice.to_string().starts_with("duplicate key `a`"));
/// let large = parse(br#"{"id":9007199254740993}"#).unwrap_err();
/// assert!(large.to_string().starts_with("the integer 9007199254740993 is beyond ±(2^53−1)"));
/// ```
pub fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    parse_with(bytes, Integers::default())
}

/// Parses as [`parse`] does, with the integers that are taken.
///
/// # Errors
/// As [`parse`].
///
/// ```
/// use hookgate_contract::json::{Integers, parse_with};
///
/// let exact = parse_with(b"18446744073709551615", Integers::Exact)?;
/// assert_eq!(exact.to_string(), "18446744073709551615");
/// assert!(parse_with(b"18446744073709551616", Integers::Exact).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn parse_with(bytes: &[u8], integers: Integers) -> serde_json::Result<Value> {
    match str::from_utf8(bytes) {
        Ok(text) => parse_text(text, integers),
        // The parser says where.
        Err(error) => Err(match serde_json::from_slice::<Value>(bytes) {
            Err(error) => error,
            Ok(_) => de::Error::custom(error),
        }),
    }
}

/// As [`parse_with`], of a text: its strings are not looked at once more.
///
/// # Errors
/// As [`parse`].
pub fn parse_text(text: &str, integers: Integers) -> serde_json::Result<Value> {
    let literals = Literals::of(text.as_bytes());
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = Strict { integers, literals: &literals }.deserialize(&mut parser)?;
    parser.end()?;
    Ok(value)
}

/// The deepest nesting that [`parse`] reads.
const DEEPEST: usize = 127;

/// Checks a value that was not parsed here as [`parse_with`] checks a text: its integers are taken,
/// and its nesting can be read back.
///
/// A value holds each key once. Takes time in proportion to the value, and no recursion.
///
/// # Errors
/// A number that is not taken, a key that `serde_json` keeps for itself, or nesting of more than 127
/// levels.
///
/// ```
/// use hookgate_contract::json::{Integers, check};
/// use serde_json::json;
///
/// assert!(check(&json!({"id": 7}), Integers::default()).is_ok());
/// assert!(check(&json!({"id": 9007199254740993_u64}), Integers::default()).is_err());
/// assert!(check(&json!({"id": 9007199254740993_u64}), Integers::Exact).is_ok());
/// ```
pub fn check(value: &Value, integers: Integers) -> serde_json::Result<()> {
    if let Some(problem) = integers.problem(value) {
        return Err(de::Error::custom(problem));
    }
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        let depth = match value {
            Value::Array(_) | Value::Object(_) => depth + 1,
            _ => continue,
        };
        if depth > DEEPEST {
            return Err(de::Error::custom("recursion limit exceeded"));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth))),
            Value::Object(map) => {
                if let Some(key) = map.keys().find(|key| key.starts_with(PRIVATE_KEYS)) {
                    return Err(private_key(key));
                }
                open.extend(map.values().map(|item| (item, depth)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads a value, refusing what not every reader understands alike.
#[derive(Clone, Copy)]
struct Strict<'a> {
    integers: Integers,
    /// The numbers of the text that are no plain integers: what is parsed of them is not enough to
    /// tell what was written.
    literals: &'a Literals<'a>,
}

impl Strict<'_> {
    fn integer<E: de::Error>(self, number: Number, size: u64) -> Result<Value, E> {
        if self.integers.takes(size) {
            return Ok(Value::Number(number));
        }
        Err(E::custom(beyond(&number)))
    }
}

/// The error about a key that `serde_json` keeps for itself.
#[cold]
fn private_key<E: de::Error>(key: &str) -> E {
    E::custom(format_args!(
        "the key `{}` is one that serde_json keeps for itself: some readers take the object as another value",
        Quoted(key)
    ))
}

impl Strict<'_> {
    /// A number that the parser gives as its text, since another crate of the program turns on the
    /// feature `arbitrary_precision` of `serde_json`. It becomes what it is without that feature.
    fn number_of_text<E: de::Error>(self, text: &str) -> Result<Value, E> {
        if text.parse::<Number>().is_err() {
            return Err(private_key(PRIVATE_NUMBER));
        }
        if is_plain(text) {
            return match (text.parse::<u64>(), text.parse::<i64>()) {
                (Ok(value), _) => self.visit_u64(value),
                (_, Ok(value)) => self.visit_i64(value),
                _ => Err(E::custom("number out of range")),
            };
        }
        let value = double(text).map_err(E::custom)?;
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, parser: D) -> Result<Value, D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
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

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        self.integer(value.into(), value.unsigned_abs())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        self.integer(value.into(), value)
    }

    fn visit_f64<E: de::Error>(self, _value: f64) -> Result<Value, E> {
        // The parser is fast and may miss the nearest double by one; the literal tells.
        let value = self.literals.next_double().map_err(E::custom)?;
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
        while let Some(item) = items.next_element_seed(self)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key.starts_with(PRIVATE_KEYS) {
                if key != PRIVATE_NUMBER || !all.is_empty() || !keeps_digits() {
                    return Err(private_key(&key));
                }
                let number = self.number_of_text(&entries.next_value::<String>()?)?;
                return match entries.next_key::<String>()? {
                    None => Ok(number),
                    Some(_) => Err(private_key(&key)),
                };
            }
            if all.contains_key(&key) {
                return Err(de::Error::custom(format_args!("duplicate key `{}`", Quoted(&key))));
            }
            let value = entries.next_value_seed(self)?;
            all.insert(key, value);
        }
        Ok(Value::Object(all))
    }
}

/// Applies a merge patch (RFC 7396): objects merge, null deletes, everything else replaces.
///
/// ```
/// use hookgate_contract::json::merge;
/// use serde_json::json;
///
/// let mut value = json!({"command": "ls", "timeout": 5});
/// merge(&mut value, json!({"timeout": null, "cwd": "/srv"}));
/// assert_eq!(value, json!({"command": "ls", "cwd": "/srv"}));
/// ```
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

/// Replaces every string in a value, at any depth; keys stay.
///
/// ```
/// use hookgate_contract::json::map_strings;
///
/// let mut value = serde_json::json!({"a": ["x", {"b": "y"}]});
/// map_strings(&mut value, &|text| text.to_uppercase());
/// assert_eq!(value, serde_json::json!({"a": ["X", {"b": "Y"}]}));
/// ```
pub fn map_strings(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_strings(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| map_strings(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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
    fn a_key_that_serde_json_keeps_for_itself_is_refused() {
        // With `arbitrary_precision` in the program the first one is the number 7 to every reader.
        let number = parse(br#"{"$serde_json::private::Number":"7"}"#);
        assert_eq!(number.ok(), keeps_digits().then(|| json!(7)));
        for bad in [
            r#"{"$serde_json::private::Number":"7x"}"#,
            r#"{"$serde_json::private::Number":7}"#,
            r#"{"$serde_json::private::Number":"7","a":1}"#,
            r#"{"a":1,"$serde_json::private::Number":"7"}"#,
            r#"[{"$serde_json::private::RawValue":"{\"command\":\"rm\"}"}]"#,
        ] {
            let error = parse(bad.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("private") || error.contains("invalid type"), "{bad}: {error}");
        }
        let mut map = Map::new();
        map.insert("$serde_json::private::RawValue".into(), json!("1"));
        let value = Value::Array(vec![Value::Object(map)]);
        assert!(check(&value, Integers::Exact).is_err());
    }

    #[test]
    fn a_value_is_taken_where_its_text_is() {
        for depth in 120..135 {
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let value = (1..depth).fold(json!([]), |inner, _| json!([inner]));
            let (text, value) = (parse(text.as_bytes()), check(&value, Integers::default()));
            assert_eq!(text.is_ok(), value.is_ok(), "{depth}");
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
