//! Which hooks of a project are in force although nobody has said that it is trusted.

use hookgate::HookSpec;
use serde_json::Value;

/// The builtins that a project may use. They ask, deny, say the date, write a line to the log of this
/// process, remember what was denied or hide secrets; they start nothing, send nothing, and read or write no file that the config
/// chooses.
const TIGHTENING: &[&str] = &[
    "deny",
    "ask",
    "require",
    "limit",
    "max_iterations",
    "repeated_denials",
    "note_denials",
    "protect_config",
    "redact_secrets",
    "add_date",
    "audit",
];

/// One of them that does more than that if it has settings: patterns of its own can hide from the hooks of
/// the user what those look for.
const PLAIN_ONLY: &str = "redact_secrets";

/// The kind of the builtins.
const BUILTIN: &str = "builtin";

/// Tells whether a project may use a builtin.
pub(crate) fn is_tightening(name: &str) -> bool {
    TIGHTENING.contains(&name)
}

/// Tells whether a hook can only make decisions stricter, and does nothing else.
pub(crate) fn only_tightens(hook: &HookSpec) -> bool {
    let (name, has_more) = match hook.settings() {
        Value::String(name) => (Some(name.as_str()), false),
        Value::Object(keys) => (keys.get("name").and_then(Value::as_str), keys.len() > 1),
        _ => (None, false),
    };
    hook.kind() == BUILTIN
        && name.is_some_and(|name| is_tightening(name) && !(name == PLAIN_ONLY && has_more))
}
