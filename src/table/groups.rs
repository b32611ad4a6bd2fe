//! Which hooks of an event may be called at the same time.
//!
//! The hooks of an event have an order, but most guards could be called in any: they see the same
//! step, and the strictest decision wins. So neighbours form a group, and the members of a group
//! are called concurrently. A rewriter is a group of its own, because the hooks after it must see
//! what it wrote, and so is a hook that is asked once. A hook that comes after another one of its group
//! (`after`, `before`, `needs`) is called once that one is over, while the others run.

use std::sync::Arc;

use hookgate_contract::Role;

use super::compiled_hook::CompiledHook;

/// Numbers the groups of hooks that are in their order: guards `a`, `b`, a rewriter, and a guard
/// `c` are the groups 0, 0, 1, 2. Observers and background hooks have no group: they are called
/// after the decision.
pub(super) fn number_groups(hooks: &mut [Arc<CompiledHook>]) {
    let mut number = 0;
    for hook in hooks.iter_mut().filter(|hook| !hook.watches()) {
        let alone = hook.role == Role::Rewrite || hook.once;
        if alone {
            number += 1;
        }
        if hook.group != number {
            Arc::make_mut(hook).group = number;
        }
        if alone {
            number += 1;
        }
    }
}
