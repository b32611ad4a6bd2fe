//! Observers whose handlers decide.

use std::collections::HashSet;

use hookgate_contract::Role;
use serde_json::Value;

use super::finding::{Finding, FindingCode};
use crate::table::{HookSpec, Listed};

/// The builtins that exist to decide.
const DECIDING: [&str; 8] = [
    "ask",
    "deny",
    "goal_gate",
    "limit",
    "max_iterations",
    "protect_config",
    "repeated_denials",
    "require",
];

/// The kinds of handlers that exist to decide.
const JUDGING: [&str; 3] = ["cedar", "prompt", "rego"];

pub(super) fn find(listed: &[Listed<'_>]) -> Vec<Finding> {
    let mut seen = HashSet::new();
    let observing = listed.iter().filter(|hook| hook.role() == Role::Observe);
    observing
        .filter(|hook| exists_to_decide(hook.spec()))
        .filter(|hook| seen.insert(hook.id()))
        .map(|hook| {
            let spec = hook.spec();
            let what = builtin_of(spec).unwrap_or(spec.kind());
            let (key, help) = match spec.role() {
                Some(_) => (
                    "role",
                    "delete `role = \"observe\"`; to try the hook out without effect write \
                     `mode = \"shadow\"`",
                ),
                None => ("event", "move it to an event at which something can be decided"),
            };
            let message =
                format!("`{}` observes, so what `{what}` decides does not count", spec.id());
            let code = FindingCode::ObserverDecides;
            Finding::new(code, spec, key, message, help.to_owned()).at(hook.event)
        })
        .collect()
}

/// Returns whether the handler of a hook is one that is there for its decisions.
fn exists_to_decide(spec: &HookSpec) -> bool {
    match builtin_of(spec) {
        Some(name) => DECIDING.contains(&name),
        None => JUDGING.contains(&spec.kind()),
    }
}

/// Returns whether the handler of a hook may decide: it is not a builtin that only adds or notes something.
pub(super) fn may_decide(spec: &HookSpec) -> bool {
    builtin_of(spec).is_none_or(|name| DECIDING.contains(&name))
}

/// Returns the name of the builtin of a hook.
pub(super) fn builtin_of(spec: &HookSpec) -> Option<&str> {
    (spec.kind() == "builtin").then(|| spec.settings().get("name").and_then(Value::as_str))?
}
