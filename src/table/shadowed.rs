//! Hooks that are never called, because an earlier one denies every step that they are for.
//!
//! It is told for certain only: the earlier hook must be a builtin that denies whatever the step is, its
//! conditions must hold wherever those of the later one do, and no rewriter may stand between them, which
//! could make another step of it. Only hooks that deny are compared with the others, and most events have
//! none.

use std::collections::HashSet;

use hookgate_contract::{Mode, Role, StopAt};
use serde_json::Value;

use super::listed::Listed;
use super::{HandlerTable, HookSpec};

impl HandlerTable {
    /// Returns the hooks that are never called at an event, each with the event and the hook before
    /// it that denies.
    pub(crate) fn shadowed(&self) -> Vec<(&HookSpec, &str, &HookSpec)> {
        let mut out = Vec::new();
        // Every hook is called then, also after a deny.
        if self.limits.stop_at == StopAt::Halt {
            return out;
        }
        let mut told = HashSet::new();
        let listed: Vec<_> = self.listing().collect();
        for hooks in listed.chunk_by(|one, next| one.event == next.event) {
            let mut denying: Vec<&Listed<'_>> = Vec::new();
            for hook in hooks.iter().filter(|hook| decides(hook)) {
                match denying.iter().find(|by| covers(by, hook)) {
                    Some(by) if told.insert(hook.id()) => {
                        out.push((hook.spec(), hook.event, by.spec()));
                    }
                    None if always_denies(hook) => denying.push(hook),
                    _ => {}
                }
                if hook.role() == Role::Rewrite {
                    denying.retain(|by| by.matcher().is_empty());
                }
            }
        }
        out
    }
}

/// Returns whether a hook that denies does so for every step that a later one is for.
fn covers(by: &Listed<'_>, later: &Listed<'_>) -> bool {
    // Where its conditions cannot be told it does not deny for certain, and a hook that looks for itself is
    // called.
    (!by.can_be_unclear() || later.can_be_unclear()) && by.matcher().covers(later.matcher())
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
