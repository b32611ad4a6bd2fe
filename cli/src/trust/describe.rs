//! What a hook does, in words that its user can judge.

use crate::shell_word::quoted;
use hookgate::HookSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::rule::only_tightens;

/// A hook, with what it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Described {
    /// Its id.
    pub(crate) id: String,
    /// The layer of its config.
    pub(crate) layer: String,
    /// Its events.
    pub(crate) events: Vec<String>,
    /// The kind of its handler.
    pub(crate) kind: String,
    /// What it starts, asks or does, and all its other settings.
    pub(crate) does: String,
    /// Whether it is in force only if the project is trusted.
    pub(crate) needs_trust: bool,
}

impl Described {
    /// Describes a hook.
    pub(super) fn new(hook: &HookSpec, layer: &str) -> Self {
        Self {
            id: hook.id().as_str().to_owned(),
            layer: layer.to_owned(),
            events: hook.events().iter().map(|on| on.name().to_owned()).collect(),
            kind: hook.kind().to_owned(),
            does: does(hook.kind(), hook.settings()),
            needs_trust: !only_tightens(hook),
        }
    }
}

/// The kind of the judges, whose model is somewhere even if the config does not say where.
const PROMPT: &str = "prompt";

/// The settings that say what is done, in the order in which they are shown; the others follow as they are.
const MAIN: [&str; 9] =
    ["name", "argv", "shell", "command", "url", "model", "base_url", "prompt_file", "prompt"];

/// Returns a handler's settings as text. Nothing is left out: what is not shown is not agreed to.
fn does(kind: &str, settings: &Value) -> String {
    let keys = match settings {
        Value::String(name) => return name.clone(),
        Value::Object(keys) => keys,
        other => return other.to_string(),
    };
    let main = MAIN.iter().filter_map(|key| Some((*key, keys.get(*key)?)));
    let mut parts: Vec<String> = main.map(|(key, value)| main_part(key, value)).collect();
    if kind == PROMPT && !keys.contains_key("base_url") {
        parts.push("base_url of OpenAI, since none is set".to_owned());
    }
    let rest: Map<String, Value> = keys
        .iter()
        .filter(|(key, _)| !MAIN.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if !rest.is_empty() {
        parts.push(Value::Object(rest).to_string());
    }
    parts.join("  ")
}

fn main_part(key: &str, value: &Value) -> String {
    match (key, value) {
        ("argv" | "command", Value::Array(words)) => {
            words.iter().map(word).collect::<Vec<_>>().join(" ")
        }
        ("name" | "shell" | "url", Value::String(text)) => text.clone(),
        (_, Value::String(text)) => format!("{key} {text}"),
        (_, other) => format!("{key} {other}"),
    }
}

/// Returns a value as a word of a command line.
pub(super) fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| quoted(&value.to_string()), quoted)
}
