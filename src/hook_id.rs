//! The name of a hook.
//!
//! Ids are written once, in a config or in Rust, and then copied into every vote, event and record of the
//! hook. They are shared and not copied, so that a report of many hooks costs no allocation for them.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a hook: the name under which its table, its votes and its events know it.
///
/// It is shared text: a clone costs one atomic increment and no allocation, so a vote or an event
/// carries one without a copy. It compares with, and can be used as, a `&str`. On the wire it is a
/// plain JSON string.
///
/// ```
/// use std::collections::HashMap;
/// use hookgate::HookId;
///
/// let id = HookId::from("no-force-push");
/// assert_eq!(id, "no-force-push");
/// assert!(id.starts_with("no-"));
///
/// let counts = HashMap::from([(id.clone(), 3)]);
/// assert_eq!(counts["no-force-push"], 3);
/// assert_eq!([id.clone(), id].join(", "), "no-force-push, no-force-push");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct HookId(Arc<str>);

/// What the ids of hooks of a scope begin with, and no others do.
pub(crate) const SCOPE: &str = "scope/";

impl HookId {
    /// Returns whether it is a hook of a scope.
    pub(crate) fn is_of_scope(&self) -> bool {
        self.starts_with(SCOPE)
    }

    /// Returns the text of the id.
    ///
    /// ```
    /// assert_eq!(hookgate::HookId::from("guard").as_str(), "guard");
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl Deref for HookId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for HookId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

// INVARIANT: equality, order and hash are those of the text, as `Borrow` demands.
impl Borrow<str> for HookId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for HookId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<&String> for HookId {
    fn from(text: &String) -> Self {
        Self(text.as_str().into())
    }
}

impl From<String> for HookId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&Self> for HookId {
    fn from(id: &Self) -> Self {
        id.clone()
    }
}

impl From<HookId> for String {
    fn from(id: HookId) -> Self {
        id.as_str().to_owned()
    }
}

impl PartialEq<str> for HookId {
    fn eq(&self, text: &str) -> bool {
        self.as_str() == text
    }
}

impl PartialEq<&str> for HookId {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == *text
    }
}

impl PartialEq<String> for HookId {
    fn eq(&self, text: &String) -> bool {
        self.as_str() == text
    }
}

impl PartialEq<HookId> for str {
    fn eq(&self, id: &HookId) -> bool {
        self == id.as_str()
    }
}

impl PartialEq<HookId> for &str {
    fn eq(&self, id: &HookId) -> bool {
        *self == id.as_str()
    }
}

impl PartialEq<HookId> for String {
    fn eq(&self, id: &HookId) -> bool {
        self == id.as_str()
    }
}

impl Serialize for HookId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for HookId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for HookId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}
