//! The kinds of handlers and the builtins that a config may name.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{BuiltHandler, Contract};

/// Builds a handler from its settings; where it cannot, it has noted in the settings why.
pub type BuildFn =
    dyn Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync;

/// A name that cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The name is empty.
    #[error("a handler cannot be registered under an empty name")]
    EmptyName,
    /// The contract is that of an event of ours.
    #[error("only events `x.*` can be registered, not `{0}`")]
    NotCustom(&'static str),
}

/// Names and what they stand for. Every engine has its own.
///
/// Registering a name again replaces what it stands for; tables that are built later use it, also
/// those that keep the handlers of an earlier table: what another registration made is not kept.
/// The revision tells whether anything has changed.
///
/// ```
/// use hookgate::{Registry, Verdict, contract::{Invocation, BuiltHandler}};
///
/// let registry = Registry::with_defaults();
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

#[derive(Default)]
struct Names {
    kinds: BTreeMap<String, Arc<BuildFn>>,
    builtins: BTreeMap<String, Arc<BuildFn>>,
    contracts: BTreeMap<String, &'static Contract>,
}

impl Registry {
    /// A registry without names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A registry with the handlers that this crate was compiled with.
    #[must_use]
    pub fn with_defaults() -> Self {
        let mut names = Names::default();
        #[cfg(feature = "builtin")]
        for &(name, build) in hookgate_builtin::BUILTINS {
            names.builtins.insert(name.to_owned(), Arc::new(build));
        }
        #[cfg(feature = "command")]
        names.kinds.insert(hookgate_command::KIND.to_owned(), Arc::new(hookgate_command::build));
        #[cfg(feature = "http")]
        names.kinds.insert(hookgate_http::KIND.to_owned(), Arc::new(hookgate_http::build));
        #[cfg(feature = "prompt")]
        {
            // The judges of a registry share their cache, their flights and their budgets.
            let build = hookgate_prompt::factory(Arc::default());
            names.kinds.insert(hookgate_prompt::KIND.to_owned(), Arc::new(build));
        }
        // Without a handler feature there is nothing to add.
        let _ = &mut names;
        Self { names: RwLock::new(names), revision: AtomicU64::new(0) }
    }

    /// Registers a kind of handler. A config names it as `handler = { kind = "…" }`, or as the key
    /// under which its settings stand.
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
        let kind = checked(kind.into())?;
        Ok(self.change(|names| drop(names.kinds.insert(kind, registered(build)))))
    }

    /// Registers a builtin. A config names it as `builtin = { name = "…" }`.
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
        Ok(self.change(|names| drop(names.builtins.insert(name, registered(build)))))
    }

    /// Registers the contract of an event `x.<name>` of the embedder.
    ///
    /// # Errors
    /// [`RegistryError::NotCustom`].
    pub fn register_event(&self, contract: &'static Contract) -> Result<u64, RegistryError> {
        if !hookgate_contract::event::is_custom_name(contract.name) {
            return Err(RegistryError::NotCustom(contract.name));
        }
        Ok(self.change(|names| {
            names.contracts.insert(contract.name.to_owned(), contract);
        }))
    }

    /// A number that grows with every change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// The registered kinds.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        self.read(|names| names.kinds.keys().cloned().collect())
    }

    /// The registered builtins.
    #[must_use]
    pub fn builtins(&self) -> Vec<String> {
        self.read(|names| names.builtins.keys().cloned().collect())
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
        // ORDERING: release, with the lock still held: who sees the revision sees the change.
        self.revision.fetch_add(1, Ordering::Release) + 1
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("revision", &self.revision())
            .field("kinds", &self.kinds())
            .field("builtins", &self.builtins())
            .finish_non_exhaustive()
    }
}

/// Counts registrations, so that two of them are told apart, also those of two registries.
static REGISTRATIONS: AtomicU64 = AtomicU64::new(0);

/// What is built by it says by which registration.
fn registered(
    build: impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync + 'static,
) -> Arc<BuildFn> {
    // ORDERING: only the numbers matter, not what else the threads see.
    let registration = REGISTRATIONS.fetch_add(1, Ordering::Relaxed) + 1;
    Arc::new(move |settings: &mut Settings<'_>, surroundings: &BuildContext<'_>| {
        let mut built = build(settings, surroundings)?;
        built.registration = registration;
        Some(built)
    })
}

fn checked(name: String) -> Result<String, RegistryError> {
    if name.trim().is_empty() { Err(RegistryError::EmptyName) } else { Ok(name) }
}
