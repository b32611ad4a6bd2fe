//! From declared hooks to a table, reporting everything that is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Arc, OnceLock};

use hookgate_contract::contract::CUSTOM;
use hookgate_contract::{Contract, Event, Mode, Role};

use super::check::{
    Disorder, check_contracts, check_dependencies, check_ids, check_limits, check_order,
};
use super::entry::{CompiledHook, HookDefinition};
use super::last_resort::resolve as resolve_required;
use super::on::EventSelector;
use super::order::{Orderable, resolve};
use super::problem::{BuildError, BuildErrors, BuildProblem};
use super::spec::HookSpec;
use super::{Bucket, HandlerTable, Limits};
use crate::require::{Require, Required};

/// Collects hooks and makes a table of them.
///
/// Started from a table, it compiles only the hooks that are new and only the buckets that they
/// touch.
#[derive(Default)]
pub struct TableBuilder {
    base: Option<Arc<HandlerTable>>,
    /// The hooks in the order of declaration; none where one was taken away.
    hooks: Vec<Option<Item>>,
    /// The places of each id, made when a hook is first looked for. That an id stands twice is an
    /// error only when the table is built.
    places: Option<HashMap<String, VecDeque<usize>>>,
    contracts: BTreeMap<String, &'static Contract>,
    limits: Limits,
    touched: BTreeSet<String>,
    unknown_contracts: bool,
    require: Require,
    required: Arc<Required>,
    lowers: bool,
}

enum Item {
    HookDefinition(Arc<HookDefinition>),
    New(Box<HookSpec>),
}

impl Item {
    fn spec(&self) -> &HookSpec {
        match self {
            Self::HookDefinition(hook) => &hook.spec,
            Self::New(spec) => spec,
        }
    }
}

impl TableBuilder {
    /// A builder with the hooks of a table.
    #[must_use]
    pub fn from_table(table: &Arc<HandlerTable>) -> Self {
        Self {
            hooks: table
                .hooks
                .iter()
                .map(|hook| Some(Item::HookDefinition(Arc::clone(hook))))
                .collect(),
            places: None,
            contracts: table.contracts.clone(),
            limits: table.limits.clone(),
            touched: BTreeSet::new(),
            unknown_contracts: table.unknown_contracts,
            require: table.require.clone(),
            required: Arc::clone(&table.required),
            lowers: false,
            base: Some(Arc::clone(table)),
        }
    }

    /// Adds a hook.
    #[must_use]
    pub fn insert(mut self, hook: HookSpec) -> Self {
        self.add(hook);
        self
    }

    /// Adds a hook.
    pub fn add(&mut self, hook: HookSpec) -> &mut Self {
        self.touch(&hook);
        if let Some(places) = &mut self.places {
            places.entry(hook.id().to_string()).or_default().push_back(self.hooks.len());
        }
        self.hooks.push(Some(Item::New(Box::new(hook))));
        self
    }

    /// Puts a hook in the place of the one with the same id, or adds it.
    pub fn replace(&mut self, hook: HookSpec) -> &mut Self {
        let Some(place) = self.place_of(hook.id()) else {
            return self.add(hook);
        };
        self.touch(&hook);
        let new = Item::New(Box::new(hook));
        if let Some(old) = self.hooks.get_mut(place).and_then(|slot| slot.replace(new)) {
            self.touch(old.spec());
        }
        self
    }

    /// Takes a hook away; tells whether there was one.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(place) = self.place_of(id) else {
            return false;
        };
        let Some(old) = self.hooks.get_mut(place).and_then(Option::take) else { return false };
        self.touch(old.spec());
        if let Some(places) = self.places.as_mut().and_then(|places| places.get_mut(id)) {
            places.pop_front();
        }
        true
    }

    fn place_of(&mut self, id: &str) -> Option<usize> {
        let places = self.places.get_or_insert_with(|| {
            let mut places: HashMap<_, VecDeque<_>> = HashMap::new();
            for (place, item) in self.hooks.iter().enumerate() {
                if let Some(item) = item {
                    places.entry(item.spec().id().to_string()).or_default().push_back(place);
                }
            }
            places
        });
        places.get(id)?.front().copied()
    }

    /// The hooks so far, in the order in which they were declared.
    pub fn specs(&self) -> impl Iterator<Item = &HookSpec> {
        self.hooks.iter().flatten().map(Item::spec)
    }

    /// Sets the bounds and defaults.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        if self.limits != limits {
            self.limits = limits;
            // Deadlines stand in the buckets.
            self.base = None;
        }
        self
    }

    /// Makes the contract of an event of the embedder known.
    #[must_use]
    pub fn contract(mut self, contract: &'static Contract) -> Self {
        self.contracts.insert(contract.name.to_owned(), contract);
        self.touched.insert(contract.name.to_owned());
        self
    }

    /// Takes events `x.<name>` whose contract is not known for gates where all may be said. The
    /// contract of a step counts when it is judged, so nothing passes that its type does not have.
    #[must_use]
    pub const fn allow_unknown_contracts(mut self) -> Self {
        self.unknown_contracts = true;
        self
    }

    /// Requires events and hooks to be guarded, in every engine that the table is put in force in,
    /// and by every table after it: see [`Require`].
    #[must_use]
    pub fn require(mut self, require: Require) -> Self {
        self.require.extend(require);
        self
    }

    /// Requires this and nothing else.
    pub(crate) fn require_only(mut self, require: Require) -> Self {
        self.require = require;
        self.lowers = true;
        self
    }

    fn touch(&mut self, hook: &HookSpec) {
        self.touched.extend(hook.events().iter().map(|on| on.name().to_owned()));
    }

    /// Compiles the table.
    ///
    /// # Errors
    /// Everything that is wrong with any hook.
    pub fn build(self) -> Result<HandlerTable, BuildErrors> {
        let mut errors = Vec::new();
        check_limits(&self.limits, &mut errors);
        let base = self.base;
        let hooks: Vec<Arc<HookDefinition>> = self
            .hooks
            .into_iter()
            .flatten()
            .map(|item| match item {
                Item::HookDefinition(hook) => hook,
                Item::New(spec) => Arc::new(HookDefinition::new(*spec, &mut errors)),
            })
            .collect();
        check_ids(&hooks, &mut errors);
        check_dependencies(&hooks, &mut errors);
        if !self.unknown_contracts {
            check_contracts(&hooks, &self.contracts, &mut errors);
        }

        let mut table = HandlerTable {
            contracts: self.contracts,
            unknown_contracts: self.unknown_contracts,
            limits: self.limits,
            hash: OnceLock::new(),
            require: self.require,
            lowers: self.lowers,
            ..HandlerTable::default()
        };
        for hook in hooks.iter().filter(|hook| hook.spec.mode == Mode::Off) {
            // It is asked nowhere, but what is wrong with it is told before it is switched on.
            for (place, on) in hook.spec.events().iter().enumerate() {
                let contract = contract_of(&table.contracts, on.name());
                let _ = CompiledHook::new(hook, place, on, contract, &table.limits, &mut errors);
            }
        }
        let mut told = HashSet::new();
        for (name, members) in by_event(&hooks) {
            let event = Event::from_name(name).unwrap_or(Event::Custom);
            let kept =
                base.as_ref().filter(|_| !self.touched.contains(name)).and_then(
                    |base| match event {
                        Event::Custom => base.custom.get(name),
                        event => base.buckets.get(event.index())?.as_ref(),
                    },
                );
            // A deny in the place of a missing guard is compiled anew, if it is still missing.
            let bucket = match kept.filter(|bucket| !bucket.last_resort) {
                Some(bucket) => Arc::clone(bucket),
                None => {
                    let contract = contract_of(&table.contracts, name);
                    match bucket(contract, &members, &table.limits, &mut told, &mut errors) {
                        Some(bucket) => Arc::new(bucket),
                        None => continue,
                    }
                }
            };
            table.armed |= event.bit();
            match table.buckets.get_mut(event.index()) {
                Some(slot) if event != Event::Custom => *slot = Some(bucket),
                _ => {
                    table.custom.insert(name.to_owned(), bucket);
                }
            }
        }
        table.hooks = hooks;
        let mut required = resolve_required(&table, &table.require, &self.required, &mut errors);
        if !self.lowers {
            required.extend(&self.required);
        }
        table.required = Arc::new(required);
        if errors.is_empty() { Ok(table) } else { Err(BuildErrors(errors)) }
    }
}

pub(super) fn contract_of(
    contracts: &BTreeMap<String, &'static Contract>,
    name: &str,
) -> &'static Contract {
    match Event::from_name(name) {
        Some(event) if event != Event::Custom => event.contract(),
        _ => contracts.get(name).copied().unwrap_or(&CUSTOM),
    }
}

/// A hook at one of its events: the hook, which of its events, the event.
type Member<'a> = (&'a Arc<HookDefinition>, usize, &'a EventSelector);

/// The hooks of each event, those that are off excepted, in the order of declaration.
fn by_event(hooks: &[Arc<HookDefinition>]) -> BTreeMap<&str, Vec<Member<'_>>> {
    let mut events: BTreeMap<&str, Vec<Member<'_>>> = BTreeMap::new();
    for hook in hooks.iter().filter(|hook| hook.spec.mode != Mode::Off) {
        for (place, on) in hook.spec.events().iter().enumerate() {
            events.entry(on.name()).or_default().push((hook, place, on));
        }
    }
    events
}

/// Orders and compiles the hooks of one event.
fn bucket(
    contract: &'static Contract,
    members: &[Member<'_>],
    limits: &Limits,
    told: &mut HashSet<Disorder>,
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
    let order = match resolve(&orderable) {
        Ok(order) => order,
        Err(circle) => {
            let first = circle.first().cloned().unwrap_or_default();
            errors.push(BuildError::new(&first, "after", BuildProblem::Cycle(circle)));
            return None;
        }
    };
    let mut entries: Vec<CompiledHook> = order
        .into_iter()
        .filter_map(|place| members.get(place))
        .map(|(hook, place, on)| CompiledHook::new(hook, *place, on, contract, limits, errors))
        .collect();
    check_order(&entries, told, errors);
    group(&mut entries);
    match Bucket::new(contract, entries) {
        Ok(bucket) => Some(bucket),
        Err(error) => {
            let first = members.first().map_or("", |(hook, ..)| hook.spec.id());
            errors.push(BuildError::new(first, "tool_regex", BuildProblem::Match(error)));
            None
        }
    }
}

/// Numbers the groups of neighbours that may be asked at the same time: guards between which
/// nothing rewrites and of which none waits for another. A rewriter is a group of its own.
pub(super) fn group(entries: &mut [CompiledHook]) {
    let mut number = 0;
    let hooks: Vec<_> = entries.iter().map(|entry| Arc::clone(&entry.hook)).collect();
    // The ids of the group, and those that must come after one of it.
    let (mut members, mut awaiting) = (HashSet::new(), HashSet::new());
    for (entry, hook) in entries.iter_mut().zip(&hooks).filter(|(entry, _)| !entry.watches()) {
        let spec = &hook.spec;
        let waits = spec.after.iter().any(|id| members.contains(id.as_str()))
            || awaiting.contains(spec.id().as_str());
        if entry.role == Role::Rewrite || waits {
            number += 1;
            members.clear();
            awaiting.clear();
        }
        entry.group = number;
        if entry.role == Role::Rewrite {
            number += 1;
        } else {
            members.insert(spec.id().as_str());
            awaiting.extend(spec.before.iter().map(String::as_str));
        }
    }
}
