//! Hooks that are never called, because an earlier one denies every step that they are for.
//!
//! It is told for certain only: the earlier hook must be a builtin that denies whatever the step is,
//! and its conditions must be the same as those of the later one, or none. So each event costs one
//! pass over its hooks.

use std::collections::{HashMap, HashSet};

use hookgate_contract::json::canonical;
use hookgate_contract::{Mode, Role};
use serde_json::Value;

use super::canonical::when;
use super::listed::Listed;
use super::{HandlerTable, HookSpec};

impl HandlerTable {
    /// Returns the hooks that are never called at an event, each with the event and the hook before
    /// it that denies.
    pub(crate) fn shadowed(&self) -> Vec<(&HookSpec, &str, &HookSpec)> {
        let mut out = Vec::new();
        let mut told = HashSet::new();
        let listed: Vec<_> = self.listing().collect();
        for hooks in listed.chunk_by(|one, next| one.event == next.event) {
            // The first hook that denies, by its conditions.
            let mut denying: HashMap<String, &HookSpec> = HashMap::new();
            for hook in hooks.iter().filter(|hook| decides(hook)) {
                let (spec, denies) = (hook.spec(), always_denies(hook));
                // Most events have no such hook, and their conditions are not looked at.
                if denying.is_empty() && !denies {
                    continue;
                }
                let conditions = when(spec);
                let key = canonical(&conditions);
                match denying.get("").or_else(|| denying.get(&key)).copied() {
                    Some(by) if told.insert(spec.id()) => out.push((spec, hook.event, by)),
                    None if denies => {
                        let all = if is_empty(&conditions) { String::new() } else { key };
                        denying.insert(all, spec);
                    }
                    _ => {}
                }
            }
        }
        out
    }
}

/// Returns whether the decision waits for a hook, and counts it.
fn decides(hook: &Listed<'_>) -> bool {
    hook.mode() == Mode::Enforce && hook.role() != Role::Observe && !hook.spec().background
}

/// Returns whether a hook denies every step that it is called for. A name of another system may add a
/// condition of its own.
fn always_denies(hook: &Listed<'_>) -> bool {
    let spec = hook.spec();
    spec.kind == "builtin"
        && spec.settings.get("name").and_then(Value::as_str) == Some("deny")
        && spec.events.iter().all(|on| on.only.is_none())
}

/// Returns whether conditions restrict nothing: each of them is absent.
fn is_empty(conditions: &Value) -> bool {
    match conditions {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_empty),
        _ => false,
    }
}
