//! Hooks as tables `[[hooks]]` of a TOML file: Kimi Code.
//!
//! Text is only put in and taken out, so comments, order and white space stay as they are.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::draft::Draft;
use super::entry::Entry;
use super::refusal::Refusal;
use super::splice::{Layout, cut};

const HOOKS: &str = "hooks";
const HEADER: &str = "[[hooks]]";

/// Parses a file.
pub(crate) fn table(text: &str) -> Result<Table, Refusal> {
    text.parse().map_err(|error: toml::de::Error| Refusal::Unreadable(error.message().to_owned()))
}

/// Adds entries to the text of a file, which is empty if there is none.
pub(crate) fn add(text: &str, entries: &[Entry]) -> Result<Draft, Refusal> {
    let mut wanted = table(text)?;
    let mut draft = Draft::new(text.to_owned());
    if array_items(text)?.is_some() {
        for entry in entries {
            let (range, items) = array_items(draft.text())?.ok_or(Refusal::Entangled)?;
            let last = items.last().map(|item| item.end);
            let keys = entry.table().map(|(key, value)| format!("{key} = {value}"));
            let item = format!("{{ {} }}", keys.join(", "));
            let mut insertions = Layout::of(text).grow(draft.text(), range, last, move |_, _| item);
            insertions.reverse();
            for (at, text) in insertions {
                draft.insert(at, &text);
            }
        }
    } else {
        let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut block = String::new();
        if !text.is_empty() && !text.ends_with('\n') {
            block.push_str(end_of_line);
        }
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 || !text.trim().is_empty() {
                block.push_str(end_of_line);
            }
            let keys = entry.table().map(|(key, value)| format!("{key} = {value}"));
            for line in std::iter::once(HEADER.to_owned()).chain(keys) {
                block.push_str(&line);
                block.push_str(end_of_line);
            }
        }
        draft.insert(text.len(), &block);
    }
    let list = wanted.entry(HOOKS).or_insert_with(|| Value::Array(Vec::new()));
    let list = list.as_array_mut().ok_or_else(|| Refusal::Type("`hooks`".to_owned(), "a list"))?;
    list.extend(entries.iter().map(as_value));
    if table(draft.text()).ok().as_ref() == Some(&wanted) {
        Ok(draft)
    } else {
        Err(Refusal::Entangled)
    }
}

/// Returns an entry as a value.
pub(crate) fn as_value(entry: &Entry) -> Value {
    let mut table = Table::new();
    table.insert("event".to_owned(), Value::from(entry.line.event.as_str()));
    table.insert("command".to_owned(), Value::from(entry.line.to_string()));
    table.insert("timeout".to_owned(), Value::from(i64::from(entry.patience)));
    Value::Table(table)
}

/// Removes the hooks whose command line is `ours`. `None` if there are none.
pub(crate) fn remove(text: &str, ours: &dyn Fn(&str) -> bool) -> Result<Option<String>, Refusal> {
    let mut wanted = table(text)?;
    let Some(list) = wanted.get_mut(HOOKS).and_then(Value::as_array_mut) else { return Ok(None) };
    let length = list.len();
    list.retain(|hook| !is_ours(hook, ours));
    if list.len() == length {
        return Ok(None);
    }
    let empty = list.is_empty();
    let shorter = match array_items(text)? {
        Some(_) => remove_items(text, ours)?,
        None => {
            if empty {
                wanted.remove(HOOKS);
            }
            remove_blocks(text, ours)
        }
    };
    if table(&shorter).ok().as_ref() == Some(&wanted) {
        Ok(Some(shorter))
    } else {
        Err(Refusal::Entangled)
    }
}

fn is_ours(hook: &Value, ours: &dyn Fn(&str) -> bool) -> bool {
    hook.get("command").and_then(Value::as_str).is_some_and(ours)
}

/// Cuts items out of an array that is written as `hooks = […]`.
fn remove_items(text: &str, ours: &dyn Fn(&str) -> bool) -> Result<String, Refusal> {
    let mut text = text.to_owned();
    loop {
        let list = table(&text)?;
        let at = list
            .get(HOOKS)
            .and_then(Value::as_array)
            .and_then(|list| list.iter().position(|hook| is_ours(hook, ours)));
        let Some(at) = at else { return Ok(text) };
        let (range, items) = array_items(&text)?.ok_or(Refusal::Entangled)?;
        text = cut(&text, range, &items, at).ok_or(Refusal::Entangled)?;
    }
}

/// Cuts out blocks `[[hooks]]`, each with the blank line before it.
fn remove_blocks(text: &str, ours: &dyn Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut rest = lines.as_slice();
    while let Some((line, behind)) = rest.split_first() {
        let length = if line.trim() == HEADER { block_length(behind) } else { 0 };
        let (block, after) = behind.split_at_checked(length).unwrap_or((&[], behind));
        let whole: String = std::iter::once(*line).chain(block.iter().copied()).collect();
        if line.trim() == HEADER && is_ours_alone(&whole, ours) {
            if kept.last().is_some_and(|line| line.trim().is_empty()) {
                kept.pop();
            }
        } else {
            kept.push(line);
            kept.extend(block);
        }
        rest = after;
    }
    kept.concat()
}

/// Returns how many lines belong to a table whose header stands before them.
fn block_length(lines: &[&str]) -> usize {
    let end =
        lines.iter().position(|line| line.trim_start().starts_with('[')).unwrap_or(lines.len());
    let own = lines.get(..end).unwrap_or_default();
    // Comments and blank lines at its end are about what follows.
    let about_next = |line: &&&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    end - own.iter().rev().take_while(about_next).count()
}

fn is_ours_alone(block: &str, ours: &dyn Fn(&str) -> bool) -> bool {
    let Ok(table) = table(block) else { return false };
    let hook = table.get(HOOKS).and_then(Value::as_array).and_then(|list| list.first());
    hook.is_some_and(|hook| is_ours(hook, ours))
}

/// An array, and each of its items.
type ArraySpans = (Range<usize>, Vec<Range<usize>>);

/// Returns where the array `hooks = […]` and its items are. `None` if hooks are not written so.
fn array_items(text: &str) -> Result<Option<ArraySpans>, Refusal> {
    let parsed =
        DeTable::parse(text).map_err(|error| Refusal::Unreadable(error.message().to_owned()))?;
    let Some(hooks) = parsed.get_ref().get(HOOKS) else { return Ok(None) };
    let DeValue::Array(items) = hooks.get_ref() else { return Ok(None) };
    let range = hooks.span();
    let is_inline = text.get(range.clone()).is_some_and(|text| {
        text.starts_with('[') && !text.starts_with("[[") && text.ends_with(']')
    });
    Ok(is_inline.then(|| (range, items.iter().map(|item| item.span()).collect())))
}
