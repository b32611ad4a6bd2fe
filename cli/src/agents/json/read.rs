//! Reads JSON as an agent does: what it cannot read, we do not write into.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::Value;

use crate::agents::refusal::Refusal;
use crate::agents::syntax::Syntax;

/// The byte order mark.
const MARK: &str = "\u{feff}";

/// Returns the byte order mark of a text and the rest. The agent may not read a text with one.
pub(super) fn split_mark(text: &str, syntax: Syntax) -> Result<(&str, &str), Refusal> {
    match text.strip_prefix(MARK) {
        None => Ok(("", text)),
        Some(rest) if syntax.mark => Ok((MARK, rest)),
        Some(_) => Err(Refusal::Mark),
    }
}

const fn options(syntax: Syntax) -> ParseOptions {
    ParseOptions {
        allow_comments: syntax.comments,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Parses a text without a byte order mark. `None` if there is nothing in it.
pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Option<Node<'_>>, Refusal> {
    parse_to_ast(text, &CollectOptions::default(), &options(syntax))
        .map(|parsed| parsed.value)
        .map_err(|error| Refusal::Unreadable(error.to_string()))
}

/// Returns the value of a text; an object without anything if there is nothing in it.
pub(crate) fn value(text: &str, syntax: Syntax) -> Result<Value, Refusal> {
    let (_, text) = split_mark(text, syntax)?;
    Ok(parse(text, syntax)?.map_or_else(|| Value::Object(serde_json::Map::new()), Value::from))
}

/// Returns something that can be written as JSON as a value.
pub(crate) fn to_value(item: &impl Serialize) -> Value {
    serde_json::to_value(item).unwrap_or_default()
}

/// Returns the one member of an object that has this name.
pub(super) fn member<'o, 't>(
    object: &'o Object<'t>,
    name: &str,
) -> Result<Option<&'o Node<'t>>, Refusal> {
    let mut found = object.properties.iter().filter(|member| member.name.as_str() == name);
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(Refusal::Twice(format!("`{name}`"))),
        (one, _) => Ok(one.map(|member| &member.value)),
    }
}

/// Returns a node as an object. `what` says what it is.
pub(super) fn object<'n, 't>(node: &'n Node<'t>, what: &str) -> Result<&'n Object<'t>, Refusal> {
    node.as_object().ok_or_else(|| Refusal::Type(what.to_owned(), "an object"))
}
