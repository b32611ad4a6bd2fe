//! A kind of handler, as it is added to a registry: the key of hooks.toml and the code that builds
//! a handler from the settings below that key.
//!
//! Each handler crate has a function `kind()` that returns its own. Nothing is registered by
//! itself, so a hooks.toml can only use the kinds that the code of a host has added by name.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::settings::Settings;
use serde_json::Value;

use crate::build::{BuildContext, Factory};
use crate::envelope::Envelope;
use crate::handler::BuiltHandler;

/// Builds a handler from its settings. If it cannot, it has noted the reason in the settings.
pub type BuildFn =
    dyn Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync;

/// Says as JSON what the tool call of a step would do, for kinds of handlers and conditions that read it.
pub type EffectsFn = dyn Fn(&Envelope<'_>) -> Value + Send + Sync;

/// A kind of handler: its name, and what builds its handlers.
///
/// Every call of a constructor makes another kind, even under the same name: when a config is
/// loaded again, handlers of another kind are built anew. A clone is the same kind, so handlers are
/// kept across registries that hold clones of it.
///
/// ```
/// use hookgate_contract::{BuiltHandler, HandlerKind, Verdict};
///
/// let kind = HandlerKind::new("freeze", |settings, _| {
///     let reason = settings.required_text("reason")?.to_owned();
///     Some(BuiltHandler::sync(move |_| Ok(Verdict::deny(reason.clone()))))
/// });
/// assert_eq!(kind.name(), "freeze");
/// ```
#[derive(Clone)]
pub struct HandlerKind {
    name: Cow<'static, str>,
    /// One without a name, or one for each builtin.
    factories: Vec<(Option<&'static str>, Arc<BuildFn>)>,
}

impl HandlerKind {
    /// Creates a kind whose handlers are built by one function. A config names it as
    /// `handler = { kind = "…" }`, or uses the name as the key of the settings. No config can name
    /// a kind with an empty name.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        build: impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { name: name.into(), factories: vec![(None, numbered(build))] }
    }

    /// Creates the kind `builtin` with these names: a config chooses one of them with
    /// `builtin = { name = "…" }`.
    #[must_use]
    pub fn builtins(named: &[(&'static str, Factory)]) -> Self {
        Self::builtins_from(named.iter().copied())
    }

    /// As [`HandlerKind::builtins`], for functions that hold something themselves.
    pub fn builtins_from<F>(named: impl IntoIterator<Item = (&'static str, F)>) -> Self
    where
        F: Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync + 'static,
    {
        let named = named.into_iter().map(|(name, build)| (Some(name), numbered(build)));
        Self { name: "builtin".into(), factories: named.collect() }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Iterates over what builds the handlers: one function, or one for each name of a builtin.
    pub fn factories(&self) -> impl Iterator<Item = (Option<&'static str>, &Arc<BuildFn>)> {
        self.factories.iter().map(|(name, build)| (*name, build))
    }
}

impl std::fmt::Debug for HandlerKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HandlerKind").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Counts the kinds of this process, so that two of the same name differ. A handler that no kind has built has 0.
static KINDS: AtomicU64 = AtomicU64::new(1);

/// Marks each handler with the number of the kind that built it.
fn numbered(
    build: impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync + 'static,
) -> Arc<BuildFn> {
    // ORDERING: only the uniqueness of the number matters, no other memory.
    let registration = KINDS.fetch_add(1, Ordering::Relaxed);
    Arc::new(move |settings: &mut Settings<'_>, context: &BuildContext<'_>| {
        let mut built = build(settings, context)?;
        built.registration = registration;
        Some(built)
    })
}
