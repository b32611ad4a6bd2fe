//! A table with one hook of another table.

use std::collections::BTreeSet;
use std::sync::Arc;

use hookgate_contract::{Handler, Invocation, Mode, Verdict};

use super::build_error::BuildErrors;
use super::spec::HookSpec;
use super::{HandlerTable, Limits};
use crate::matcher::MatchSpec;

impl HandlerTable {
    /// Returns a table of one hook, with the limits of this table, and without what it requires. Hooks of this table
    /// that the conditions of the hook watch are there as well, [silenced](HookSpec::silenced).
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let hook = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::Stop);
    /// let table = HandlerTable::builder().insert(hook("a")).insert(hook("b")).build()?;
    /// assert_eq!(table.alone(hook("b").build())?.len(), 1);
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    ///
    /// # Errors
    /// They make no table: the hook is ordered against another one, for example ([`HookSpec::unordered`]).
    pub fn alone(&self, hook: HookSpec) -> Result<Self, BuildErrors> {
        let mut wanted = BTreeSet::new();
        self.add_watched(hook.matcher(), &mut wanted);
        wanted.remove(hook.id().as_str());
        let watched = self.specs().filter(|spec| wanted.contains(spec.id().as_str()));
        let mut builder = Self::builder();
        builder.limits(Limits::clone(&self.limits)).allow_unknown_contracts().insert(hook);
        builder.extend(watched.map(|spec| spec.declared().silenced()));
        builder.build()
    }

    /// Adds the hooks that conditions watch, and those that their conditions watch.
    fn add_watched(&self, conditions: &MatchSpec, found: &mut BTreeSet<String>) {
        for id in conditions.registered.iter().filter_map(|one| one.condition().watches()) {
            if found.insert(id.to_owned())
                && let Some(spec) = self.spec(id)
            {
                self.add_watched(spec.declared().matcher(), found);
            }
        }
        for nested in conditions.any.iter().flatten().chain(&conditions.not) {
            self.add_watched(nested, found);
        }
    }
}

impl HookSpec {
    /// Returns a hook with the same conditions that does nothing: so marks and counts are kept as it would keep them.
    #[must_use]
    pub fn silenced(&self) -> Self {
        let silent = |_: Handler| Handler::Sync(Arc::new(|_: Invocation<'_>| Ok(Verdict::none())));
        // One that is off is not evaluated at all.
        let mode = if self.mode() == Mode::Off { Mode::Off } else { Mode::Shadow };
        self.clone().unordered().with_mode(mode).watch_handler(silent)
    }
}
