//! TOML, with the span of every key and value.
//!
//! The parser recovers from mistakes, so that one run reports them all. What it could read is
//! converted into [`Node`]s, which settings are read from. `serde` is not used here: it stops at
//! the first mistake, and forgets where a value was.

use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, SettingEntry};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses a TOML text as far as possible, and returns its values and what is wrong with its syntax, each
/// with its span in bytes. For files beside a config that are read with
/// [`Settings`](hookgate_contract::settings::Settings), as those of `hookgate test`.
///
/// ```
/// use hookgate::config::parse_toml;
///
/// let (root, wrong) = parse_toml("a = 1\nb = \n");
/// assert_eq!((root.kind(), wrong.len()), ("a table", 1));
/// ```
#[must_use]
pub fn parse(text: &str) -> (Node, Vec<(Range<usize>, String)>) {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut errors: Wrong = errors
        .into_iter()
        .map(|error| (error.span().unwrap_or(0..0), error.message().to_owned()))
        .collect();
    // What follows a mistake on its line is mostly caused by it, and so is the same on the next.
    errors.sort_by_key(|(span, _)| span.start);
    // A long line may have many mistakes, so it is not looked through for each.
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let line_of = |at: usize| lines.partition_point(|start| *start <= at);
    errors.dedup_by(|later, first| {
        let (line, next) = (line_of(first.0.start), line_of(later.0.start));
        line == next || (first.1 == later.1 && line + 1 == next)
    });
    for (span, message) in &mut errors {
        *message = advised(text, span, message);
    }
    let node = Node { span: root.span(), value: table(root.get_ref(), &mut errors) };
    (node, errors)
}

/// Returns where the line of an offset begins.
fn start_of_line(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Adds to the message of the parser what was most likely meant.
fn advised(text: &str, span: &Range<usize>, message: &str) -> String {
    let start = start_of_line(text, span.start);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let quote = |c: char| matches!(c, '\u{2018}'..='\u{201f}' | '«' | '»');
    let found = text.get(span.start..).and_then(|rest| rest.chars().next());
    let advice = if message.contains("escape") {
        "in `\"…\"` TOML reads a backslash, so write regular expressions in single quotes, '…'"
    } else if found.is_some_and(quote) || message.contains("string") && line.contains(quote) {
        "that is a quotation mark of a word processor: write \" or '"
    } else if line.matches('\'').count() > 2 {
        "a text that contains ' is written between three of them, '''…'''"
    } else {
        return message.to_owned();
    };
    format!("{message}: {advice}")
}

/// Mistakes, each with its span.
type Wrong = Vec<(Range<usize>, String)>;

/// Converts a table; its keys are put into the order of the file.
fn table(table: &DeTable<'_>, wrong: &mut Wrong) -> NodeValue {
    let mut entries: Vec<SettingEntry> = table
        .iter()
        .map(|(key, value)| SettingEntry {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            node: node(value, wrong),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    NodeValue::Table(entries)
}

/// Converts a value. Dates and numbers that are not JSON become texts.
fn node(value: &Spanned<DeValue<'_>>, wrong: &mut Wrong) -> Node {
    let converted = match value.get_ref() {
        DeValue::String(text) => NodeValue::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => NodeValue::Integer(number),
            Err(_) => {
                wrong.push((value.span(), "the integer is beyond 64 bits".to_owned()));
                NodeValue::Integer(i64::MAX)
            }
        },
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .map_or_else(|_| NodeValue::Text(number.as_str().to_owned()), NodeValue::Float),
        DeValue::Boolean(flag) => NodeValue::Flag(*flag),
        DeValue::Datetime(time) => NodeValue::Text(time.to_string()),
        DeValue::Array(items) => {
            NodeValue::List(items.iter().map(|item| node(item, wrong)).collect())
        }
        DeValue::Table(entries) => table(entries, wrong),
    };
    Node { span: value.span(), value: converted }
}
