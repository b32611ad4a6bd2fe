//! JSON, with the span of every key and value, as [`Node`]s that settings are read from.
//!
//! What is JSON is decided by the strict reader that steps go through: no duplicate keys, no comments, a
//! bound on how deep values are nested. The second parser only knows where each value is.

use std::ops::Range;

use hookgate_contract::json::{Integers, parse_with};
use hookgate_contract::settings::{Node, NodeValue, SettingEntry};
use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// Parses a text.
///
/// # Errors
/// Where it is not JSON, in bytes, and why.
pub(super) fn parse(text: &str) -> Result<Node, (Range<usize>, String)> {
    if let Err(error) = parse_with(text.as_bytes(), Integers::default()) {
        let at = offset(text, error.line(), error.column());
        let message = error.to_string();
        let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        return Err((at..at, what.to_owned()));
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    match parsed.map(|parsed| parsed.value) {
        Ok(Some(value)) => Ok(node(&value)),
        Ok(None) => Err((0..0, "there is no value".to_owned())),
        Err(error) => Err((error.range().start..error.range().end, error.kind().to_string())),
    }
}

/// Returns the byte at a line and column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    lines.map(str::len).sum::<usize>() + column.saturating_sub(1)
}

fn node(value: &Value<'_>) -> Node {
    let range = value.range();
    let converted = match value {
        Value::StringLit(text) => NodeValue::Text(text.value.to_string()),
        Value::NumberLit(number) => match number.value.parse() {
            Ok(integer) => NodeValue::Integer(integer),
            Err(_) => NodeValue::Float(number.value.parse().unwrap_or(f64::NAN)),
        },
        Value::BooleanLit(flag) => NodeValue::Flag(flag.value),
        Value::Array(array) => NodeValue::List(array.elements.iter().map(node).collect()),
        Value::Object(object) => {
            let entries = object.properties.iter().map(|property| SettingEntry {
                key: match &property.name {
                    ObjectPropName::String(name) => name.value.to_string(),
                    ObjectPropName::Word(name) => name.value.to_string(),
                },
                key_span: property.name.start()..property.name.end(),
                node: node(&property.value),
            });
            NodeValue::Table(entries.collect())
        }
        // As in `Node::from_json`.
        Value::NullKeyword(_) => NodeValue::Table(Vec::new()),
    };
    Node { span: range.start..range.end, value: converted }
}
