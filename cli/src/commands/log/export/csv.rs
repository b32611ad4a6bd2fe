//! Decisions as comma-separated values (RFC 4180).

use std::borrow::Cow;
use std::io::{self, Write};

use hookgate::recorder::Record;
use serde_json::Value;

use super::{NAMES, fields};

/// The end of a row.
const END: &str = "\r\n";

/// What a table calculator takes for a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Writes the names of the columns.
pub(super) fn write_head(out: &mut impl Write) -> io::Result<()> {
    write!(out, "{}{END}", NAMES.join(","))
}

/// Writes a decision.
pub(super) fn write(out: &mut impl Write, seq: u64, record: &Record) -> io::Result<()> {
    let values: Vec<String> = fields(seq, record).iter().map(|(_, value)| cell(value)).collect();
    write!(out, "{}{END}", values.join(","))
}

/// Returns a value as one cell. A text that would be calculated is no formula with a quote before it.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) if text.starts_with(FORMULA) => Cow::Owned(format!("'{text}")),
        Value::String(text) => Cow::Borrowed(text.as_str()),
        value => return value.to_string(),
    };
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into_owned(),
    }
}
