//! A hook whose patterns are compiled, shared between its events and between tables.
//!
//! Compiling regular expressions is the expensive part of building a table, so it is done once for
//! a hook. Tables that are made from an earlier one share the definitions of hooks that have not
//! changed, together with their counters: a swap does not reset how often a hook has failed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use hookgate_contract::FailureClass;

use super::build_error::{BuildError, BuildProblem};
use super::spec::HookSpec;
use crate::matcher::{Conditions, MatchSpec, ToolPatterns};

/// A hook whose patterns are compiled. Everything that depends on the event or on the limits of a
/// table is in [`CompiledHook`](super::compiled_hook::CompiledHook) instead, so that a change of
/// either does not compile the patterns again.
#[derive(Debug)]
pub(crate) struct HookDefinition {
    pub(crate) spec: Arc<HookSpec>,
    pub(crate) patterns: ToolPatterns,
    /// The conditions at all events that are not among the following.
    conditions: Arc<Conditions>,
    /// The conditions at events of the specification, by their index, whose alias adds one of its own.
    at_aliases: BTreeMap<usize, Arc<Conditions>>,
    /// How often the hook failed, by class: made when it first does.
    failures: OnceLock<Box<[AtomicU64; FailureClass::COUNT]>>,
    /// How many of its background calls were dropped.
    dropped: AtomicU64,
    /// How many of its background calls were to be recorded, and there was no queue.
    unrecorded: AtomicU64,
}

impl HookDefinition {
    /// Compiles the patterns of a hook, and reports those that cannot be compiled.
    pub(crate) fn new(spec: Arc<HookSpec>, errors: &mut Vec<BuildError>) -> Self {
        let mut found = Vec::new();
        let patterns = ToolPatterns::compile(spec.matcher(), &mut found);
        let conditions = Conditions::compile(spec.matcher(), &mut found).shared();
        let aliases = spec.events().iter().enumerate().filter_map(|(index, selector)| {
            let only = selector.only.clone()?;
            let mut matcher = MatchSpec::clone(spec.matcher());
            matcher.payload.push(only);
            // What is wrong with the rest was reported above.
            Some((index, Conditions::compile(&matcher, &mut Vec::new()).shared()))
        });
        let at_aliases = aliases.collect();
        let found = found.into_iter();
        errors.extend(
            found.map(|(key, error)| BuildError::of_hook(&spec, key, BuildProblem::Match(error))),
        );
        Self {
            spec,
            patterns,
            conditions,
            at_aliases,
            failures: OnceLock::new(),
            dropped: AtomicU64::new(0),
            unrecorded: AtomicU64::new(0),
        }
    }

    /// Returns the conditions at one of the events, by its index in the specification.
    pub(super) fn conditions_at(&self, event_index: usize) -> Arc<Conditions> {
        Arc::clone(self.at_aliases.get(&event_index).unwrap_or(&self.conditions))
    }

    /// Counts a background call that was dropped, and returns how many there are with it.
    pub(crate) fn count_dropped(&self) -> u64 {
        // ORDERING: as for the failures.
        self.dropped.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts a background call that is not recorded, and returns how many there are with it.
    pub(crate) fn count_unrecorded(&self) -> u64 {
        // ORDERING: as for the failures.
        self.unrecorded.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts a failure.
    pub(crate) fn count_failure(&self, class: FailureClass) {
        let failures = self.failures.get_or_init(Box::default);
        if let Some(counter) = failures.get(class.index()) {
            // ORDERING: a statistic; no reader relies on other memory because of it.
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns how often the hook has failed in a way.
    pub(crate) fn failures(&self, class: FailureClass) -> u64 {
        let counter = self.failures.get().and_then(|failures| failures.get(class.index()));
        counter.map_or(0, |counter| counter.load(Ordering::Relaxed))
    }
}
