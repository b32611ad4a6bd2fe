//! In which generation the hooks of an event last changed.
//!
//! A clearance, an approval or a permit is the word of the hooks that gave it. It holds as long as these are in
//! force: a swap that changes nothing at the event takes nothing back, and one that does takes back all that
//! was given there before. So a table notes, when it is put in force in place of another one, at which events
//! its hooks are not the same.
//!
//! Two hooks are the same if they have the same config and run the same code; what is a closure of the host is
//! known by nothing but itself. That a hook is new, gone, in another place or under other limits is a change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hookgate_contract::Handler;

use super::compiled_hook::CompiledHook;
use super::{Bucket, HandlerTable, HookSpec};
use crate::log;

/// The generations in which the hooks of events changed, by the name of the event. One that is not there has
/// had the same hooks since the first table.
pub(super) type LastChanges = BTreeMap<String, u64>;

impl HandlerTable {
    /// Notes what is not the same as in the table before, as a change of generation `next`.
    pub(super) fn note_changes(&mut self, before: &Self, next: u64) {
        let mut last = before.last_changes.clone();
        let limits_changed = self.limits != before.limits;
        let events: BTreeSet<&str> =
            self.named_buckets().chain(before.named_buckets()).map(|(event, _)| event).collect();
        for event in events {
            let (old, new) = (before.bucket_of(event), self.bucket_of(event));
            if limits_changed || !are_same(old, new) {
                last.insert(event.to_owned(), next);
            }
        }
        self.last_changes = last;
        self.tell_redefined(before);
    }

    /// Logs which hooks that are required, and were in force before, are not what they were: a hook is required by
    /// its id, and one of the same id may do nothing.
    fn tell_redefined(&self, before: &Self) {
        let required = self.required.iter().flat_map(|(_, need)| &need.hooks);
        let ids: BTreeSet<&str> = required.map(|hook| hook.id.as_str()).collect();
        for id in ids {
            let [old, new] = [before, self].map(|table| table.specs().find(|spec| spec.id() == id));
            let is_redefined = old.zip(new).is_some_and(|(old, new)| {
                old.definition_hash() != new.definition_hash() || !is_same_code(old, new)
            });
            if is_redefined {
                log::required_hook_redefined(id);
            }
        }
    }

    /// Returns whether the hooks of an event are others than in the table of an earlier generation.
    pub(crate) fn has_changed_since(&self, event: &str, generation: u64) -> bool {
        self.last_changes.get(event).is_some_and(|changed| *changed > generation)
    }
}

fn are_same(old: Option<&Arc<Bucket>>, new: Option<&Arc<Bucket>>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return old.is_none() && new.is_none() };
    if Arc::ptr_eq(old, new) {
        return true;
    }
    let same = |(old, new): (&Arc<CompiledHook>, &Arc<CompiledHook>)| {
        let (old, new) = (&old.definition, &new.definition);
        Arc::ptr_eq(old, new)
            || (is_same_code(&old.spec, &new.spec) && old.spec.is_same_as(&new.spec))
    };
    old.contract.has_rules_of(new.contract)
        && old.entries.len() == new.entries.len()
        && old.entries.iter().zip(new.entries.iter()).all(same)
}

/// Returns whether two hooks have the same handler, as far as their configs do not say it: a handler that no kind
/// has built is a closure of the host, and so is a layer.
fn is_same_code(old: &HookSpec, new: &HookSpec) -> bool {
    let is_closure = |spec: &HookSpec| spec.is_closure() || spec.layers() > 0;
    if !is_closure(old) && !is_closure(new) {
        return true;
    }
    match (&old.built().handler, &new.built().handler) {
        (Handler::Sync(old), Handler::Sync(new)) => Arc::ptr_eq(old, new),
        (Handler::Async(old), Handler::Async(new)) => Arc::ptr_eq(old, new),
        _ => false,
    }
}
