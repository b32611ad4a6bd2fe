//! The kinds of handlers and conditions, the builtins, the events and the sections that a config may
//! name.

mod reserved;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hookgate_contract::dialect::Dialect;
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuildFn, BuiltHandler, ConditionKind, ConfigSection, Contract, HandlerKind,
};

use reserved::{HOOK_KEYS, ROOT_KEYS};

/// A name that cannot be registered.
///
/// ```
/// use hookgate::{Event, Registry, registry::RegistryError};
///
/// let error = Registry::new().register_event(Event::Stop.contract()).unwrap_err();
/// assert_eq!(error, RegistryError::NotCustom("stop"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The name is empty.
    #[error("nothing can be registered under an empty name")]
    EmptyName,
    /// The contract is that of an event of the engine.
    #[error("only events `x.*` can be registered, not `{0}`")]
    NotCustom(&'static str),
    /// The name of a condition is a key that a hook has anyway.
    #[error("`{0}` is a key of every hook, so no condition can be registered under it")]
    HookKey(&'static str),
    /// The name of a condition is that of a kind of handler, or the other way round.
    #[error("`{0}` is registered as a kind of handler, so no condition can have the same key")]
    HandlerKey(&'static str),
    /// The name of a section is a key that every file has.
    #[error("`{0}` is a key of every hooks.toml, so no section can be registered under it")]
    RootKey(&'static str),
}

/// What a config may name: kinds of handlers, builtins, and events of the embedder.
///
/// A new registry is empty, and nothing but the code of the host fills it. In particular no Cargo
/// feature does: features are united over a whole program, so some other crate could otherwise
/// decide that your hooks.toml may start programs. A feature makes the code available; to use it,
/// add its kind:
///
/// ```
/// use hookgate::Registry;
///
/// let registry = Registry::new();
/// # #[cfg(feature = "builtin")]
/// registry.add(hookgate::builtin::kind());
/// # #[cfg(feature = "command")]
/// registry.add(hookgate::command::kind());
/// # #[cfg(feature = "builtin")]
/// assert!(registry.builtins().contains(&"deny".to_owned()));
/// ```
///
/// Names can be added and replaced while engines run: a table that is in force stays as it is, and
/// tables that are loaded later use the new meaning, even for hooks whose text has not changed.
/// [`Registry::revision`] tells whether anything has changed.
///
/// ```
/// use hookgate::{Registry, Verdict, contract::{BuiltHandler, Invocation}};
///
/// let registry = Registry::new();
/// let before = registry.revision();
/// registry.register_builtin("no-tuesdays", |settings, _| {
///     let reason = settings.required_text("reason")?.to_owned();
///     Some(BuiltHandler::from_sync(move |_: Invocation<'_>| Ok(Verdict::deny(reason.clone()))))
/// })?;
/// assert!(registry.revision() > before);
/// # Ok::<(), hookgate::registry::RegistryError>(())
/// ```
#[derive(Default)]
pub struct Registry {
    names: RwLock<Names>,
    revision: AtomicU64,
}

#[derive(Clone, Default)]
struct Names {
    kinds: BTreeMap<String, Arc<BuildFn>>,
    builtins: BTreeMap<String, Arc<BuildFn>>,
    contracts: BTreeMap<String, &'static Contract>,
    conditions: BTreeMap<&'static str, ConditionKind>,
    sections: BTreeMap<&'static str, ConfigSection>,
    dialects: BTreeMap<&'static str, Arc<dyn Dialect>>,
    handlers: BTreeMap<String, BuiltHandler>,
}

impl Names {
    fn add(&mut self, kind: &HandlerKind) {
        for (name, build) in kind.factories() {
            match name {
                Some(name) => self.builtins.insert(name.to_owned(), Arc::clone(build)),
                None => self.kinds.insert(kind.name().to_owned(), Arc::clone(build)),
            };
        }
    }
}

impl Registry {
    /// Creates a registry without names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind of handler and returns the new revision. A kind of the same name is replaced.
    pub fn add(&self, kind: HandlerKind) -> u64 {
        self.change(|names| names.add(&kind))
    }

    /// Registers a kind of handler that is made of a function, and returns the new revision. A
    /// config names it as `handler = { kind = "…" }`, or uses the name as the key of its settings.
    ///
    /// ```
    /// use hookgate::config::Loader;
    /// use hookgate::contract::{BuiltHandler, Invocation};
    /// use hookgate::{Registry, Verdict};
    ///
    /// let registry = Registry::new();
    /// registry.register("freeze", |settings, _| {
    ///     let until = settings.required_text("until")?.to_owned();
    ///     Some(BuiltHandler::from_sync(move |_: Invocation<'_>| {
    ///         Ok(Verdict::deny(format!("frozen until {until}")))
    ///     }))
    /// })?;
    /// let text = "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\nfreeze = { until = 'Monday' }\n";
    /// assert!(Loader::new(&registry).parse("hooks.toml", text, ".".as_ref()).is_ok());
    /// # Ok::<(), hookgate::registry::RegistryError>(())
    /// ```
    ///
    /// # Errors
    /// [`RegistryError::EmptyName`].
    pub fn register(
        &self,
        kind: impl Into<String>,
        build: impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler>
        + Send
        + Sync
        + 'static,
    ) -> Result<u64, RegistryError> {
        Ok(self.add(HandlerKind::new(checked(kind.into())?, build)))
    }

    /// Registers a builtin that is made of a function, and returns the new revision. A config names
    /// it as `builtin = { name = "…" }`.
    ///
    /// # Errors
    /// [`RegistryError::EmptyName`].
    pub fn register_builtin(
        &self,
        name: impl Into<String>,
        build: impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler>
        + Send
        + Sync
        + 'static,
    ) -> Result<u64, RegistryError> {
        let name = checked(name.into())?;
        let kind = HandlerKind::new(name.clone(), build);
        Ok(self.change(|names| {
            let build = kind.factories().map(|(_, build)| (name.clone(), Arc::clone(build)));
            names.builtins.extend(build);
        }))
    }

    /// Adds a handler that was built already, and returns the new revision. A config names it as
    /// `handler = "NAME"`; all hooks that do share it. A handler of the same name is replaced; one that a file
    /// declares itself (`[handler.NAME]`) goes first there.
    ///
    /// ```
    /// use hookgate::config::Loader;
    /// use hookgate::contract::{BuiltHandler, Capabilities};
    /// use hookgate::{Event, Registry, Verdict};
    ///
    /// let freeze = BuiltHandler::sync(|_| Ok(Verdict::deny("frozen")))
    ///     .capabilities(Capabilities::new().events([Event::PreToolUse]));
    /// let registry = Registry::new();
    /// registry.add_handler("freeze", freeze)?;
    /// let loader = Loader::new(&registry);
    /// let load = |event: &str| {
    ///     let text = format!("[[hook]]\nid = 'h'\nevent = '{event}'\nhandler = 'freeze'\n");
    ///     loader.parse("hooks.toml", &text, ".".as_ref())
    /// };
    /// assert!(load("pre_tool_use").is_ok());
    /// assert!(load("stop").unwrap_err().to_string().contains("does not declare `stop`"));
    /// # Ok::<(), hookgate::registry::RegistryError>(())
    /// ```
    ///
    /// # Errors
    /// [`RegistryError::EmptyName`].
    pub fn add_handler(
        &self,
        name: impl Into<String>,
        handler: BuiltHandler,
    ) -> Result<u64, RegistryError> {
        let name = checked(name.into())?;
        Ok(self.change(|names| {
            names.handlers.insert(name, handler);
        }))
    }

    /// Registers the contract of an event `x.<name>` of the embedder, and returns the new revision.
    /// Configs can then name the event, and are checked against what may be decided there.
    ///
    /// # Errors
    /// [`RegistryError::NotCustom`].
    pub fn register_event(&self, contract: &'static Contract) -> Result<u64, RegistryError> {
        if !hookgate_contract::is_custom_name(contract.name) {
            return Err(RegistryError::NotCustom(contract.name));
        }
        Ok(self.change(|names| {
            names.contracts.insert(contract.name.to_owned(), contract);
        }))
    }

    /// Adds a kind of condition and returns the new revision. A kind of the same name is replaced.
    ///
    /// ```
    /// use hookgate::Registry;
    /// use hookgate::contract::{Condition, ConditionKind, Envelope, Truth};
    /// use hookgate::registry::RegistryError;
    ///
    /// struct Subagent;
    ///
    /// impl Condition for Subagent {
    ///     fn hold(&self, step: &Envelope<'_>) -> Truth {
    ///         step.context().agent_id.is_some().into()
    ///     }
    ///     fn explain(&self, _: &Envelope<'_>) -> String {
    ///         "it looks whether the step has the id of an agent".to_owned()
    ///     }
    /// }
    ///
    /// let kind = |name| ConditionKind::new(name, |_, _| Some(Box::new(Subagent)));
    /// let registry = Registry::new();
    /// registry.add_condition(kind("by_subagent"))?;
    /// assert_eq!(registry.add_condition(kind("tool")), Err(RegistryError::HookKey("tool")));
    /// # Ok::<(), RegistryError>(())
    /// ```
    ///
    /// # Errors
    /// [`RegistryError::EmptyName`], [`RegistryError::HookKey`] and [`RegistryError::HandlerKey`].
    pub fn add_condition(&self, kind: ConditionKind) -> Result<u64, RegistryError> {
        let name = kind.name();
        if name.trim().is_empty() {
            return Err(RegistryError::EmptyName);
        }
        if HOOK_KEYS.contains(&name) {
            return Err(RegistryError::HookKey(name));
        }
        if self.kind(name).is_some() {
            return Err(RegistryError::HandlerKey(name));
        }
        Ok(self.change(|names| {
            names.conditions.insert(name, kind);
        }))
    }

    /// Adds a section of a config and returns the new revision. A section of the same name is replaced.
    ///
    /// # Errors
    /// [`RegistryError::EmptyName`] and [`RegistryError::RootKey`].
    pub fn add_section(&self, section: ConfigSection) -> Result<u64, RegistryError> {
        let name = section.name();
        if name.trim().is_empty() {
            return Err(RegistryError::EmptyName);
        }
        if ROOT_KEYS.contains(&name) {
            return Err(RegistryError::RootKey(name));
        }
        Ok(self.change(|names| {
            names.sections.insert(name, section);
        }))
    }

    /// Adds the form in which an agent talks to its hooks, and returns the new revision. A dialect of the
    /// same name is replaced.
    ///
    /// # Errors
    /// [`RegistryError::EmptyName`].
    pub fn add_dialect(&self, dialect: Arc<dyn Dialect>) -> Result<u64, RegistryError> {
        let name = dialect.name();
        if name.trim().is_empty() {
            return Err(RegistryError::EmptyName);
        }
        Ok(self.change(|names| {
            names.dialects.insert(name, dialect);
        }))
    }

    /// Returns the dialect of a name.
    #[must_use]
    pub fn dialect(&self, name: &str) -> Option<Arc<dyn Dialect>> {
        self.read(|names| names.dialects.get(name).cloned())
    }

    /// Returns the registered dialects, sorted by their names.
    #[must_use]
    pub fn dialects(&self) -> Vec<Arc<dyn Dialect>> {
        self.read(|names| names.dialects.values().cloned().collect())
    }

    /// Returns the registered kinds of conditions, sorted by their names.
    #[must_use]
    pub fn conditions(&self) -> Vec<ConditionKind> {
        self.read(|names| names.conditions.values().cloned().collect())
    }

    /// Returns the registered sections, sorted by their names.
    #[must_use]
    pub fn sections(&self) -> Vec<ConfigSection> {
        self.read(|names| names.sections.values().cloned().collect())
    }

    /// Returns a number that grows with every change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Returns the names of the registered kinds, sorted; builtins are listed apart.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        self.read(|names| names.kinds.keys().cloned().collect())
    }

    /// Returns the names of the registered builtins, sorted.
    #[must_use]
    pub fn builtins(&self) -> Vec<String> {
        self.read(|names| names.builtins.keys().cloned().collect())
    }

    /// Returns the names of the handlers that were added as such, sorted.
    #[must_use]
    pub fn handlers(&self) -> Vec<String> {
        self.read(|names| names.handlers.keys().cloned().collect())
    }

    pub(crate) fn handler(&self, name: &str) -> Option<BuiltHandler> {
        self.read(|names| names.handlers.get(name).cloned())
    }

    pub(crate) fn kind(&self, name: &str) -> Option<Arc<BuildFn>> {
        self.read(|names| names.kinds.get(name).cloned())
    }

    pub(crate) fn builtin(&self, name: &str) -> Option<Arc<BuildFn>> {
        self.read(|names| names.builtins.get(name).cloned())
    }

    pub(crate) fn contracts(&self) -> Vec<&'static Contract> {
        self.read(|names| names.contracts.values().copied().collect())
    }

    fn read<T>(&self, look: impl FnOnce(&Names) -> T) -> T {
        look(&self.names.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Names)) -> u64 {
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut names);
        // ORDERING: release, while the lock is held: a reader that sees the revision sees the change.
        self.revision.fetch_add(1, Ordering::Release) + 1
    }
}

impl Clone for Registry {
    /// Returns a registry with the same names, which is changed on its own from now on.
    fn clone(&self) -> Self {
        let names = self.read(Names::clone);
        Self { names: RwLock::new(names), revision: AtomicU64::new(self.revision()) }
    }
}

impl FromIterator<HandlerKind> for Registry {
    fn from_iter<I: IntoIterator<Item = HandlerKind>>(kinds: I) -> Self {
        let registry = Self::new();
        for kind in kinds {
            registry.add(kind);
        }
        registry
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("revision", &self.revision())
            .field("kinds", &self.kinds())
            .field("builtins", &self.builtins())
            .field("conditions", &self.conditions())
            .finish_non_exhaustive()
    }
}

fn checked(name: String) -> Result<String, RegistryError> {
    if name.trim().is_empty() { Err(RegistryError::EmptyName) } else { Ok(name) }
}
