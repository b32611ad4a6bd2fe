//! The types of JSON values, in words.

use serde_json::Value;

/// The JSON type that a value must have.
///
/// ```
/// use hookgate_contract::json::JsonType;
/// use serde_json::json;
///
/// assert!(JsonType::Count.admits(&json!(3)) && !JsonType::Count.admits(&json!(-3)));
/// assert!(JsonType::Names.admits(&json!(["a"])) && !JsonType::Names.admits(&json!(["a", 1])));
/// assert_eq!(JsonType::Flag.description(), "true or false");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonType {
    /// A string.
    Text,
    /// Any value but null.
    Json,
    /// An object.
    Object,
    /// A whole number that is not negative.
    Count,
    /// A finite number.
    Number,
    /// true or false.
    Flag,
    /// An array.
    List,
    /// An array of strings.
    Names,
}

impl JsonType {
    /// Tells whether a value has this type.
    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Json => !value.is_null(),
            Self::Object => value.is_object(),
            Self::Count => value.is_u64(),
            Self::Number => value.is_number(),
            Self::Flag => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Names => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
        }
    }

    /// Returns the type in words, for messages: `a string`.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Json => "a value other than null",
            Self::Object => "an object",
            Self::Count => "a whole number, 0 or more",
            Self::Number => "a number",
            Self::Flag => "true or false",
            Self::List => "an array",
            Self::Names => "an array of strings",
        }
    }
}

/// Returns the type of a value in words, for messages: `a string`.
#[must_use]
pub const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
