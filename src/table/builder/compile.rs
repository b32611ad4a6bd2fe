//! From declared hooks to a table, reporting everything that is wrong.
//!
//! 1. The patterns of each new hook are compiled; hooks of an earlier table keep theirs.
//! 2. Ids, events and dependencies are checked: of the new hooks, and of all where they depend on others.
//! 3. For each event its hooks are resolved (role, postures, deadline), ordered, grouped, and their
//!    patterns for names are joined. Events that no change has touched keep their bucket, and one in which
//!    hooks were only exchanged keeps all but these (`exchange.rs`).
//! 4. What is required is compared with what is there.
//!
//! A table results only if nothing is wrong. So an edit that exchanges a hook costs what that hook costs;
//! one that adds or removes a hook costs a pass over the ids, and over the hooks of its events.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use hookgate_contract::{Contract, Event, Mode};

use super::TableBuilder;
use super::exchange::exchanged;
use crate::table::build_error::{BuildError, BuildErrors, BuildProblem, CONTRACTS};
use crate::table::check::{
    Disorder, check_contracts, check_dependencies, check_ids, check_limits, check_order,
};
use crate::table::compiled_hook::CompiledHook;
use crate::table::contracts::contract_of;
use crate::table::definition::HookDefinition;
use crate::table::definitions::{Change, Definitions};
use crate::table::dependencies::{Needed, check_needs, link_dependencies};
use crate::table::event_selector::EventSelector;
use crate::table::groups::number_groups;
use crate::table::order::{Orderable, in_order};
use crate::table::required::resolve_required;
use crate::table::spec::HookSpec;
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
        check_ids(hooks.new_ones(), &mut errors);
        let base = self.base.as_deref();
        let ids = match base.filter(|_| hooks.keep_ids()) {
            Some(base) => Arc::clone(&base.ids),
            None => Arc::new(match base.filter(|_| self.is_of_scope) {
                Some(base) => hooks.ids_over(&base.ids, &mut errors),
                None => hooks.ids(&mut errors),
            }),
        };
        let any_new = |is: fn(&HookSpec) -> bool| hooks.new_ones().any(|hook| is(&hook.spec));
        let mut table = HandlerTable {
            contracts: self.contracts.clone(),
            unknown_contracts: self.unknown_contracts,
            limits: Arc::clone(&self.limits),
            sections: Arc::clone(&self.sections),
            require: self.require.clone(),
            lowers: self.lowers,
            ids,
            ordered: base.is_some_and(|base| base.ordered) || any_new(HookSpec::is_ordered),
            watching: base.is_some_and(|base| base.watching) || any_new(HookSpec::watches),
            ..HandlerTable::empty()
        };
        if table.ordered {
            check_dependencies(&hooks.all, &mut errors);
            check_needs(&hooks.all, &mut errors);
        }
        for event in &self.two_contracts {
            let problem = BuildProblem::TwoContracts(event);
            errors.push(BuildError::new("", CONTRACTS, None, problem));
        }
        if !self.unknown_contracts {
            check_contracts(hooks.new_ones(), &self.contracts, &mut errors);
        }
        if self.recompiles {
            check_disabled(hooks.all.iter(), &table, &mut errors);
        } else {
            check_disabled(hooks.new_ones(), &table, &mut errors);
        }
        let watched = if table.watching {
            Watched::find(&hooks.all, &mut errors)
        } else {
            Watched::default()
        };
        let needed = if table.ordered { Needed::find(&hooks.all) } else { Needed::default() };
        self.fill_buckets(&hooks, (&watched, &needed), &mut table, &mut errors);
        table.hooks = hooks.all;
        let mut required = resolve_required(&table, &table.require, &self.required, &mut errors);
        if !self.lowers {
            required.extend(&self.required);
        }
        table.required = Arc::new(required);
        if errors.is_empty() { Ok(table) } else { Err(BuildErrors::new(errors)) }
    }

    /// Returns the compiled hooks; those of an earlier table are shared with it.
    fn definitions(&self, errors: &mut Vec<BuildError>) -> Definitions {
        let mut all = self.base.as_ref().map(|base| base.hooks.clone()).unwrap_or_default();
        let mut compile =
            |spec: &Arc<HookSpec>| Arc::new(HookDefinition::new(Arc::clone(spec), errors));
        let mut changes = Vec::with_capacity(self.changed.len() + self.added.len());
        for (&index, spec) in &self.changed {
            let old = all.get(index).cloned();
            let new = spec.as_ref().map(&mut compile);
            if let Some(new) = &new {
                all.set(index, Arc::clone(new));
            }
            changes.push(Change { old, new });
        }
        let removed = |index: &usize| matches!(self.changed.get(index), Some(None));
        if changes.iter().any(|change| change.new.is_none()) {
            let kept = all.iter().enumerate().filter(|(index, _)| !removed(index));
            all = kept.map(|(_, hook)| Arc::clone(hook)).collect();
        }
        for new in self.added.iter().flatten().map(&mut compile) {
            all.push(Arc::clone(&new));
            changes.push(Change { old: None, new: Some(new) });
        }
        Definitions { all, changes }
    }

    /// Compiles the hooks of each event; events whose hooks have not changed keep their bucket.
    fn fill_buckets(
        &self,
        hooks: &Definitions,
        (watched, needed): (&Watched, &Needed),
        table: &mut HandlerTable,
        errors: &mut Vec<BuildError>,
    ) {
        let base = self.base.as_deref().filter(|_| !self.recompiles);
        let changes = base.map(|_| hooks.changes_by_event()).unwrap_or_default();
        let mut done = BTreeSet::new();
        let mut all_kept = base.is_some();
        for (name, earlier) in base.iter().flat_map(|base| base.named_buckets()) {
            let same = |hook: &Arc<CompiledHook>| hook.is_watched_by(&watched.of(hook.id()));
            // The deny for a missing guard is compiled anew, if the guard is still missing. A hook of
            // another event may watch these now, or not any more.
            let notes = |hook: &Arc<CompiledHook>| needed.are_noted(hook);
            let kept = if !earlier.last_resort
                && (!table.watching || earlier.entries.iter().all(same))
                && (!table.ordered || earlier.entries.iter().all(notes))
            {
                let changes = changes.get(name).map_or(&[][..], Vec::as_slice);
                exchanged(name, earlier, changes, watched, &table.limits)
            } else {
                None
            };
            match kept {
                Some(bucket) => {
                    table.put_bucket(name, bucket);
                    done.insert(name);
                }
                None => all_kept = false,
            }
        }
        let is_done = |hook: &&Arc<HookDefinition>| {
            let mut events = hook.spec.events().iter();
            hook.spec.mode == Mode::Off || events.all(|on| done.contains(on.name()))
        };
        if all_kept && hooks.new_ones().all(|hook| is_done(&hook)) {
            return;
        }
        let mut reported = HashSet::new();
        for (name, members) in by_event(hooks, &done) {
            let earlier = base.and_then(|base| base.bucket_of(name));
            let earlier = earlier.map(|bucket| &**bucket);
            let contract = contract_of(&table.contracts, name);
            let limits = &table.limits;
            let compiled = bucket(
                contract,
                &members,
                earlier,
                (watched, needed),
                limits,
                &mut reported,
                errors,
            );
            if let Some(bucket) = compiled {
                let bucket = if self.is_of_scope { bucket.remembering_few() } else { bucket };
                table.put_bucket(name, Arc::new(bucket));
            }
        }
    }
}

/// A hook at one of its events: the hook, the index of the event in it, the event.
type Member<'a> = (&'a Arc<HookDefinition>, usize, &'a EventSelector);

/// Returns the hooks of each event that is not done, in the order of declaration, those that are off
/// excepted.
fn by_event<'h>(
    hooks: &'h Definitions,
    done: &BTreeSet<&str>,
) -> BTreeMap<&'h str, Vec<Member<'h>>> {
    let mut events: BTreeMap<&str, Vec<Member<'_>>> = BTreeMap::new();
    for hook in hooks.all.iter().filter(|hook| hook.spec.mode != Mode::Off) {
        for (index, selector) in hook.spec.events().iter().enumerate() {
            if !done.contains(selector.name()) {
                events.entry(selector.name()).or_default().push((hook, index, selector));
            }
        }
    }
    events
}

/// Checks the hooks that are off: they are called nowhere, but a mistake in one should be reported
/// before it is switched on.
fn check_disabled<'h>(
    hooks: impl Iterator<Item = &'h Arc<HookDefinition>>,
    table: &HandlerTable,
    errors: &mut Vec<BuildError>,
) {
    for hook in hooks.filter(|hook| hook.spec.mode == Mode::Off) {
        for (index, selector) in hook.spec.events().iter().enumerate() {
            let contract = contract_of(&table.contracts, selector.name());
            let _ = CompiledHook::new(hook, index, selector, contract, &table.limits, errors);
        }
    }
}

/// Orders and compiles the hooks of one event. Those that an earlier bucket has too are shared with it.
fn bucket(
    contract: &'static Contract,
    members: &[Member<'_>],
    earlier: Option<&Bucket>,
    (watched, needed): (&Watched, &Needed),
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
            needs: &hook.spec.needs,
        })
        .collect();
    let order = match in_order(&orderable) {
        Ok(order) => order,
        Err(circle) => {
            let first = members
                .iter()
                .find(|(hook, ..)| circle.first().is_some_and(|id| hook.spec.id() == id));
            let problem = BuildProblem::Cycle(circle);
            let key = |spec: &HookSpec| {
                if spec.after.is_empty() && !spec.needs.is_empty() { "needs" } else { "after" }
            };
            let error =
                |(hook, ..): &Member<'_>| BuildError::of_hook(&hook.spec, key(&hook.spec), problem);
            errors.extend(first.map(error));
            return None;
        }
    };
    let mut compiled = HashMap::with_capacity(earlier.map_or(0, |bucket| bucket.entries.len()));
    let earlier = earlier.into_iter().flat_map(|bucket| bucket.entries.iter());
    compiled.extend(earlier.map(|hook| (Arc::as_ptr(&hook.definition), hook)));
    let in_order = order.into_iter().filter_map(|index| members.get(index));
    let hooks = in_order.map(|(hook, index, selector)| {
        let watchers = watched.of(hook.spec.id());
        let same = compiled.get(&Arc::as_ptr(hook));
        match same.filter(|earlier| earlier.is_watched_by(&watchers)) {
            Some(earlier) => Arc::clone(earlier),
            None => {
                let hook = CompiledHook::new(hook, *index, selector, contract, limits, errors);
                Arc::new(hook.watched_by(watchers))
            }
        }
    });
    let mut hooks: Vec<Arc<CompiledHook>> = hooks.collect();
    check_order(&hooks, reported, errors);
    number_groups(&mut hooks);
    link_dependencies(&mut hooks, needed);
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
        self.early = OnceLock::new();
        self.armed |= known.bit();
        match self.buckets.get_mut(known.index()) {
            Some(slot) if known != Event::Custom => *slot = Some(bucket),
            _ => {
                self.custom.insert(event.to_owned(), bucket);
            }
        }
    }
}
