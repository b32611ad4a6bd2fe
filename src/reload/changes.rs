//! What differs between two tables.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::hook_id::HookId;
use crate::table::{HandlerTable, HookSpec};

/// How many hooks of each sort a text names.
const NAMED: usize = 8;

/// Which hooks one table has and another has not, each by its id and in the order of ids.
///
/// What belongs to no hook, such as `[limits]`, is not in it: two tables can differ without it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Hooks that are new.
    pub added: Vec<HookId>,
    /// Hooks that are gone.
    pub removed: Vec<HookId>,
    /// Hooks that are made of something else than before: their text, a script, a program.
    pub changed: Vec<HookId>,
}

impl Changes {
    /// Compares a table with one before it.
    pub(super) fn between(before: &HandlerTable, after: &HandlerTable) -> Self {
        let by_id = |table| -> BTreeMap<&HookId, &HookSpec> {
            HandlerTable::specs(table).map(|spec| (spec.id(), spec)).collect()
        };
        let (before, after) = (by_id(before), by_id(after));
        let mut changes = Self::default();
        for (id, spec) in &after {
            match before.get(id) {
                None => changes.added.push((*id).clone()),
                Some(was) if !spec.is_same_as(was) => changes.changed.push((*id).clone()),
                Some(_) => {}
            }
        }
        let removed = before.keys().filter(|id| !after.contains_key(*id));
        changes.removed = removed.map(|id| (*id).clone()).collect();
        changes
    }

    /// Returns whether both tables have the same hooks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

impl fmt::Display for Changes {
    /// Writes `added a, b; removed c`; of many hooks the first few.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups =
            [("added", &self.added), ("removed", &self.removed), ("changed", &self.changed)];
        let mut separator = "";
        for (what, ids) in groups.into_iter().filter(|(_, ids)| !ids.is_empty()) {
            let named: Vec<&str> = ids.iter().take(NAMED).map(HookId::as_str).collect();
            write!(f, "{separator}{what} {}", named.join(", "))?;
            match ids.len().saturating_sub(NAMED) {
                0 => {}
                more => write!(f, " and {more} more")?,
            }
            separator = "; ";
        }
        Ok(())
    }
}
