//! JSON, with the comments and commas that some agents take.

use jsonc_parser::ast::{ObjectProp, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Slip;
use crate::import::node::{Entry, Kind, Node};

/// How deep values may be nested: the parser calls itself for each level.
const DEEPEST: usize = 128;

/// Returns where a text is nested too deeply.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            // A quote in a comment must not hide what comes after it.
            b'\n' => (in_text, escaped) = (false, false),
            _ => {}
        }
        if depth > DEEPEST {
            return Some(at);
        }
    }
    None
}

/// Reads a text, and notes what only some agents take.
///
/// # Errors
/// Where it is no JSON, and why.
pub(super) fn read(text: &str, slips: &mut Vec<(usize, Slip)>) -> Result<Node, (usize, String)> {
    if let Some(at) = too_deep(text) {
        return Err((at, "it is nested too deeply".to_owned()));
    }
    let strict = ParseOptions {
        allow_comments: false,
        allow_trailing_commas: false,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect =
        CollectOptions { comments: CommentCollectionStrategy::Off, ..CollectOptions::default() };
    let with_commas = ParseOptions { allow_trailing_commas: true, ..strict.clone() };
    let with_comments = ParseOptions { allow_comments: true, ..strict.clone() };
    let with_both = ParseOptions { allow_comments: true, ..with_commas.clone() };
    // Each step takes a little more, so that the first that works says what is unusual.
    let attempts: [(&ParseOptions, &[Slip]); 4] = [
        (&strict, &[]),
        (&with_commas, &[Slip::TrailingComma]),
        (&with_comments, &[Slip::Comment]),
        (&with_both, &[Slip::TrailingComma, Slip::Comment]),
    ];
    let mut strict_error = None;
    let mut last_error = (0, String::new());
    for (options, unusual) in attempts {
        match parse_to_ast(text, &collect, options) {
            Ok(parsed) => {
                let at = strict_error.unwrap_or_default();
                slips.extend(unusual.iter().map(|slip| (at, *slip)));
                return match parsed.value {
                    Some(value) => Ok(node(&value)),
                    None => Err((0, "the file is empty".to_owned())),
                };
            }
            Err(error) => {
                strict_error = strict_error.or_else(|| Some(error.range().start));
                last_error = (error.range().start, error.kind().to_string());
            }
        }
    }
    Err(last_error)
}

fn node(value: &Value<'_>) -> Node {
    let kind = match value {
        Value::StringLit(text) => Kind::Text(text.value.to_string()),
        Value::NumberLit(number) => Kind::Number(number.value.parse().unwrap_or(f64::NAN)),
        Value::BooleanLit(flag) => Kind::Flag(flag.value),
        Value::NullKeyword(_) => Kind::Null,
        Value::Array(array) => Kind::List(array.elements.iter().map(node).collect()),
        Value::Object(object) => Kind::Table(object.properties.iter().map(entry).collect()),
    };
    Node { at: value.start(), value: kind }
}

fn entry(property: &ObjectProp<'_>) -> Entry {
    let (key, key_at) = match &property.name {
        ObjectPropName::String(name) => (name.value.to_string(), name.start()),
        ObjectPropName::Word(name) => (name.value.to_owned(), name.start()),
    };
    Entry { key, key_at, node: node(&property.value) }
}
