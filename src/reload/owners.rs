//! Whose a hook is that is in force: a reload takes away only what a load has brought.
//!
//! A hook that the host has put in with [`Engine::edit`](crate::Engine::edit) stays beside what a config says, and in
//! the place of a hook of the config that it was put in for. It is the host's if no load has brought it, and it was
//! declared in code or in a text of which the loads have brought nothing. What was declared in a file of the config is
//! always the config's.

use std::sync::Arc;

use crate::table::{BuildErrors, HandlerTable, HookSpec, Layer, TableBuilder};

/// Returns a loaded table, with the hooks that the host has put in force beside those of the last load.
///
/// # Errors
/// What of them does not fit, such as a hook of the config under the id of a hook of the host.
pub(super) fn beside_hooks_of_host(
    loaded: &Arc<HandlerTable>,
    in_force: &HandlerTable,
    last: Option<&HandlerTable>,
) -> Result<HandlerTable, BuildErrors> {
    let mut builder = TableBuilder::from_table(loaded);
    let mut has_any = false;
    for hook in in_force.specs().filter(|hook| is_of_host(hook, loaded, last)) {
        match loaded.spec(hook.id()) {
            // The loader brings hooks of the host itself.
            Some(brought) if is_of_code(brought) => continue,
            // Two hooks of one id, of which each may be a guard.
            Some(_) if last.is_none_or(|last| last.spec(hook.id()).is_none()) => {
                builder.insert(hook.clone());
            }
            _ => {
                builder.take_over(hook, in_force);
            }
        }
        has_any = true;
    }
    if has_any { builder.build() } else { Ok(HandlerTable::clone(loaded)) }
}

fn is_of_host(hook: &HookSpec, loaded: &HandlerTable, last: Option<&HandlerTable>) -> bool {
    let brought = last.and_then(|last| last.spec(hook.id()));
    if is_of_code(hook) {
        return !brought.is_some_and(is_of_code);
    }
    // Before the first load, nobody knows whether what is in force was the config's.
    let Some(last) = last else { return false };
    let is_of_file = |other: &HookSpec| other.origin().file_name() == hook.origin().file_name();
    brought.is_none() && !last.specs().chain(loaded.specs()).any(is_of_file)
}

fn is_of_code(hook: &HookSpec) -> bool {
    hook.origin().layer() == Layer::Code
}
