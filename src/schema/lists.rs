//! Values of hooks.toml that may be one or several, or lie in a file.

#![expect(dead_code, reason = "these types are only looked at by the generator of the schema")]

use schemars::JsonSchema;
use serde_json::Value;

/// A text, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum OneOrMore<T> {
    One(T),
    More(#[schemars(length(min = 1))] Vec<T>),
}

/// A text, or several, or a file of them.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum TextsOrFile<T> {
    One(T),
    More(#[schemars(length(min = 1))] Vec<T>),
    File(TextFile),
}

/// Values, or a file of texts.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum ValuesOrFile {
    Values(Vec<Value>),
    File(TextFile),
}

/// A file with one text a line.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct TextFile {
    /// The file; a relative path begins at the folder of the config.
    file: String,
}
