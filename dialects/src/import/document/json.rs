//! JSON, with the comments and commas that some agents take.

use jsonc_parser::ast::{ObjectProp, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::Slip;
use crate::import::node::{Entry, Kind, Node};

/// Reads a text, and notes what only some agents take.
///
/// # Errors
/// Where it is no JSON, and why.
pub(super) fn read(text: &str, slips: &mut Vec<(usize, Slip)>) -> Result<Node, (usize, String)> {
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
