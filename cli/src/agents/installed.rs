//! Whether hooks of hookgate are in a file that has other things in it too.

use serde_json::Value;

use super::command_line::CommandLine;
use super::entry::Entry;
use super::profile::Form;
use super::refusal::Refusal;
use super::{json, tables};

/// Tells whether exactly these entries of an agent are in a text, wherever they stand.
pub(crate) fn has_exactly(
    text: &str,
    form: Form,
    agent: &str,
    entries: &[Entry],
) -> Result<bool, Refusal> {
    let hooks = hooks(text, form)?;
    let mut found = Vec::new();
    collect(&hooks, &mut found);
    if found.iter().filter(|line| line.agent == agent).count() != entries.len() {
        return Ok(false);
    }
    Ok(entries.iter().all(|entry| {
        let (list, item) = match form {
            Form::Grouped { per_second, named, .. } => {
                (hooks.get(&entry.line.event), json::to_value(&entry.group(per_second, named)))
            }
            Form::Listed { keys, .. } => {
                (hooks.get(&entry.line.event), json::to_value(&entry.handler(keys)))
            }
            Form::Tables => (Some(&hooks), json::to_value(&tables::as_value(entry))),
            Form::Scripts | Form::Plugin => return false,
        };
        list.and_then(Value::as_array).is_some_and(|list| list.contains(&item))
    }))
}

/// Returns what a file says of hooks.
fn hooks(text: &str, form: Form) -> Result<Value, Refusal> {
    let root = match form {
        Form::Grouped { syntax, .. } | Form::Listed { syntax, .. } => json::value(text, syntax)?,
        Form::Tables => json::to_value(&tables::table(text)?),
        Form::Scripts | Form::Plugin => Value::Null,
    };
    Ok(root.get("hooks").cloned().unwrap_or_default())
}

fn collect(value: &Value, lines: &mut Vec<CommandLine>) {
    match value {
        Value::String(text) => lines.extend(CommandLine::read(text)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, lines)),
        Value::Object(members) => members.values().for_each(|item| collect(item, lines)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
