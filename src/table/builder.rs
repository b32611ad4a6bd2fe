//! From declared hooks to a table, reporting everything that is wrong.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use hookgate_contract::contract::CUSTOM;
use hookgate_contract::near::nearest;
use hookgate_contract::{Contract, Event, Mode, Role};

use super::entry::{Compiled, Entry};
use super::order::{Orderable, resolve};
use super::problem::{BuildError, BuildErrors, BuildProblem};
use super::spec::{HookSpec, On};
use super::{Bucket, HandlerTable, Limits};

/// Collects hooks and makes a table of them.
///
/// Started from a table, it compiles only the hooks that are new and only the buckets that they
/// touch.
#[derive(Default)]
pub struct TableBuilder {
    base: Option<Arc<HandlerTable>>,
    hooks: Vec<Item>,
    contracts: BTreeMap<String, &'static Contract>,
    limits: Limits,
    touched: BTreeSet<String>,
}

enum Item {
    Compiled(Arc<Compiled>),
    New(Box<HookSpec>),
}

impl Item {
    fn spec(&self) -> &HookSpec {
        match self {
            Self::Compiled(hook) => &hook.spec,
            Self::New(spec) => spec,
        }
    }
}

impl TableBuilder {
    /// A builder with the hooks of a table.
    #[must_use]
    pub fn from_table(table: &Arc<HandlerTable>) -> Self {
        Self {
            hooks: table.hooks.iter().map(|hook| Item::Compiled(Arc::clone(hook))).collect(),
            contracts: table.contracts.clone(),
            limits: table.limits.clone(),
            touched: BTreeSet::new(),
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
        self.hooks.push(Item::New(Box::new(hook)));
        self
    }

    /// Puts a hook in the place of the one with the same id, or adds it.
    pub fn replace(&mut self, hook: HookSpec) -> &mut Self {
        let Some(place) = self.hooks.iter().position(|item| item.spec().id() == hook.id()) else {
            return self.add(hook);
        };
        self.touch(&hook);
        let mut item = Item::New(Box::new(hook));
        if let Some(old) = self.hooks.get_mut(place) {
            std::mem::swap(old, &mut item);
        }
        self.touch(item.spec());
        self
    }

    /// Takes a hook away; tells whether there was one.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(place) = self.hooks.iter().position(|item| item.spec().id() == id) else {
            return false;
        };
        let old = self.hooks.remove(place);
        self.touch(old.spec());
        true
    }

    /// The hooks so far, in the order in which they were declared.
    pub fn specs(&self) -> impl Iterator<Item = &HookSpec> {
        self.hooks.iter().map(Item::spec)
    }

    /// Sets the bounds and defaults.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        let limits = limits.bounded();
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

    fn touch(&mut self, hook: &HookSpec) {
        self.touched.extend(hook.events().iter().map(|on| on.name().to_owned()));
    }

    /// Compiles the table.
    ///
    /// # Errors
    /// Everything that is wrong with any hook.
    pub fn build(self) -> Result<HandlerTable, BuildErrors> {
        let mut errors = Vec::new();
        let base = self.base;
        let hooks: Vec<Arc<Compiled>> = self
            .hooks
            .into_iter()
            .map(|item| match item {
                Item::Compiled(hook) => hook,
                Item::New(spec) => Arc::new(Compiled::new(*spec, &mut errors)),
            })
            .collect();
        check_ids(&hooks, &mut errors);
        check_dependencies(&hooks, &mut errors);

        let mut table = HandlerTable {
            contracts: self.contracts,
            limits: self.limits,
            hash: OnceLock::new(),
            ..HandlerTable::default()
        };
        for hook in hooks.iter().filter(|hook| hook.spec.mode == Mode::Off) {
            // It is asked nowhere, but what is wrong with it is told before it is switched on.
            for (place, on) in hook.spec.events().iter().enumerate() {
                let contract = contract_of(&table.contracts, on.name());
                let _ = Entry::new(hook, place, on, contract, &table.limits, &mut errors);
            }
        }
        for (name, members) in by_event(&hooks) {
            let event = Event::from_name(name).unwrap_or(Event::Custom);
            let kept =
                base.as_ref().filter(|_| !self.touched.contains(name)).and_then(
                    |base| match event {
                        Event::Custom => base.custom.get(name),
                        event => base.buckets.get(event.index())?.as_ref(),
                    },
                );
            let bucket = match kept {
                Some(bucket) => Arc::clone(bucket),
                None => {
                    let contract = contract_of(&table.contracts, name);
                    match bucket(contract, &members, &table.limits, &mut errors) {
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
        if errors.is_empty() { Ok(table) } else { Err(BuildErrors(errors)) }
    }
}

fn contract_of(contracts: &BTreeMap<String, &'static Contract>, name: &str) -> &'static Contract {
    match Event::from_name(name) {
        Some(event) if event != Event::Custom => event.contract(),
        _ => contracts.get(name).copied().unwrap_or(&CUSTOM),
    }
}

/// A hook at one of its events: the hook, which of its events, the event.
type Member<'a> = (&'a Arc<Compiled>, usize, &'a On);

/// The hooks of each event, those that are off excepted, in the order of declaration.
fn by_event(hooks: &[Arc<Compiled>]) -> BTreeMap<&str, Vec<Member<'_>>> {
    let mut events: BTreeMap<&str, Vec<Member<'_>>> = BTreeMap::new();
    for hook in hooks.iter().filter(|hook| hook.spec.mode != Mode::Off) {
        for (place, on) in hook.spec.events().iter().enumerate() {
            events.entry(on.name()).or_default().push((hook, place, on));
        }
    }
    events
}

fn check_ids(hooks: &[Arc<Compiled>], errors: &mut Vec<BuildError>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for hook in hooks {
        let id = hook.spec.id();
        let occurrence = seen.entry(id).and_modify(|n| *n += 1).or_insert(0);
        if *occurrence > 0 {
            let error = BuildError::new(id, "id", BuildProblem::DuplicateId);
            errors.push(error.occurrence(*occurrence));
        }
        let good = |c: char| c.is_alphanumeric() || "-_.:/".contains(c);
        if id.is_empty() || !id.chars().all(good) {
            errors.push(BuildError::new(id, "id", BuildProblem::BadId));
        }
        let events = hook.spec.events();
        if events.is_empty() {
            errors.push(BuildError::new(id, "event", BuildProblem::NoEvent));
        }
        for (place, on) in events.iter().enumerate() {
            if events.iter().take(place).any(|other| other.name() == on.name()) {
                let problem = BuildProblem::DuplicateEvent(on.name().to_owned());
                errors.push(BuildError::new(id, "event", problem));
            }
        }
    }
}

fn check_dependencies(hooks: &[Arc<Compiled>], errors: &mut Vec<BuildError>) {
    if hooks.iter().all(|hook| hook.spec.after.is_empty() && hook.spec.before.is_empty()) {
        return;
    }
    let by_id: HashMap<&str, &HookSpec> =
        hooks.iter().map(|hook| (hook.spec.id(), &hook.spec)).collect();
    for hook in hooks.iter().filter(|hook| hook.spec.mode != Mode::Off) {
        let spec = &hook.spec;
        let after = spec.after.iter().map(|id| ("after", id));
        for (key, id) in after.chain(spec.before.iter().map(|id| ("before", id))) {
            let shares = |other: &HookSpec| {
                other
                    .events()
                    .iter()
                    .any(|on| spec.events().iter().any(|own| own.name() == on.name()))
            };
            let problem = match by_id.get(id.as_str()) {
                None => {
                    let ids = hooks.iter().map(|hook| hook.spec.id());
                    let ids: Vec<_> = ids.filter(|other| *other != spec.id()).collect();
                    let near = nearest(id, &ids).map(str::to_owned);
                    BuildProblem::MissingDependency { id: id.clone(), near }
                }
                Some(other) if other.mode == Mode::Off => {
                    BuildProblem::DisabledDependency(id.clone())
                }
                Some(other) if !shares(other) => BuildProblem::UnrelatedDependency(id.clone()),
                Some(_) => continue,
            };
            errors.push(BuildError::new(spec.id(), key, problem));
        }
    }
}

/// Orders and compiles the hooks of one event.
fn bucket(
    contract: &'static Contract,
    members: &[Member<'_>],
    limits: &Limits,
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
    let mut entries: Vec<Entry> = order
        .into_iter()
        .filter_map(|place| members.get(place))
        .map(|(hook, place, on)| Entry::new(hook, *place, on, contract, limits, errors))
        .collect();
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
fn group(entries: &mut [Entry]) {
    let mut number = 0;
    let mut members: Vec<Arc<Compiled>> = Vec::new();
    for entry in entries.iter_mut().filter(|entry| !entry.watches()) {
        let spec = &entry.hook.spec;
        let waits_for = |other: &Arc<Compiled>| {
            spec.after.iter().any(|id| id == other.spec.id())
                || other.spec.before.iter().any(|id| id == spec.id())
        };
        if entry.role == Role::Rewrite || members.iter().any(waits_for) {
            number += 1;
            members.clear();
        }
        entry.group = number;
        if entry.role == Role::Rewrite {
            number += 1;
        } else {
            members.push(Arc::clone(&entry.hook));
        }
    }
}
