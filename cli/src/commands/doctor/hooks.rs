//! The hooks in a file of an agent, one by one, whatever the form of the file.

use hookgate::contract::dialect::HostEvent;
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
    /// What `hookgate install` wrote here; `None` if somebody else wrote it.
    pub(super) line: Option<CommandLine>,
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

    fn new(
        event: &str,
        matcher: Option<&Value>,
        keys: &Map<String, Value>,
        at: (usize, usize),
    ) -> Self {
        let mut hook = Self {
            event: event.to_owned(),
            matcher: matcher.cloned(),
            keys: keys.clone(),
            line: None,
            at,
        };
        hook.line = hook.command().and_then(CommandLine::read);
        hook
    }

    /// Makes a hook of a program that is all ours. The guard stands for the program around the call, which
    /// says no in the same cases.
    fn of_program(line: CommandLine) -> Self {
        let keys = [("command".to_owned(), Value::from(line.to_string()))].into_iter().collect();
        Self { line: Some(line.clone()), ..Self::new(&line.event, None, &keys, (0, 0)) }
    }

    /// Tells whether it calls hookgate, by whatever command line.
    pub(super) fn calls_hookgate(&self) -> bool {
        self.command().is_some_and(|line| line.contains("hook --agent "))
    }
}

/// Reads a file.
pub(super) fn read(
    text: &str,
    profile: &Profile,
    events: &[HostEvent],
) -> Result<Content, Refusal> {
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
            let hooks = list.iter().enumerate().filter_map(|(index, hook)| {
                let keys = hook.as_object()?;
                let event = keys.get("event").and_then(Value::as_str).unwrap_or_default();
                Some(FoundHook::new(event, keys.get("matcher"), keys, (index, 0)))
            });
            let hooks = hooks.collect();
            Ok(Content { root, hooks })
        }
        Form::Scripts => {
            let hooks = script::in_script(text).into_iter().map(FoundHook::of_program).collect();
            Ok(Content { root: Value::Null, hooks })
        }
        Form::Plugin => {
            let lines = events.iter().filter_map(|event| script::in_plugin(text, event.name));
            Ok(Content { root: Value::Null, hooks: lines.map(FoundHook::of_program).collect() })
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
                hooks.push(FoundHook::new(event, group.get("matcher"), keys, (group_index, index)));
            }
        }
    }
    hooks
}

fn listed(root: &Value) -> impl Iterator<Item = FoundHook> {
    events(root).flat_map(|(event, handlers)| {
        let objects =
            handlers.iter().enumerate().filter_map(|(at, item)| Some((at, item.as_object()?)));
        objects
            .filter(|(_, keys)| !keys.contains_key("hooks"))
            .map(|(index, keys)| FoundHook::new(event, keys.get("matcher"), keys, (index, 0)))
    })
}
