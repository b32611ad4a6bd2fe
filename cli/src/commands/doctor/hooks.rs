//! The hooks in a file of an agent, one by one, whatever the form of the file.

use serde_json::{Map, Value};

use crate::agents::{CommandLine, Form, ListedKeys, Profile, Refusal, json, script, tables};

/// A hook as it is written.
#[derive(Debug, Clone)]
pub(super) struct FoundHook {
    /// The event.
    pub(super) event: String,
    /// The matcher of the hook or of its group.
    pub(super) matcher: Option<Value>,
    /// Its own keys.
    pub(super) keys: Map<String, Value>,
    /// Which group of its event it is in, and which hook of the group it is.
    pub(super) at: (usize, usize),
}

/// A file, read.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    /// All that it says; null for programs.
    pub(super) root: Value,
    /// Its hooks.
    pub(super) hooks: Vec<FoundHook>,
}

impl FoundHook {
    /// Returns its command line.
    pub(super) fn command(&self) -> Option<&str> {
        ["bash", "command"].iter().find_map(|key| self.keys.get(*key)).and_then(Value::as_str)
    }

    /// Returns what `hookgate install` wrote here.
    pub(super) fn line(&self) -> Option<CommandLine> {
        self.command().and_then(CommandLine::read)
    }

    /// Tells whether it calls hookgate, by whatever command line.
    pub(super) fn calls_hookgate(&self) -> bool {
        self.command().is_some_and(|line| line.contains("hook --agent "))
    }
}

/// Reads a file.
pub(super) fn read(text: &str, profile: &Profile) -> Result<Content, Refusal> {
    match profile.form {
        Form::Grouped { syntax, .. } => {
            let root = json::value(text, syntax)?;
            let hooks = grouped(&root);
            Ok(Content { root, hooks })
        }
        Form::Listed { syntax, keys } => {
            let root = json::value(text, syntax)?;
            // Copilot also takes the groups of Claude Code.
            let groups = if keys == ListedKeys::Copilot { grouped(&root) } else { Vec::new() };
            let hooks = listed(&root).chain(groups).collect();
            Ok(Content { root, hooks })
        }
        Form::Tables => {
            let root = json::to_value(&tables::table(text)?);
            let list = root.get("hooks").and_then(Value::as_array).cloned().unwrap_or_default();
            let hooks = list.into_iter().enumerate().filter_map(|(index, hook)| {
                let Value::Object(keys) = hook else { return None };
                let event =
                    keys.get("event").and_then(Value::as_str).unwrap_or_default().to_owned();
                Some(FoundHook {
                    event,
                    matcher: keys.get("matcher").cloned(),
                    keys,
                    at: (index, 0),
                })
            });
            let hooks = hooks.collect();
            Ok(Content { root, hooks })
        }
        Form::Scripts | Form::Plugin => {
            let hooks = script::command_lines(text).into_iter().map(|line| {
                let command = Value::from(line.to_string());
                let keys = [("command".to_owned(), command)].into_iter().collect();
                FoundHook { event: line.event, matcher: None, keys, at: (0, 0) }
            });
            Ok(Content { root: Value::Null, hooks: hooks.collect() })
        }
    }
}

fn events(root: &Value) -> impl Iterator<Item = (&String, &Vec<Value>)> {
    root.get("hooks")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(event, list)| Some((event, list.as_array()?)))
}

fn grouped(root: &Value) -> Vec<FoundHook> {
    let mut hooks = Vec::new();
    for (event, groups) in events(root) {
        for (group_index, group) in groups.iter().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            for (index, keys) in handlers.filter_map(Value::as_object).enumerate() {
                hooks.push(FoundHook {
                    event: event.clone(),
                    matcher: group.get("matcher").cloned(),
                    keys: keys.clone(),
                    at: (group_index, index),
                });
            }
        }
    }
    hooks
}

fn listed(root: &Value) -> impl Iterator<Item = FoundHook> {
    events(root).flat_map(|(event, handlers)| {
        let objects =
            handlers.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_object()?)));
        objects.filter(|(_, keys)| !keys.contains_key("hooks")).map(|(index, keys)| FoundHook {
            event: event.clone(),
            matcher: keys.get("matcher").cloned(),
            keys: keys.clone(),
            at: (index, 0),
        })
    })
}
