//! A hook that stands in the place of another one, in the bucket of an event that is otherwise the same.
//!
//! This is what an edit of a config mostly is: other settings or conditions of one hook. Nothing else of the
//! event is looked at then.

use std::sync::Arc;

use crate::table::compiled_hook::CompiledHook;
use crate::table::definitions::Change;
use crate::table::watched::Watched;
use crate::table::{Bucket, Limits};

/// How many hooks are exchanged one by one. For more of them the event is compiled anew, which is one pass over
/// its hooks.
const MOST: usize = 32;

/// Returns the bucket of an event in a table to be, if its hooks are those of the earlier bucket, or others
/// in their places; `None` if the event must be compiled anew, which also reports what is wrong.
pub(super) fn exchanged(
    event: &str,
    earlier: &Arc<Bucket>,
    changes: &[&Change],
    watched: &Watched,
    limits: &Limits,
) -> Option<Arc<Bucket>> {
    if changes.len() > MOST {
        return None;
    }
    let mut exchanges = Vec::with_capacity(changes.len());
    for change in changes {
        let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
        if !new.spec.has_place_of(&old.spec) {
            return None;
        }
        let is_old = |hook: &Arc<CompiledHook>| Arc::ptr_eq(&hook.definition, old);
        let position = earlier.entries.iter().position(is_old)?;
        let mut events = new.spec.events().iter().enumerate();
        let (index, selector) = events.find(|(_, selector)| selector.name() == event)?;
        let mut errors = Vec::new();
        let hook = CompiledHook::new(new, index, selector, earlier.contract, limits, &mut errors)
            .watched_by(watched.of(new.spec.id()))
            .grouped_as(earlier.entries.get(position)?)?;
        if !errors.is_empty() {
            return None;
        }
        exchanges.push((position, Arc::new(hook)));
    }
    if exchanges.is_empty() {
        return Some(Arc::clone(earlier));
    }
    earlier.exchange(exchanges).map(Arc::new).ok()
}
