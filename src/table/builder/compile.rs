//! From declared hooks to a table, reporting everything that is wrong.
//!
//! 1. The patterns of each new hook are compiled; hooks of an earlier table keep theirs.
//! 2. Ids, events and dependencies are checked over all hooks.
//! 3. For each event its hooks are resolved (role, postures, deadline), ordered, grouped, and their
//!    patterns for names are joined. Events that no change has touched keep their bucket.
//! 4. What is required is compared with what is there.
//!
//! A table results only if nothing is wrong. So the work of an edit is that of the events that it
//! touches, plus a pass over the ids.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use hookgate_contract::{Contract, Event, Mode};

use super::{Declared, TableBuilder};
use crate::table::build_error::{BuildError, BuildErrors, BuildProblem};
use crate::table::check::{
    Disorder, check_contracts, check_dependencies, check_ids, check_limits, check_order,
};
use crate::table::compiled_hook::CompiledHook;
use crate::table::contracts::contract_of;
use crate::table::definition::HookDefinition;
use crate::table::event_selector::EventSelector;
use crate::table::groups::number_groups;
use crate::table::order::{Orderable, in_order};
use crate::table::required::resolve_required;
use crate::table::watched::Watched;
use crate::table::{Bucket, HandlerTable, Limits};

impl TableBuilder {
    /// Compiles the table. The builder stays as it is, so it can be changed and built again.
    ///
    /// # Errors
    /// Everything that is wrong with any hook, in no particular order.
    pub fn build(&self) -> Result<HandlerTable, BuildErrors> {
        let mut errors = Vec::new();
        check_limits(&self.limits, &mut errors);
        let hooks = self.definitions(&mut errors);
        check_ids(&hooks, &mut errors);
        check_dependencies(&hooks, &mut errors);
        if !self.unknown_contracts {
            check_contracts(&hooks, &self.contracts, &mut errors);
        }

        let mut table = HandlerTable {
            contracts: self.contracts.clone(),
            unknown_contracts: self.unknown_contracts,
            limits: self.limits.clone(),
            hash: OnceLock::new(),
            sections: self.sections.clone(),
            require: self.require.clone(),
            lowers: self.lowers,
            recorded: false,
            ..HandlerTable::default()
        };
        check_disabled(&hooks, &table, &mut errors);
        let watched = Watched::find(&hooks, &mut errors);
        self.fill_buckets(&hooks, &watched, &mut table, &mut errors);
        table.hooks = hooks;
        let mut required = resolve_required(&table, &table.require, &self.required, &mut errors);
        if !self.lowers {
            required.extend(&self.required);
        }
        table.required = Arc::new(required);
        if errors.is_empty() { Ok(table) } else { Err(BuildErrors::new(errors)) }
    }

    /// Returns the compiled hooks; those of an earlier table are shared with it.
    fn definitions(&self, errors: &mut Vec<BuildError>) -> Vec<Arc<HookDefinition>> {
        let declared = self.hooks.iter().flatten();
        declared
            .map(|declared| match declared {
                Declared::Compiled(hook) => Arc::clone(hook),
                Declared::New(spec) => Arc::new(HookDefinition::new(spec.as_ref().clone(), errors)),
            })
            .collect()
    }

    /// Compiles the hooks of each event; events whose hooks have not changed keep their bucket.
    fn fill_buckets(
        &self,
        hooks: &[Arc<HookDefinition>],
        watched: &Watched,
        table: &mut HandlerTable,
        errors: &mut Vec<BuildError>,
    ) {
        let mut reported = HashSet::new();
        for (name, members) in by_event(hooks) {
            let earlier = self.base.as_ref().filter(|_| !self.touched.contains(name));
            let kept = earlier.and_then(|base| base.bucket_of(name));
            // A hook of another event may watch these now, or not any more.
            let same = |hook: &CompiledHook| hook.is_watched_by(&watched.of(hook.id()));
            let kept = kept.filter(|bucket| bucket.entries.iter().all(same));
            // The deny for a missing guard is compiled anew, if the guard is still missing.
            let bucket = match kept.filter(|bucket| !bucket.last_resort) {
                Some(bucket) => Arc::clone(bucket),
                None => {
                    let contract = contract_of(&table.contracts, name);
                    match bucket(contract, &members, watched, &table.limits, &mut reported, errors)
                    {
                        Some(bucket) => Arc::new(bucket),
                        None => continue,
                    }
                }
            };
            table.put_bucket(name, bucket);
        }
    }
}

/// A hook at one of its events: the hook, the index of the event in it, the event.
type Member<'a> = (&'a Arc<HookDefinition>, usize, &'a EventSelector);

/// Returns the hooks of each event in the order of declaration, those that are off excepted.
fn by_event(hooks: &[Arc<HookDefinition>]) -> BTreeMap<&str, Vec<Member<'_>>> {
    let mut events: BTreeMap<&str, Vec<Member<'_>>> = BTreeMap::new();
    for hook in hooks.iter().filter(|hook| hook.spec.mode != Mode::Off) {
        for (index, selector) in hook.spec.events().iter().enumerate() {
            events.entry(selector.name()).or_default().push((hook, index, selector));
        }
    }
    events
}

/// Checks the hooks that are off: they are called nowhere, but a mistake in one should be reported
/// before it is switched on.
fn check_disabled(
    hooks: &[Arc<HookDefinition>],
    table: &HandlerTable,
    errors: &mut Vec<BuildError>,
) {
    for hook in hooks.iter().filter(|hook| hook.spec.mode == Mode::Off) {
        for (index, selector) in hook.spec.events().iter().enumerate() {
            let contract = contract_of(&table.contracts, selector.name());
            let _ = CompiledHook::new(hook, index, selector, contract, &table.limits, errors);
        }
    }
}

/// Orders and compiles the hooks of one event.
fn bucket(
    contract: &'static Contract,
    members: &[Member<'_>],
    watched: &Watched,
    limits: &Limits,
    reported: &mut HashSet<Disorder>,
    errors: &mut Vec<BuildError>,
) -> Option<Bucket> {
    let orderable: Vec<_> = members
        .iter()
        .map(|(hook, ..)| Orderable {
            id: hook.spec.id(),
            priority: hook.spec.priority,
            after: &hook.spec.after,
            before: &hook.spec.before,
        })
        .collect();
    let order = match in_order(&orderable) {
        Ok(order) => order,
        Err(circle) => {
            let first = members
                .iter()
                .find(|(hook, ..)| circle.first().is_some_and(|id| hook.spec.id() == id));
            let problem = BuildProblem::Cycle(circle);
            errors
                .extend(first.map(|(hook, ..)| BuildError::of_hook(&hook.spec, "after", problem)));
            return None;
        }
    };
    let mut hooks: Vec<CompiledHook> = order
        .into_iter()
        .filter_map(|index| members.get(index))
        .map(|(hook, index, selector)| {
            CompiledHook::new(hook, *index, selector, contract, limits, errors)
                .watched_by(watched.of(hook.spec.id()))
        })
        .collect();
    check_order(&hooks, reported, errors);
    number_groups(&mut hooks);
    match Bucket::new(contract, hooks) {
        Ok(bucket) => Some(bucket),
        Err(error) => {
            let problem = BuildProblem::Match(error);
            let first = members.first();
            errors.extend(
                first.map(|(hook, ..)| BuildError::of_hook(&hook.spec, "tool_regex", problem)),
            );
            None
        }
    }
}

impl HandlerTable {
    /// Puts the hooks of an event into the table, and arms the event.
    pub(in crate::table) fn put_bucket(&mut self, event: &str, bucket: Arc<Bucket>) {
        let known = Event::from_name(event).unwrap_or(Event::Custom);
        self.armed |= known.bit();
        match self.buckets.get_mut(known.index()) {
            Some(slot) if known != Event::Custom => *slot = Some(bucket),
            _ => {
                self.custom.insert(event.to_owned(), bucket);
            }
        }
    }
}
