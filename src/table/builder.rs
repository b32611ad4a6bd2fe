//! Collects hooks for a table.

mod compile;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use hookgate_contract::Contract;
use serde_json::Value;

use super::contracts::Contracts;
use super::definition::HookDefinition;
use super::spec::HookSpec;
use super::{HandlerTable, Limits};
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
#[derive(Clone, Default)]
pub struct TableBuilder {
    base: Option<Arc<HandlerTable>>,
    /// The hooks in the order of declaration; `None` where one was removed.
    hooks: Vec<Option<Declared>>,
    /// The indices of the hooks of each id, made when a hook is first looked up. Only `build`
    /// refuses an id that is used twice.
    indices: Option<HashMap<String, VecDeque<usize>>>,
    contracts: Contracts,
    limits: Limits,
    sections: BTreeMap<String, Value>,
    /// The events whose buckets cannot be taken over from the base.
    touched: BTreeSet<String>,
    unknown_contracts: bool,
    require: Require,
    required: Arc<Required>,
    lowers: bool,
}

/// A hook of the table to be.
#[derive(Clone)]
enum Declared {
    /// A hook of the base, whose patterns are compiled.
    Compiled(Arc<HookDefinition>),
    /// A new hook.
    New(Arc<HookSpec>),
}

impl Declared {
    fn spec(&self) -> &HookSpec {
        match self {
            Self::Compiled(hook) => &hook.spec,
            Self::New(spec) => spec,
        }
    }
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
        let compiled = |hook| Some(Declared::Compiled(Arc::clone(hook)));
        Self {
            hooks: table.hooks.iter().map(compiled).collect(),
            indices: None,
            contracts: table.contracts.clone(),
            limits: table.limits.clone(),
            sections: table.sections.clone(),
            touched: BTreeSet::new(),
            unknown_contracts: table.unknown_contracts,
            require: table.require.clone(),
            required: Arc::clone(&table.required),
            lowers: false,
            base: Some(Arc::clone(table)),
        }
    }

    /// Adds a hook. A second hook of the same id is an error when the table is built; to exchange a
    /// hook, use [`TableBuilder::replace`].
    pub fn insert(&mut self, hook: impl Into<HookSpec>) -> &mut Self {
        let hook = hook.into();
        self.touch(&hook);
        if let Some(indices) = &mut self.indices {
            indices.entry(hook.id().to_string()).or_default().push_back(self.hooks.len());
        }
        self.hooks.push(Some(Declared::New(Arc::new(hook))));
        self
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
        let Some(index) = self.index_of(hook.id()) else {
            return self.insert(hook);
        };
        self.touch(&hook);
        let new = Declared::New(Arc::new(hook));
        if let Some(old) = self.hooks.get_mut(index).and_then(|slot| slot.replace(new)) {
            self.touch(old.spec());
        }
        self
    }

    /// Removes a hook, and returns whether there was one of that id.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(index) = self.index_of(id) else {
            return false;
        };
        let Some(old) = self.hooks.get_mut(index).and_then(Option::take) else { return false };
        self.touch(old.spec());
        if let Some(indices) = self.indices.as_mut().and_then(|indices| indices.get_mut(id)) {
            indices.pop_front();
        }
        true
    }

    fn index_of(&mut self, id: &str) -> Option<usize> {
        let indices = self.indices.get_or_insert_with(|| {
            let mut indices: HashMap<_, VecDeque<_>> = HashMap::new();
            for (index, declared) in self.hooks.iter().enumerate() {
                if let Some(declared) = declared {
                    indices.entry(declared.spec().id().to_string()).or_default().push_back(index);
                }
            }
            indices
        });
        indices.get(id)?.front().copied()
    }

    /// Returns the hooks so far, in the order in which they were declared.
    pub fn specs(&self) -> impl Iterator<Item = &HookSpec> {
        self.hooks.iter().flatten().map(Declared::spec)
    }

    /// Sets the bounds and defaults.
    pub fn limits(&mut self, limits: Limits) -> &mut Self {
        if self.limits != limits {
            self.limits = limits;
            // Deadlines are compiled into the buckets.
            self.base = None;
        }
        self
    }

    /// Makes the contract of an event `x.<name>` of the embedder known: what kind of event it is,
    /// and what hooks may decide there.
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
        self.contracts.insert(contract.name.to_owned(), contract);
        self.touched.insert(contract.name.to_owned());
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
        self.sections.insert(name.into(), written.into());
        self
    }

    /// Requires events and hooks to be guarded, in every engine in which the table is put in force,
    /// and by every table after it: see [`Require`].
    pub fn require(&mut self, require: Require) -> &mut Self {
        self.require.extend(require);
        self
    }

    /// Requires this and nothing else.
    pub(crate) fn require_only(&mut self, require: Require) -> &mut Self {
        self.require = require;
        self.lowers = true;
        self
    }

    fn touch(&mut self, hook: &HookSpec) {
        self.touched.extend(hook.events().iter().map(|selector| selector.name().to_owned()));
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
