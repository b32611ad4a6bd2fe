//! Texts of hooks.toml that have a form of their own: names of events and tools, durations, globs.
//!
//! The forms are wider than the loader where a pattern cannot say more, and never narrower.

use std::borrow::Cow;

use hookgate_contract::{Event, SettingType};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::envelope::alias::ALIASES;

/// Makes a schema of a JSON value.
fn schema(value: Value) -> Schema {
    Schema::try_from(value).unwrap_or_default()
}

/// A duration such as "2s" or "1m 30s".
pub(super) struct DurationText;

impl JsonSchema for DurationText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(SettingType::Duration.schema())
    }
}

/// A number of bytes, or a text such as "256KiB".
pub(super) struct Size;

impl JsonSchema for Size {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(SettingType::Size.schema())
    }
}

/// The name of an event, of hookgate or of another system; a glob; or an event of the embedder.
pub(super) struct EventName;

impl JsonSchema for EventName {
    fn schema_name() -> Cow<'static, str> {
        "EventName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let own = Event::NAMED.into_iter().map(Event::name);
        let names: Vec<&str> = own.chain(ALIASES.iter().map(|alias| alias.name)).collect();
        schema(json!({
            "description": "An event; `hookgate events` lists them.",
            "anyOf": [
                {"enum": names},
                {"type": "string", "pattern": r"^x\.[a-z0-9_.-]+$", "title": "an event of the embedder"},
                {"type": "string", "pattern": r"[*?\[{]", "title": "a glob for names of events"},
            ],
        }))
    }
}

/// A pattern for names: a name, a glob, alternatives, or one of these after `!`.
pub(super) struct NamePattern;

impl JsonSchema for NamePattern {
    fn schema_name() -> Cow<'static, str> {
        "NamePattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // No space at an end, no quotation marks, none of the signs that only regular expressions have.
        let sign = "\\s\"'`;&<>%~=^$()+\\\\\u{2018}-\u{201f}\u{ab}\u{bb}\u{2013}\u{2014}\u{2026}";
        schema(json!({
            "description": "A name, a glob (`mcp__*`), alternatives (`Edit|Write`), or `!` before them.",
            "type": "string",
            "pattern": format!("^[^{sign}]([^{sign}]| (?=[^ ]))*$"),
            "not": {"pattern": r"\.[*?]"},
        }))
    }
}

/// A glob in which no class is left open.
pub(super) struct GlobPattern;

impl JsonSchema for GlobPattern {
    fn schema_name() -> Cow<'static, str> {
        "GlobPattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(json!({
            "type": "string",
            "minLength": 1,
            "not": {"anyOf": [{"pattern": CONTROL}, {"pattern": r"(^|[^\\])\[[^\]]*$"}]},
        }))
    }
}

/// A regular expression that does not begin with a sign that repeats what is before it.
pub(super) struct RegexPattern;

impl JsonSchema for RegexPattern {
    fn schema_name() -> Cow<'static, str> {
        "RegexPattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(json!({
            "description": "Write it in single quotes, '…': in \"…\" TOML reads a backslash.",
            "type": "string",
            "format": "regex",
            "pattern": "^[^*+?]",
            "not": {"anyOf": [
                {"pattern": CONTROL},
                // The only group is not closed, or the first one is not opened.
                {"pattern": r"^([^\\()\[]|\\.)*\(([^\\()\[]|\\.)*$"},
                {"pattern": r"^([^\\()\[]|\\.)*\)"},
            ]},
        }))
    }
}

/// Control characters, but for tabs and the ends of lines.
const CONTROL: &str = r"[\u0000-\u0008\u000b\u000c\u000e-\u001f]";

/// A text that is compared: it is not empty, and has no control characters but those of texts.
pub(super) struct Pattern;

impl JsonSchema for Pattern {
    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema(json!({
            "type": "string",
            "minLength": 1,
            "not": {"pattern": CONTROL},
        }))
    }
}
