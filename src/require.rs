//! What must be guarded, whatever table is put in force.
//!
//! Hooks are swapped while an agent runs, so the most dangerous change is one that leaves a guard
//! out: everything works, and nothing is checked. A requirement belongs to the engine and outlives
//! its tables. It can grow with every table, and shrink only by [`Engine::set_require`].
//!
//! [`Engine::set_require`]: crate::Engine::set_require

use std::collections::{BTreeMap, BTreeSet};

use hookgate_contract::{Event, Layer};

use crate::config_hash::ConfigHash;

/// The id under which the engine denies where a guard is missing.
pub(crate) const REQUIRE: &str = "require";

/// What must be guarded by a hook that enforces. A table that leaves some of it unguarded is put in
/// force, but every step of these events is denied (`by: ["require"]`, reason code `unguarded`),
/// and the reason says what is missing.
///
/// A hook guards if its mode is `enforce`, its role is guard or rewrite, its handler can refuse a step
/// (one that only adds context cannot), and the agent waits for it. Its conditions and what its failures count as make no difference.
///
/// ```
/// use hookgate::require::Require;
/// use hookgate::{Engine, Event, Gate, HandlerTable, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks();
/// engine.set_require(Require::default().event(Event::PreToolUse))?;
///
/// // A table without a guard there does not let steps pass.
/// engine.swap(HandlerTable::empty());
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// let Gate::Denied(denied) = engine.dispatch(bash, &StepContext::new("s")).await else { panic!() };
/// assert_eq!(denied.decision().by, ["require"]);
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Require {
    events: BTreeSet<String>,
    hooks: BTreeSet<RequiredHook>,
}

/// A hook that is required by its id, and what else must be true of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequiredHook {
    pub(crate) id: String,
    /// The layer that requires it: a hook of a layer below does not count. `None` takes any.
    pub(crate) layer: Option<Layer>,
    /// The hash of its definition, if no other one will do.
    pub(crate) definition: Option<ConfigHash>,
}

impl Require {
    /// Requires some hook that enforces at an event. Steps of the event must be deniable.
    #[must_use]
    pub fn event(self, event: Event) -> Self {
        self.named(event.name())
    }

    /// Requires some hook that enforces at an event, by its name: one of the engine or an
    /// `x.<name>`.
    #[must_use]
    pub fn named(mut self, event: impl Into<String>) -> Self {
        self.events.insert(event.into());
        self
    }

    /// Requires a hook, at those of its events at which steps can be denied. The hook must be in
    /// the table with which it is first required; its events there count from then on, even if the
    /// hook is gone later.
    ///
    /// ```
    /// use hookgate::require::Require;
    /// use hookgate::{Event, HandlerTable, Hook, Mode, Verdict};
    ///
    /// let guard = |mode| Hook::sync("guard", |_| Ok(Verdict::none())).event(Event::Stop).mode(mode);
    /// let table = |mode| {
    ///     let require = Require::default().hook("guard");
    ///     HandlerTable::builder().insert(guard(mode)).require(require).build()
    /// };
    /// assert!(table(Mode::Enforce)?.unguarded().is_empty());
    /// assert_eq!(table(Mode::Shadow)?.unguarded()[0].0, "stop");
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn hook(mut self, id: impl Into<String>) -> Self {
        self.hooks.insert(RequiredHook { id: id.into(), layer: None, definition: None });
        self
    }

    /// Requires a hook as [`Require::hook`] does, and that it is of this layer or of one above: whoever writes a
    /// hook of this id in a layer below, or in code, does not meet it. That is what `[require]` of a file asks.
    ///
    /// ```
    /// use hookgate::require::Require;
    /// use hookgate::table::Layer;
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let guard = Hook::sync("guard", |_| Ok(Verdict::none())).event(Event::Stop);
    /// let require = Require::default().hook_of("guard", Layer::User);
    /// let table = HandlerTable::builder().insert(guard).require(require).build()?;
    /// let (_, why) = &table.unguarded()[0];
    /// assert!(why.contains("it is of the layer `code`, and the layer `user` requires it"), "{why}");
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn hook_of(mut self, id: impl Into<String>, layer: Layer) -> Self {
        self.hooks.insert(RequiredHook { id: id.into(), layer: Some(layer), definition: None });
        self
    }

    /// Requires a hook as [`Require::hook`] does, and that it is defined in just this way: see
    /// [`HookSpec::definition_hash`](crate::table::HookSpec::definition_hash).
    ///
    /// ```
    /// use hookgate::require::Require;
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let guard = || Hook::sync("guard", |_| Ok(Verdict::none())).event(Event::Stop);
    /// let hash = guard().build().definition_hash();
    /// let table = |hook: Hook| {
    ///     HandlerTable::builder().insert(hook).require(Require::default().definition("guard", hash)).build()
    /// };
    /// assert!(table(guard())?.unguarded().is_empty());
    /// assert!(table(guard().agent("reviewer"))?.unguarded()[0].1.contains("another definition"));
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn definition(mut self, id: impl Into<String>, definition: ConfigHash) -> Self {
        let definition = Some(definition);
        self.hooks.insert(RequiredHook { id: id.into(), layer: None, definition });
        self
    }

    /// Returns the events at which some hook is required.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(String::as_str)
    }

    /// Returns the ids of the hooks that are required.
    pub fn hooks(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        let ids = self.hooks.iter().map(|hook| hook.id.as_str());
        ids.filter(move |id| last.replace(*id) != Some(*id))
    }

    /// Returns the hooks that are required, each with what must be true of it.
    pub(crate) fn required_hooks(&self) -> impl Iterator<Item = &RequiredHook> {
        self.hooks.iter()
    }

    /// Returns whether nothing is required.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.hooks.is_empty()
    }

    /// Adds what another one requires.
    pub(crate) fn extend(&mut self, other: Self) {
        self.events.extend(other.events);
        self.hooks.extend(other.hooks);
    }
}

/// What is required at one event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Need {
    /// Whether some hook that enforces is required.
    pub(crate) any: bool,
    /// The hooks that are required.
    pub(crate) hooks: BTreeSet<RequiredHook>,
}

/// What is required, event by event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Required(BTreeMap<String, Need>);

impl Required {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Need)> {
        self.0.iter().map(|(event, need)| (event.as_str(), need))
    }

    pub(crate) fn need(&mut self, event: &str) -> &mut Need {
        self.0.entry(event.to_owned()).or_default()
    }

    /// Returns the events at which a hook is required.
    pub(crate) fn events_of(&self, hook: &str) -> Vec<String> {
        let needs = self.0.iter().filter(|(_, need)| need.hooks.iter().any(|need| need.id == hook));
        needs.map(|(event, _)| event.clone()).collect()
    }

    /// Adds what another one requires.
    pub(crate) fn extend(&mut self, other: &Self) {
        for (event, more) in &other.0 {
            let need = self.need(event);
            need.any |= more.any;
            need.hooks.extend(more.hooks.iter().cloned());
        }
    }
}
