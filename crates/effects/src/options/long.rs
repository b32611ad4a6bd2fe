//! Long options: `--name`, `--name=value`, `--name value`, and their abbreviations.

use std::borrow::Cow;

use super::{Given, OptionTable, OptionsRead};
use crate::word::Word;

enum Takes {
    Value,
    Optional,
    Nothing,
}

/// Reads the long option at a place and returns the place after it.
pub(super) fn read<'w>(
    table: &OptionTable<'_>,
    words: &'w [Word],
    at: usize,
    read: &mut OptionsRead<'w>,
) -> usize {
    let Some(word) = words.get(at) else {
        return at + 1;
    };
    let start = word.known_prefix();
    let dashes = if start.starts_with("--") { 2 } else { 1 };
    let text = start.get(dashes..).unwrap_or_default();
    let (written, attached) = match text.split_once('=') {
        Some((name, _)) => (name, Some(word.without_start(dashes + name.len() + 1))),
        // The name itself is not known to its end: `--na$x`.
        None if word.known().is_none() => {
            read.given.push(Given::Unknown { word, at });
            return at + 1;
        }
        None => (text, None),
    };
    let (name, takes) = lookup(table, written);
    let listed = takes.is_some();
    let mut next = at + 1;
    let value = match (attached, takes) {
        (Some(value), _) => Some(value),
        (None, Some(Takes::Value)) => {
            next += 1;
            words.get(at + 1).cloned()
        }
        _ => None,
    };
    read.given.push(Given::Option { name, long: true, value, listed, at });
    next
}

/// Returns the whole name and what it takes; `None` for a name that the table does not have.
fn lookup<'w>(table: &OptionTable<'_>, written: &'w str) -> (Cow<'w, str>, Option<Takes>) {
    let all = || {
        let value = table.long_value.split_ascii_whitespace().map(|name| (name, Takes::Value));
        let optional =
            table.long_optional.split_ascii_whitespace().map(|name| (name, Takes::Optional));
        let flags = table.long_flags.split_ascii_whitespace().map(|name| (name, Takes::Nothing));
        value.chain(optional).chain(flags)
    };
    if let Some((_, takes)) = all().find(|(name, _)| *name == written) {
        return (Cow::Borrowed(written), Some(takes));
    }
    if table.abbreviations && !written.is_empty() {
        let mut candidates = all().filter(|(name, _)| name.starts_with(written));
        if let (Some((name, takes)), None) = (candidates.next(), candidates.next()) {
            return (Cow::Owned(name.to_owned()), Some(takes));
        }
    }
    (Cow::Borrowed(written), None)
}
