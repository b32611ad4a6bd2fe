//! Collects hooks for a table.

mod compile;
mod exchange;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use hookgate_contract::Contract;
use serde_json::Value;

use super::contracts::Contracts;
use super::event_selector::EventSelector;
use super::spec::HookSpec;
use super::{HandlerTable, Limits, NOTHING};
use crate::hook_id::HookId;
use crate::require::{Require, Required};

/// Collects hooks and makes a table of them.
///
/// The setters take and return `&mut Self`, so they work in a chain, in a loop, and inside
/// [`Engine::edit`](crate::Engine::edit). A builder that was started from a table compiles only the
/// hooks that are new, and only the events that they touch: to add one hook to a table of thousands
/// costs what that hook costs.
///
/// ```
/// use hookgate::{Event, HandlerTable, Hook, Verdict};
/// use hookgate::table::{Limits, TableBuilder};
///
/// let guard = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PreToolUse);
/// let mut builder = HandlerTable::builder();
/// builder.limits(Limits::new().concurrency(4));
/// for id in ["first", "second"] {
///     builder.insert(guard(id));
/// }
/// assert_eq!(builder.build()?.len(), 2);
///
/// // A collection of hooks is a builder as well.
/// let table = [guard("a"), guard("b")].into_iter().collect::<TableBuilder>().build()?;
/// assert_eq!(table.specs().map(|spec| spec.id()).collect::<Vec<_>>(), ["a", "b"]);
/// # Ok::<(), hookgate::table::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct TableBuilder {
    base: Option<Arc<HandlerTable>>,
    /// What has become of hooks of the base, by index: another one stands in their place, or none.
    changed: BTreeMap<usize, Option<Arc<HookSpec>>>,
    /// The hooks after those of the base, in the order of declaration; `None` where one was removed.
    added: Vec<Option<Arc<HookSpec>>>,
    /// The indices of the added hooks of each id, made when one is first looked up. Only `build`
    /// refuses an id that is used twice.
    indices: Option<HashMap<HookId, VecDeque<usize>>>,
    contracts: Contracts,
    limits: Arc<Limits>,
    sections: Arc<BTreeMap<String, Value>>,
    /// Whether limits or contracts, which are compiled into every hook, are not those of the base.
    recompiles: bool,
    unknown_contracts: bool,
    /// The events for which this builder was given two contracts with different rules.
    two_contracts: BTreeSet<&'static str>,
    /// The events for which this builder was given a contract.
    given: BTreeSet<&'static str>,
    require: Require,
    required: Arc<Required>,
    lowers: bool,
    /// Whether there may be thousands of the table.
    is_of_scope: bool,
}

impl Default for TableBuilder {
    fn default() -> Self {
        Self {
            base: None,
            changed: BTreeMap::new(),
            added: Vec::new(),
            indices: None,
            contracts: Contracts::new(),
            limits: Arc::clone(&NOTHING.limits),
            sections: Arc::clone(&NOTHING.sections),
            recompiles: false,
            unknown_contracts: false,
            two_contracts: BTreeSet::new(),
            given: BTreeSet::new(),
            require: Require::default(),
            required: Arc::clone(&NOTHING.required),
            lowers: false,
            is_of_scope: false,
        }
    }
}

/// Where a builder has a hook.
#[derive(Clone, Copy)]
enum Found {
    /// In the base, or in the place of a hook of it.
    Base(usize),
    /// Among those that were added.
    Added(usize),
}

impl TableBuilder {
    /// Creates a builder with the hooks, limits and contracts of a table. The hooks are shared and
    /// not compiled again; their counters go on.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    /// use hookgate::table::TableBuilder;
    ///
    /// let hook = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::Stop);
    /// let table = Arc::new(HandlerTable::builder().insert(hook("a")).insert(hook("b")).build()?);
    /// let mut builder = TableBuilder::from_table(&table);
    /// assert!(builder.remove("a") && !builder.remove("a"));
    /// assert_eq!((builder.build()?.len(), table.len()), (1, 2));
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn from_table(table: &Arc<HandlerTable>) -> Self {
        Self {
            changed: BTreeMap::new(),
            added: Vec::new(),
            indices: None,
            contracts: table.contracts.clone(),
            limits: Arc::clone(&table.limits),
            sections: Arc::clone(&table.sections),
            recompiles: false,
            unknown_contracts: table.unknown_contracts,
            two_contracts: BTreeSet::new(),
            given: BTreeSet::new(),
            require: table.require.clone(),
            required: Arc::clone(&table.required),
            lowers: false,
            is_of_scope: false,
            base: Some(Arc::clone(table)),
        }
    }

    /// Adds a hook. A second hook of the same id is an error when the table is built; to exchange a
    /// hook, use [`TableBuilder::replace`].
    pub fn insert(&mut self, hook: impl Into<HookSpec>) -> &mut Self {
        self.insert_shared(Arc::new(hook.into()))
    }

    /// Exchanges the hook of the same id, in its position; adds the hook if there is none.
    ///
    /// ```
    /// use hookgate::{Engine, Event, HandlerTable, Hook, Mode, Verdict};
    ///
    /// let guard = || Hook::sync("guard", |_| Ok(Verdict::none())).event(Event::Stop);
    /// let engine = Engine::new(HandlerTable::builder().insert(guard()).build()?);
    /// engine.edit(|table| {
    ///     table.replace(guard().mode(Mode::Shadow));
    /// })?;
    /// assert_eq!(engine.table().specs().next().unwrap().mode(), Mode::Shadow);
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    pub fn replace(&mut self, hook: impl Into<HookSpec>) -> &mut Self {
        let hook = hook.into();
        match self.find(hook.id()) {
            None => return self.insert(hook),
            Some(Found::Base(index)) => {
                self.changed.insert(index, Some(Arc::new(hook)));
            }
            Some(Found::Added(index)) => {
                if let Some(slot) = self.added.get_mut(index) {
                    *slot = Some(Arc::new(hook));
                }
            }
        }
        self
    }

    /// Adds a hook that others share.
    pub(crate) fn insert_shared(&mut self, hook: Arc<HookSpec>) -> &mut Self {
        if let Some(indices) = &mut self.indices {
            indices.entry(hook.id().clone()).or_default().push_back(self.added.len());
        }
        self.added.push(Some(hook));
        self
    }

    /// Takes a hook out of another table, in the place of the hook of its id if there is one, and with it the contracts
    /// of its events that are not known yet.
    pub(crate) fn take_over(&mut self, hook: &HookSpec, from: &HandlerTable) -> &mut Self {
        for event in hook.events().iter().map(EventSelector::name) {
            if let (Some(contract), None) = (from.contracts.get(event), self.contracts.get(event)) {
                self.contract(contract);
            }
        }
        self.replace(hook.clone())
    }

    /// Removes a hook, and returns whether there was one of that id.
    pub fn remove(&mut self, id: &str) -> bool {
        match self.find(id) {
            None => return false,
            Some(Found::Base(index)) => {
                self.changed.insert(index, None);
            }
            Some(Found::Added(index)) => {
                if let Some(slot) = self.added.get_mut(index) {
                    *slot = None;
                }
                if let Some(indices) = self.indices.as_mut().and_then(|all| all.get_mut(id)) {
                    indices.pop_front();
                }
            }
        }
        true
    }

    /// Returns where the first hook of an id is.
    fn find(&mut self, id: &str) -> Option<Found> {
        let in_base = self.base.as_ref().and_then(|base| base.ids.get(id));
        let removed = |index: &usize| matches!(self.changed.get(index), Some(None));
        if let Some(index) = in_base.filter(|index| !removed(index)) {
            return Some(Found::Base(index));
        }
        let indices = self.indices.get_or_insert_with(|| {
            let mut indices: HashMap<_, VecDeque<_>> = HashMap::new();
            for (index, spec) in self.added.iter().enumerate() {
                if let Some(spec) = spec {
                    indices.entry(spec.id().clone()).or_default().push_back(index);
                }
            }
            indices
        });
        indices.get(id)?.front().copied().map(Found::Added)
    }

    /// Returns the hooks so far, in the order in which they were declared.
    pub fn specs(&self) -> impl Iterator<Item = &HookSpec> {
        let base = self.base.iter().flat_map(|base| base.specs()).enumerate();
        let kept = base.filter_map(|(index, spec)| match self.changed.get(&index) {
            None => Some(spec),
            Some(changed) => changed.as_deref(),
        });
        kept.chain(self.added.iter().flatten().map(|spec| &**spec))
    }

    /// Sets the bounds and defaults.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        if *self.limits != limits {
            self.limits = Arc::new(limits);
            self.recompiles = true;
        }
        self
    }

    /// Makes the contract of an event `x.<name>` of the embedder known: what kind of event it is,
    /// and what hooks may decide there. Two contracts of one name with different rules are an error when the
    /// table is built.
    ///
    /// ```
    /// use hookgate::{Contract, EventKind, HandlerTable, Hook, Verdict};
    ///
    /// static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
    ///
    /// let hook = || Hook::sync("freeze", |_| Ok(Verdict::deny("frozen"))).custom_event("x.deploy");
    /// assert!(HandlerTable::builder().contract(&DEPLOY).insert(hook()).build().is_ok());
    /// let errors = HandlerTable::builder().insert(hook()).build().unwrap_err();
    /// assert!(errors.to_string().contains("the contract of `x.deploy` is not known"));
    /// ```
    pub fn contract(&mut self, contract: &'static Contract) -> &mut Self {
        let earlier = self.contracts.insert(contract.name.to_owned(), contract);
        self.recompiles |= !earlier.is_some_and(|earlier| std::ptr::eq(earlier, contract));
        let given_before = !self.given.insert(contract.name);
        if given_before && earlier.is_some_and(|earlier| !earlier.has_rules_of(contract)) {
            self.two_contracts.insert(contract.name);
        }
        self
    }

    /// Accepts events `x.<name>` whose contract is not known, as gates at which every decision may
    /// be given. A dispatch uses the contract of the step itself, so it never produces a state that
    /// the type of the step does not have.
    pub const fn allow_unknown_contracts(&mut self) -> &mut Self {
        self.unknown_contracts = true;
        self
    }

    /// Sets a registered section of the config as it was written, so that the hash of the table covers
    /// what the conditions of its hooks were made with.
    ///
    /// ```
    /// use hookgate::HandlerTable;
    ///
    /// let plain = HandlerTable::builder().build()?;
    /// let tools = serde_json::json!([{"name": "mcp__clock__*", "effects": "none"}]);
    /// let declared = HandlerTable::builder().section("tool", tools).build()?;
    /// assert_ne!(plain.config_hash(), declared.config_hash());
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    pub fn section(&mut self, name: impl Into<String>, written: impl Into<Value>) -> &mut Self {
        Arc::make_mut(&mut self.sections).insert(name.into(), written.into());
        self
    }

    /// Requires events and hooks to be guarded, in every engine in which the table is put in force,
    /// and by every table after it: see [`Require`].
    pub fn require(&mut self, require: Require) -> &mut Self {
        self.require.extend(require);
        self
    }

    /// Makes the table that of a scope: small, and with hooks whose ids are those of a scope.
    pub(crate) const fn of_scope(&mut self) -> &mut Self {
        self.is_of_scope = true;
        self
    }

    /// Requires this and nothing else.
    pub(crate) fn require_only(&mut self, require: Require) -> &mut Self {
        self.require = require;
        self.lowers = true;
        self
    }
}

impl<H: Into<HookSpec>> Extend<H> for TableBuilder {
    fn extend<I: IntoIterator<Item = H>>(&mut self, hooks: I) {
        for hook in hooks {
            self.insert(hook);
        }
    }
}

impl<H: Into<HookSpec>> FromIterator<H> for TableBuilder {
    fn from_iter<I: IntoIterator<Item = H>>(hooks: I) -> Self {
        let mut builder = Self::default();
        builder.extend(hooks);
        builder
    }
}

impl std::fmt::Debug for TableBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableBuilder")
            .field("hooks", &self.specs().map(HookSpec::id).collect::<Vec<_>>())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
