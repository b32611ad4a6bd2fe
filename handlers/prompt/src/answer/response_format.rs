//! How a server is held to the form of an answer.
//!
//! With a schema the server samples only tokens that keep the form, so small models answer in good form
//! as well. The parser is equally strict in all three cases: what a server promises is not relied on.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The parameter `response_format` of a request: the setting `response`.
///
/// The variants are ordered from the strictest to the weakest. A server that refuses one with status
/// 400, 415, 422 or 501 is asked with the next one, unless the settings name the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResponseFormat {
    /// The server holds the model to a JSON Schema.
    Schema,
    /// The server makes the model answer some JSON object.
    JsonObject,
    /// The server does nothing; the instructions have to be enough.
    Text,
}

impl ResponseFormat {
    /// The names in the settings.
    pub(crate) const NAMES: &[&str] = &["schema", "json_object", "text"];

    /// Returns the next weaker format, or `None` after the weakest.
    pub(crate) const fn weaker(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::JsonObject),
            Self::JsonObject => Some(Self::Text),
            Self::Text => None,
        }
    }
}

impl fmt::Display for ResponseFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Schema => "schema",
            Self::JsonObject => "json_object",
            Self::Text => "text",
        })
    }
}

/// A name that is not one of [`ResponseFormat::NAMES`].
#[derive(Debug, thiserror::Error)]
#[error("not a response format")]
pub(crate) struct UnknownResponseFormat;

impl FromStr for ResponseFormat {
    type Err = UnknownResponseFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "schema" => Ok(Self::Schema),
            "json_object" => Ok(Self::JsonObject),
            "text" => Ok(Self::Text),
            _ => Err(UnknownResponseFormat),
        }
    }
}
