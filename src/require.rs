//! What must be guarded, whatever table is put in force.
//!
//! Hooks are swapped while an agent runs, so the most dangerous change is one that leaves a guard
//! out: everything works, and nothing is checked. A requirement belongs to the engine and outlives
//! its tables. It can grow with every table, and shrink only by [`Engine::set_require`].
//!
//! [`Engine::set_require`]: crate::Engine::set_require

use std::collections::{BTreeMap, BTreeSet};

use hookgate_contract::Event;

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
/// let engine = Engine::default();
/// engine.set_require(Require::default().event(Event::PreToolUse))?;
///
/// // A table without a guard there does not let steps pass.
/// engine.swap(HandlerTable::default());
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// let Gate::Denied(denied) = engine.dispatch(bash, &StepContext::new("s")).await else { panic!() };
/// assert_eq!(denied.decision().by, ["require"]);
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Require {
    events: BTreeSet<String>,
    hooks: BTreeSet<String>,
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
        self.hooks.insert(id.into());
        self
    }

    /// Returns the events at which some hook is required.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(String::as_str)
    }

    /// Returns the hooks that are required.
    pub fn hooks(&self) -> impl Iterator<Item = &str> {
        self.hooks.iter().map(String::as_str)
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
    /// The hooks that are required by id.
    pub(crate) hooks: BTreeSet<String>,
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
        let needs = self.0.iter().filter(|(_, need)| need.hooks.contains(hook));
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
