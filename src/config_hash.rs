//! The identity of a config.
//!
//! A table is known by the SHA-256 of what it is made of, not by the file that it came from. The hash
//! is the key under which records are joined with the config that decided, under which two machines
//! compare what they run, and under which a config can be trusted. So it must be the same wherever the
//! same config is loaded: it is taken of the *canonical form* (`table/canonical.rs`), a JSON value whose
//! keys are named there, written as RFC 8785 says. Nothing in it depends on the build, the machine, the
//! folder, the order of keys, comments, or the names of Rust types.

use std::fmt;
use std::str::FromStr;

use hookgate_contract::json::canonical;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::hex;

/// What the text of a hash begins with.
const PREFIX: &str = "sha256:";

/// The SHA-256 of the canonical form of a config, or of one hook of it.
///
/// [`HandlerTable::config_hash`](crate::HandlerTable::config_hash) says what goes into it. As text, and
/// on the wire, it is `sha256:` and 64 hexadecimal digits in lower case.
///
/// ```
/// use hookgate::{ConfigHash, HandlerTable};
///
/// let hash = HandlerTable::empty().config_hash();
/// let text = hash.to_string();
/// assert!(text.starts_with("sha256:") && text.len() == 71);
/// assert_eq!(text.parse::<ConfigHash>()?, hash);
/// assert!("sha256:beef".parse::<ConfigHash>().is_err());
/// # Ok::<(), hookgate::config_hash::ParseConfigHashError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigHash([u8; 32]);

/// A text is not a [`ConfigHash`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a config hash is `sha256:` and 64 hexadecimal digits in lower case")]
#[non_exhaustive]
pub struct ParseConfigHashError;

impl ConfigHash {
    /// Returns the hash of these bytes, such as ones that were stored.
    ///
    /// ```
    /// use hookgate::{ConfigHash, HandlerTable};
    ///
    /// let hash = HandlerTable::empty().config_hash();
    /// assert_eq!(ConfigHash::from_bytes(*hash.as_bytes()), hash);
    /// ```
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns what is written: a record has it once, so it is made without the formatter.
    fn text(&self) -> String {
        [PREFIX, &hex::encode(&self.0)].concat()
    }

    /// Returns the hash of a canonical form.
    pub(crate) fn of_value(form: &Value) -> Self {
        Self(hmac_sha256::Hash::hash(canonical(form).as_bytes()))
    }
}

impl fmt::Display for ConfigHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for ConfigHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ConfigHash {
    type Err = ParseConfigHashError;

    fn from_str(text: &str) -> Result<Self, ParseConfigHashError> {
        let digits = text.strip_prefix(PREFIX).ok_or(ParseConfigHashError)?;
        hex::decode(digits).map(Self).ok_or(ParseConfigHashError)
    }
}

impl Serialize for ConfigHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for ConfigHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ConfigHash {
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
