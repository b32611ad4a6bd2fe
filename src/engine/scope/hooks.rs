//! What a scope adds to the table of its engine, and what it goes without.

use std::collections::HashSet;
use std::sync::Arc;

use super::error::ScopeError;
#[cfg(feature = "overrides")]
use crate::config::Overrides;
use crate::hook_id::SCOPE;
use crate::table::{HandlerTable, HookSpec, SetAside, TableBuilder};

/// Hooks of a scope, and those of its engine that it goes without.
#[derive(Debug, Clone, Default)]
pub(super) struct ScopeHooks {
    /// In the order of their priorities.
    added: Vec<Arc<HookSpec>>,
    #[cfg(feature = "overrides")]
    without: Vec<Overrides>,
}

impl ScopeHooks {
    /// Adds a hook, under its own id.
    pub(super) fn add(&mut self, hook: HookSpec, is_of_scope: impl Fn(&str) -> bool) {
        self.added.push(Arc::new(hook.of_scope(is_of_scope)));
        self.added.sort_by_key(|hook| hook.priority());
    }

    /// Goes without the hooks that an override names.
    #[cfg(feature = "overrides")]
    pub(super) fn go_without(&mut self, overrides: Overrides) {
        self.without.push(overrides);
    }

    /// Returns whether the table of the scope is that of its engine.
    pub(super) const fn is_empty(&self) -> bool {
        #[cfg(feature = "overrides")]
        let goes_without = !self.without.is_empty();
        #[cfg(not(feature = "overrides"))]
        let goes_without = false;
        self.added.is_empty() && !goes_without
    }

    /// Makes the table of the scope of that of its engine.
    ///
    /// # Errors
    /// The hooks do not fit.
    pub(super) fn join(&self, base: &Arc<HandlerTable>) -> Result<HandlerTable, ScopeError> {
        self.join_each(base, Arc::clone)
    }

    /// As [`ScopeHooks::join`], with hooks in the place of its own that always fail: what they are about gets their
    /// postures.
    ///
    /// # Errors
    /// These do not fit, either.
    pub(super) fn join_failing(
        &self,
        base: &Arc<HandlerTable>,
        why: &str,
    ) -> Result<HandlerTable, ScopeError> {
        let failing = |hook: &Arc<HookSpec>| {
            let hook = HookSpec::clone(hook);
            Arc::new(hook.set_aside(None, SetAside::Conditions, why.to_owned()))
        };
        self.join_each(base, failing)
    }

    fn join_each(
        &self,
        base: &Arc<HandlerTable>,
        hook_of: impl Fn(&Arc<HookSpec>) -> Arc<HookSpec>,
    ) -> Result<HandlerTable, ScopeError> {
        let base = &self.without(base)?;
        let named: HashSet<&String> = self.added.iter().flat_map(|hook| names(hook)).collect();
        let lowest = base.specs().map(HookSpec::priority).max();
        let mut builder = TableBuilder::from_table(base);
        builder.of_scope();
        for added in &self.added {
            let is_named = named.iter().any(|name| added.id() == name.as_str());
            if !is_named && base.does_what(added) {
                continue;
            }
            let is_above = |id: &str| !id.starts_with(SCOPE);
            let hook = hook_of(added);
            builder.insert_shared(match lowest {
                Some(lowest) if !hook.is_below(lowest, is_above) => {
                    Arc::new(HookSpec::clone(&hook).below(lowest, is_above))
                }
                _ => hook,
            });
        }
        Ok(builder.build()?)
    }

    #[cfg(feature = "overrides")]
    fn without(&self, base: &Arc<HandlerTable>) -> Result<Arc<HandlerTable>, ScopeError> {
        let mut base = Arc::clone(base);
        for overrides in &self.without {
            base = Arc::new(overrides.weaken(&base, &HashSet::new())?);
        }
        Ok(base)
    }

    #[cfg(not(feature = "overrides"))]
    #[expect(clippy::unnecessary_wraps, reason = "with the feature `overrides` it can fail")]
    fn without(&self, base: &Arc<HandlerTable>) -> Result<Arc<HandlerTable>, ScopeError> {
        Ok(Arc::clone(base))
    }
}

/// Returns the ids that a hook names.
fn names(hook: &HookSpec) -> impl Iterator<Item = &String> {
    hook.after().iter().chain(hook.before()).chain(hook.needs())
}
