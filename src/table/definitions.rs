//! The hooks of a table to be, and how they differ from those of the table that it is made from.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hookgate_contract::{Condition, Mode};

use super::build_error::{BuildError, BuildProblem};
use super::definition::HookDefinition;
use super::event_selector::EventSelector;
use super::shared_list::SharedList;
use super::spec::HookSpec;
use crate::hook_id::HookId;

/// The indices of hooks, by their ids. Those of a scope are few, over those of the table that it is made of.
#[derive(Debug, Default)]
pub(super) struct Ids {
    own: HashMap<HookId, usize>,
    below: Option<Arc<Self>>,
}

impl Ids {
    pub(super) fn get(&self, id: &str) -> Option<usize> {
        let own = self.own.get(id).copied();
        own.or_else(|| self.below.as_ref()?.get(id))
    }
}

/// The hooks of a table to be.
pub(super) struct Definitions {
    /// All of them, in the order of declaration.
    pub(super) all: SharedList<Arc<HookDefinition>>,
    /// What is different in the table that it is made from; without one, every hook is new.
    pub(super) changes: Vec<Change>,
}

/// A hook that was replaced, added or removed.
pub(super) struct Change {
    pub(super) old: Option<Arc<HookDefinition>>,
    pub(super) new: Option<Arc<HookDefinition>>,
}

impl Definitions {
    /// Returns the hooks that are new, or new in the place of another one.
    pub(super) fn new_ones(&self) -> impl Iterator<Item = &Arc<HookDefinition>> + Clone {
        self.changes.iter().filter_map(|change| change.new.as_ref())
    }

    /// Returns whether each hook stands where one of the same id stood before.
    pub(super) fn keep_ids(&self) -> bool {
        self.changes.iter().all(|change| change.old.is_some() && change.new.is_some())
    }

    /// Returns for each event the changes of hooks that are called there, or were.
    pub(super) fn changes_by_event(&self) -> HashMap<&str, Vec<&Change>> {
        let mut events: HashMap<_, Vec<_>> = HashMap::new();
        for change in &self.changes {
            let called = [&change.old, &change.new].into_iter().flatten();
            let called = called.filter(|hook| hook.spec.mode != Mode::Off);
            let names: BTreeSet<_> = called
                .flat_map(|hook| hook.spec.events().iter().map(EventSelector::name))
                .collect();
            for name in names {
                events.entry(name).or_default().push(change);
            }
        }
        events
    }

    /// Returns where each hook is, and reports ids that are used twice.
    pub(super) fn ids(&self, errors: &mut Vec<BuildError>) -> Ids {
        self.index(None, 0, errors)
    }

    /// As [`Definitions::ids`], where hooks were only added to those of an earlier table, if that is so.
    pub(super) fn ids_over(&self, below: &Arc<Ids>, errors: &mut Vec<BuildError>) -> Ids {
        if self.changes.iter().any(|change| change.old.is_some()) {
            return self.ids(errors);
        }
        self.index(Some(below), self.all.len().saturating_sub(self.changes.len()), errors)
    }

    fn index(&self, below: Option<&Arc<Ids>>, from: usize, errors: &mut Vec<BuildError>) -> Ids {
        let mut own = HashMap::with_capacity(self.all.len() - from);
        for (index, hook) in self.all.iter().enumerate().skip(from) {
            let id = hook.spec.id();
            let is_known = below.is_some_and(|below| below.get(id).is_some());
            if own.insert(id.clone(), index).is_some() || is_known {
                errors.push(BuildError::of_hook(&hook.spec, "id", BuildProblem::DuplicateId));
            }
        }
        Ids { own, below: below.cloned() }
    }
}

impl HookSpec {
    /// Returns whether the hook is ordered against others.
    pub(super) fn is_ordered(&self) -> bool {
        !(self.after.is_empty() && self.before.is_empty() && self.needs.is_empty())
    }

    /// Returns whether a condition of the hook watches another hook, or asks which files are meant.
    pub(super) fn watches(&self) -> bool {
        !self.matcher.is_plain() && {
            let all = self.matcher.all_registered();
            let watches = |condition: &dyn Condition| {
                condition.watches().is_some() || condition.wants_files()
            };
            all.iter().any(|(built, _)| watches(&**built.condition()))
        }
    }

    /// Returns whether another hook in its place would have the same place among the hooks of its events.
    pub(super) fn has_place_of(&self, other: &Self) -> bool {
        (self.mode == Mode::Off) == (other.mode == Mode::Off)
            && self.priority == other.priority
            && self.after == other.after
            && self.before == other.before
            && self.needs == other.needs
            && self.required == other.required
            && self
                .events
                .iter()
                .map(EventSelector::name)
                .eq(other.events.iter().map(EventSelector::name))
    }
}
