//! A case: what is set up, what the hook does, and what is expected.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::error::{CaseError, Result};

/// One case of a file.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) id: String,
    /// The event, as the agent names it.
    pub(crate) event: String,
    /// All keys, in which the folders of the cases stand for those of the run.
    pub(crate) keys: Map<String, Value>,
}

/// What one handler does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: i32,
    pub(crate) delay_ms: u64,
}

/// The folder that holds, in the cases, the project and all that lies beside it. It is not there on most machines.
const ROOT: &str = "/srv";

/// The project of the cases, below [`ROOT`].
const PROJECT: &str = "ledger";

impl Case {
    /// Reads a line of a file.
    pub(crate) fn parse(line: &str) -> Result<Self> {
        let keys: Map<String, Value> = serde_json::from_str(line)?;
        let text = |name: &'static str| {
            let text = keys.get(name).and_then(Value::as_str).map(str::to_owned);
            text.ok_or(CaseError::NoKey(name))
        };
        Ok(Self { id: text("id")?, event: text("event")?, keys })
    }

    /// Puts another folder in the place of the one that holds the project, in everything that the case says.
    /// Where the agent is somewhere else, that folder is moved as well.
    pub(crate) fn in_folder(&self, folder: &Path) -> Self {
        let move_to = |case: &Self, old: &str, new: &Path| {
            let new = new.to_string_lossy();
            let keys = case.keys.iter();
            let keys = keys.map(|(name, value)| (name.clone(), replaced(value, old, &new)));
            Self { keys: keys.collect(), ..case.clone() }
        };
        let case = move_to(self, ROOT, folder);
        let cwd = case.get("stdin").and_then(|input| input.get("cwd")?.as_str());
        match cwd.and_then(|cwd| Path::new(cwd).strip_prefix("/").ok()) {
            Some(other)
                if other != Path::new("") && !Path::new("/").join(other).starts_with(folder) =>
            {
                move_to(&case, &format!("/{}", other.display()), &folder.join(other))
            }
            _ => case,
        }
    }

    /// Returns the project of a case that was put in a folder.
    pub(crate) fn project_in(folder: &Path) -> PathBuf {
        folder.join(PROJECT)
    }

    /// Returns the agent: the first word of the id.
    pub(crate) fn agent(&self) -> &str {
        self.id.split('-').next().unwrap_or_default()
    }

    /// Returns a key.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.keys.get(name).filter(|value| !value.is_null())
    }

    /// Returns an object.
    pub(crate) fn object(&self, name: &'static str) -> Result<&Map<String, Value>> {
        self.get(name).and_then(Value::as_object).ok_or(CaseError::NoKey(name))
    }

    /// Returns what handler `index` does.
    pub(crate) fn script(&self, index: usize) -> Script {
        let at = |name: &str| match self.get(name) {
            Some(Value::Array(items)) => items.get(index),
            other => other,
        };
        let text = |name| at(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Script {
            stdout: text("hook_stdout"),
            stderr: text("hook_stderr"),
            exit: at("hook_exit").and_then(Value::as_i64).map_or(0, |code| code as i32),
            delay_ms: at("hook_delay_ms").and_then(Value::as_u64).unwrap_or_default(),
        }
    }

    /// Returns how many handlers the case has, and whether they are numbered.
    pub(crate) fn handlers(&self) -> (usize, bool) {
        let lists = ["hook_stdout", "hook_exit", "hook_stderr", "hook_delay_ms"];
        let lengths = lists.iter().filter_map(|name| Some(self.get(name)?.as_array()?.len()));
        lengths.max().map_or((1, false), |length| (length, true))
    }

    /// Returns a handler's name in the config: `{{HOOK}}` or `{{HOOK_2}}`.
    pub(crate) fn place(&self, index: usize) -> String {
        if self.handlers().1 { format!("{{{{HOOK_{index}}}}}") } else { "{{HOOK}}".to_owned() }
    }
}

/// Replaces text in all strings of a value, keys of objects included.
pub(crate) fn replaced(value: &Value, old: &str, new: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(old, new)),
        Value::Array(items) => items.iter().map(|item| replaced(item, old, new)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(name, field)| (name.replace(old, new), replaced(field, old, new)))
                .collect()
        }
        other => other.clone(),
    }
}
