//! Which hooks of an event may be called at the same time.
//!
//! The hooks of an event have an order, but most guards could be called in any: they see the same
//! step, and the strictest decision wins. So neighbours form a group, and the members of a group
//! are called concurrently. A rewriter is a group of its own, because the hooks after it must see
//! what it wrote, and so is a hook that is asked once. A hook with `after` begins a new group if it
//! would otherwise share one with the hook that it waits for.

use std::collections::HashSet;
use std::sync::Arc;

use hookgate_contract::Role;

use super::compiled_hook::CompiledHook;

/// Numbers the groups of hooks that are in their order: guards `a`, `b`, a rewriter, and a guard
/// `c` are the groups 0, 0, 1, 2. Observers and background hooks have no group: they are called
/// after the decision.
pub(super) fn number_groups(hooks: &mut [Arc<CompiledHook>]) {
    let mut number = 0;
    // The ids matter only to hooks that name each other.
    let ordered = hooks.iter().any(|hook| hook.definition.spec.is_ordered());
    let definitions: Vec<_> = hooks.iter().map(|hook| Arc::clone(&hook.definition)).collect();
    // The ids of the group, and those that must come after one of it.
    let (mut members, mut awaiting) = (HashSet::new(), HashSet::new());
    let deciders = hooks.iter_mut().zip(&definitions).filter(|(hook, _)| !hook.watches());
    for (hook, definition) in deciders {
        let spec = &definition.spec;
        let waits = spec.after.iter().any(|id| members.contains(id.as_str()))
            || awaiting.contains(spec.id().as_str());
        let alone = hook.role == Role::Rewrite || hook.once;
        if alone || waits {
            number += 1;
            members.clear();
            awaiting.clear();
        }
        if hook.group != number {
            Arc::make_mut(hook).group = number;
        }
        if alone {
            number += 1;
        } else if ordered {
            members.insert(spec.id().as_str());
            awaiting.extend(spec.before.iter().map(String::as_str));
        }
    }
}
