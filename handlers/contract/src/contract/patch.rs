//! The fields of a payload that a patch may set.

use serde_json::Value;

/// The JSON type of a field that a patch may set.
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

/// One field that a patch may set.
///
/// ```
/// use hookgate_contract::contract::{JsonType, PatchField};
/// use serde_json::json;
///
/// let field = PatchField::new("max_tokens", JsonType::Count).nullable();
/// assert!(field.admits(&json!(100)) && field.admits(&json!(null)) && !field.admits(&json!(-1)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PatchField {
    /// The name on the wire.
    pub name: &'static str,
    /// The type that a value must have.
    pub json_type: JsonType,
    /// Whether `null` clears the field.
    pub nullable: bool,
}

impl PatchField {
    /// Describes a field that a patch may set but not clear.
    #[must_use]
    pub const fn new(name: &'static str, json_type: JsonType) -> Self {
        Self { name, json_type, nullable: false }
    }

    /// Lets `null` clear the field.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Tells whether a patch may set the field to this value.
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {
        self.json_type.admits(value) || self.nullable && value.is_null()
    }
}
