//! The fields of a payload that a patch may set.

use crate::json::JsonType;
use serde_json::Value;

/// One field that a patch may set.
///
/// ```
/// use hookgate_contract::{PatchField, json::JsonType};
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
