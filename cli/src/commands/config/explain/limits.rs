//! The bounds and defaults, and where they come from.

use std::collections::BTreeSet;

use hookgate::HandlerTable;
use serde_json::{Value, json};

use super::fact::{Fact, Overruled};
use crate::abort::Abort;
use crate::commands::config::written::{WordPlace, WrittenFile, entry_at};
use crate::terminal::phrase::duration;

/// The section, and the first part of each key.
const LIMITS: &str = "limits";

/// Returns what is to be said of the limits that a key names. Those of the first file count: it binds most.
pub(super) fn facts(
    table: &HandlerTable,
    files: &[WrittenFile],
    key: &str,
) -> Result<Vec<Fact>, Abort> {
    let all = values(table);
    let below = format!("{key}.");
    let wanted = |name: &str| name == key || name.starts_with(&below);
    let facts: Vec<Fact> = all
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, value)| fact(files, name, value.clone()))
        .collect();
    if facts.is_empty() {
        let mut known: Vec<&str> = table.specs().map(|spec| spec.id().as_str()).collect();
        known.extend(all.iter().map(|(name, _)| name.as_str()));
        return Err(Abort::unknown_name("hook or limit", key, &known));
    }
    Ok(facts)
}

/// Returns where the deadline of a kind of handler is set.
pub(super) fn timeout_place(files: &[WrittenFile], kind: &str) -> Option<WordPlace> {
    place(files.first()?, &format!("{LIMITS}.timeout.{kind}")).map(|(_, place)| place)
}

fn fact(files: &[WrittenFile], name: &str, value: Value) -> Fact {
    let mut files = files.iter();
    let first = files.next();
    let mut fact = match first.and_then(|first| place(first, name)) {
        Some((_, from)) => Fact::written(name.to_owned(), value, from),
        None => Fact::unwritten(name.to_owned(), value, "the default"),
    };
    let by = first.map(|first| first.name.clone()).unwrap_or_default();
    fact.overruled = files
        .filter_map(|file| place(file, name))
        .map(|(value, from)| Overruled {
            value,
            from: Some(from),
            why: format!("the limits of `{by}` count, which binds more or comes first"),
        })
        .collect();
    fact
}

/// Returns what a file sets a limit to, and where.
fn place(file: &WrittenFile, name: &str) -> Option<(Value, WordPlace)> {
    let name = name.strip_prefix(LIMITS)?.strip_prefix('.')?;
    let entry = entry_at(file.section(LIMITS)?, name)?;
    Some((entry.node.to_json(), file.place(&entry.key_span)))
}

/// Returns all limits by their names.
fn values(table: &HandlerTable) -> Vec<(String, Value)> {
    let limits = table.limits();
    let mut values = vec![
        ("limits.dispatch_deadline".to_owned(), json!(duration(limits.dispatch_deadline))),
        ("limits.payload".to_owned(), json!(limits.payload)),
        ("limits.output".to_owned(), json!(limits.output)),
        ("limits.background_queue".to_owned(), json!(limits.background_queue)),
        ("limits.concurrency".to_owned(), json!(limits.concurrency)),
        ("limits.stop_denials".to_owned(), json!(limits.stop_denials)),
        ("limits.stop_at".to_owned(), json!(limits.stop_at.name())),
        ("limits.integers".to_owned(), json!(limits.integers.name())),
    ];
    let kinds = table.specs().map(|spec| spec.kind());
    let kinds: BTreeSet<&str> = kinds.chain(limits.timeout.keys().map(String::as_str)).collect();
    values.extend(
        kinds.into_iter().map(|kind| {
            (format!("limits.timeout.{kind}"), json!(duration(limits.timeout_of(kind))))
        }),
    );
    values
}
