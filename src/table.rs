//! The compiled, immutable set of hooks: one bucket per event, swapped as a whole.
//!
//! Hooks are declared ([`Hook`], or hooks.toml), collected ([`TableBuilder`]), and compiled into a
//! [`HandlerTable`]: every pattern, order, role and posture is checked then, so that a dispatch finds
//! nothing left to go wrong. A table never changes. To change hooks is to build another table and
//! put it in force, which readers see as a whole or not at all
//! ([`Engine::swap`](crate::Engine::swap)).
//!
//! ```
//! use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Verdict};
//!
//! let guard = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::Stop);
//! let engine = Engine::new(HandlerTable::builder().insert(guard("first")).build()?);
//! engine.edit(|table| {
//!     table.insert(guard("second"));
//! })?;
//! assert_eq!(engine.table().len(), 2);
//! # Ok::<(), hookgate::table::BuildErrors>(())
//! ```

mod alone;
mod bucket;
mod build_error;
mod builder;
mod canary;
mod canonical;
mod check;
mod compiled_hook;
mod condition_text;
mod contracts;
mod contribution_limits;
mod definition;
mod definitions;
mod dependencies;
mod dependency;
mod early;
mod event_check;
mod event_selector;
mod execution_text;
mod explain;
mod groups;
mod hook;
mod last_changes;
mod limits;
mod listed;
mod machine;
mod memo;
mod missing_guard;
mod order;
mod origin;
mod required;
pub(crate) mod retry;
mod retrying;
mod set_aside;
mod shadowed;
mod shared_list;
mod spec;
mod swap;
mod sync;
mod text_window;
mod undelivered;
mod watched;
mod work;

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use hookgate_contract::Event;
use hookgate_contract::payload::AnyPayload;
use serde_json::Value;

use crate::config_hash::ConfigHash;
use crate::generation::Generation;
use crate::require::{Require, Required};
pub(crate) use bucket::{Bucket, MatchSet, Matched};
pub use build_error::{BuildError, BuildErrors, BuildProblem};
pub use builder::TableBuilder;
pub use canary::Canary;
pub(crate) use check::MOST_HINTS;
pub(crate) use compiled_hook::CompiledHook;
use contracts::{Contracts, own_event};
pub use contribution_limits::{Budget, ContributionLimits};
pub(crate) use definition::HookDefinition;
use definitions::Ids;
pub(crate) use dependency::Need;
pub(crate) use early::EarlyHooks;
pub use event_selector::EventSelector;
pub use explain::{Called, ExplainedCondition, ExplainedHook};
pub use hook::Hook;
pub use hookgate_contract::{Layer, UnknownLayer};
use last_changes::LastChanges;
pub use limits::Limits;
pub use listed::Listed;
pub use machine::Machine;
pub use origin::Origin;
pub(crate) use retry::MOST_RETRIES;
pub use retry::Retry;
pub(crate) use set_aside::SetAside;
use shared_list::SharedList;
pub use spec::HookSpec;
pub(crate) use spec::{Unread, override_key};
pub(crate) use swap::{
    BELOW_GENERATION, EVENTS, HAS_SESSION, Superseded, Swap, Versioned, generation, word,
};
pub use text_window::TextWindow;
pub(crate) use work::{Place, Work};

/// The compiled, immutable set of hooks.
///
/// A clone shares the compiled hooks and their counters.
///
/// ```
/// use hookgate::{Event, HandlerTable, Hook, Verdict};
///
/// let no_bash = Hook::sync("no-bash", |_| Ok(Verdict::deny("no")));
/// let table = HandlerTable::builder()
///     .insert(no_bash.event(Event::PreToolUse).tool("Bash"))
///     .build()?;
/// assert!(table.is_armed(Event::PreToolUse) && !table.is_armed(Event::Stop));
/// # Ok::<(), hookgate::table::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct HandlerTable {
    generation: Generation,
    armed: u64,
    buckets: Box<[Option<Arc<Bucket>>; Event::COUNT]>,
    custom: BTreeMap<String, Arc<Bucket>>,
    hooks: SharedList<Arc<HookDefinition>>,
    ids: Arc<Ids>,
    /// Whether any hook may be ordered against another one.
    ordered: bool,
    /// Whether any hook may watch another one.
    watching: bool,
    contracts: Contracts,
    /// Whether events of the embedder whose contract is not known are accepted.
    unknown_contracts: bool,
    pub(crate) limits: Arc<Limits>,
    hash: OnceLock<ConfigHash>,
    /// The hooks of a text that still comes, once they were asked for: those of the table in force.
    early: OnceLock<Arc<EarlyHooks>>,
    /// The registered sections of the config, as they were written, by name.
    sections: Arc<BTreeMap<String, Value>>,
    /// What the table was built to require.
    require: Require,
    /// What is required of the table; once it is in force, also what the engine requires.
    required: Arc<Required>,
    /// Whether the table lowers what the engine requires.
    lowers: bool,
    /// In which generations its events last had other hooks.
    last_changes: LastChanges,
    /// Whether the engine that has published the table hands its dispatches to a recorder or a shadow, or refuses them.
    pub(crate) recorded: bool,
    /// Why no step is evaluated any more, if so.
    pub(crate) closed: Option<&'static str>,
    /// The queue of the shadow that judges beside the table. The table carries it and knows nothing of it.
    pub(crate) shadow: Option<Arc<dyn Any + Send + Sync>>,
}

/// What tables share that say nothing of it.
#[derive(Default)]
struct Nothing {
    ids: Arc<Ids>,
    limits: Arc<Limits>,
    sections: Arc<BTreeMap<String, Value>>,
    required: Arc<Required>,
}

static NOTHING: LazyLock<Nothing> = LazyLock::new(Nothing::default);

impl HandlerTable {
    /// Returns a table without hooks, which arms nothing. It has no `Default`, so that a table that could not be
    /// built does not become one of these by `unwrap_or_default`.
    ///
    /// ```
    /// assert!(hookgate::HandlerTable::empty().is_empty());
    /// ```
    #[must_use]
    pub fn empty() -> Self {
        Self {
            generation: Generation::UNPUBLISHED,
            armed: 0,
            buckets: Box::new([const { None }; Event::COUNT]),
            custom: BTreeMap::new(),
            hooks: SharedList::default(),
            ids: Arc::clone(&NOTHING.ids),
            ordered: false,
            watching: false,
            contracts: BTreeMap::new(),
            unknown_contracts: false,
            limits: Arc::clone(&NOTHING.limits),
            hash: OnceLock::new(),
            early: OnceLock::new(),
            sections: Arc::clone(&NOTHING.sections),
            require: Require::default(),
            required: Arc::clone(&NOTHING.required),
            lowers: false,
            last_changes: LastChanges::new(),
            recorded: false,
            closed: None,
            shadow: None,
        }
    }
}

impl HandlerTable {
    /// Returns a builder without hooks.
    #[must_use]
    pub fn builder() -> TableBuilder {
        TableBuilder::default()
    }

    /// Returns the generation under which an engine published the table; 0 before that.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.generation
    }

    /// Returns the identity of what the table is made of: the SHA-256 of its canonical form.
    ///
    /// The form holds the limits, what is required, and every hook in the order of declaration with its
    /// conditions, its settings and the identity of its handler, which covers the contents of scripts,
    /// rules and certificates. It does not hold the name of the file, comments, the order of keys, the
    /// folder, or the generation, and a bound, deadline, priority or mode that is written out is the same
    /// as one that is the default. So two tables of equal hash decide alike, on any machine.
    ///
    /// Code is known by name only: handlers that an embedder registers by their kind and their
    /// [`identity`](hookgate_contract::BuiltHandler::identity), closures by the kind that their hook
    /// names, contracts of events `x.*` not at all.
    ///
    /// It is computed once, when it is first asked for: some microseconds for each hook.
    ///
    /// ```
    /// use hookgate::{HandlerTable, table::Limits};
    ///
    /// let mut limits = Limits::default();
    /// let usual = HandlerTable::builder().limits(limits.clone()).build()?;
    /// assert_eq!(usual.config_hash(), HandlerTable::empty().config_hash());
    ///
    /// limits.stop_denials = 5;
    /// let other = HandlerTable::builder().limits(limits).build()?;
    /// assert_ne!(other.config_hash(), usual.config_hash());
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn config_hash(&self) -> ConfigHash {
        *self.hash.get_or_init(|| ConfigHash::of_value(&self.canonical()))
    }

    /// Returns the form of which [`HandlerTable::config_hash`] is the hash, for tools that show what is in
    /// force, or compare. Durations are nanoseconds as text, and what is not set is null. Another version
    /// may write it in another way: `form` counts them.
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let hook = Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    /// let form = HandlerTable::builder().insert(hook).build()?.canonical();
    /// assert_eq!(form["hooks"][0]["mode"], "enforce");
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> Value {
        canonical::table_form(&self.limits, &self.require, &self.sections, self.specs())
    }

    /// Returns whether another table has the same config and its handlers run the same programs, so
    /// that putting one in force in the place of the other would change nothing.
    ///
    /// Two tables of the same [`config_hash`](Self::config_hash) can differ in this on one machine: the
    /// hash leaves out programs of the system, such as an interpreter that was updated meanwhile.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let alike = |(ours, theirs): (&HookSpec, &HookSpec)| ours.runs_the_same_as(theirs);
        self.config_hash() == other.config_hash() && self.specs().zip(other.specs()).all(alike)
    }

    /// Returns the bounds and defaults of the table.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns whether an event has a hook that is not off.
    #[must_use]
    pub const fn is_armed(&self, event: Event) -> bool {
        self.armed & event.bit() != 0
    }

    /// Returns the registered sections of the config, each with its name.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.sections.iter().map(|(name, written)| (name.as_str(), written))
    }

    /// Returns a registered section of the config as it was written, for tools that need what it
    /// declares: `tool` for the `[[tool]]` of the file.
    ///
    /// ```
    /// use hookgate::HandlerTable;
    ///
    /// let tools = serde_json::json!([{"name": "mcp__clock__*", "effects": "none"}]);
    /// let table = HandlerTable::builder().section("tool", tools.clone()).build()?;
    /// assert_eq!((table.section("tool"), table.section("other")), (Some(&tools), None));
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn section(&self, name: &str) -> Option<&Value> {
        self.sections.get(name)
    }

    /// Returns the number of hooks, including those that are off.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hooks.len()
    }

    /// Returns whether there are no hooks.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Returns the hooks as they are called: event by event, in their order, and those that are
    /// called after the decision last. Hooks that are off are not called, so they are not listed.
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Role, Verdict};
    ///
    /// let hook = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::Stop);
    /// let table = HandlerTable::builder()
    ///     .insert(hook("log").role(Role::Observe))
    ///     .insert(hook("guard"))
    ///     .build()?;
    /// let ids: Vec<_> = table.listing().map(|listed| listed.id()).collect();
    /// assert_eq!(ids, ["guard", "log"]);
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    pub fn listing(&self) -> impl Iterator<Item = Listed<'_>> {
        self.named_buckets()
            .flat_map(|(event, bucket)| {
                let hooks = |watches| {
                    let entries = bucket.entries.iter();
                    entries.filter(move |hook| hook.watches() == watches)
                };
                hooks(false).chain(hooks(true)).map(move |hook| (event, bucket, hook))
            })
            .map(|(event, bucket, hook)| Listed::new(event, bucket.contract, hook))
    }

    /// Returns all hooks as they were declared, in that order.
    pub fn specs(&self) -> impl Iterator<Item = &HookSpec> {
        self.hooks.iter().map(|hook| &*hook.spec)
    }

    /// Returns the hook of an id as it was declared.
    pub(crate) fn spec(&self, id: &str) -> Option<&HookSpec> {
        let hook = self.hooks.get(self.ids.get(id)?)?;
        Some(&hook.spec)
    }

    pub(crate) fn hooks(&self) -> impl Iterator<Item = &Arc<HookDefinition>> {
        self.hooks.iter()
    }

    /// Returns the hooks of the event of a step.
    #[inline]
    pub(crate) fn bucket(&self, payload: &dyn AnyPayload) -> Option<&Arc<Bucket>> {
        let event = payload.contract().event;
        match self.buckets.get(event.index()) {
            Some(Some(bucket)) => Some(bucket),
            // No bucket stands at `Event::Custom`: these events are told apart by their names. To look
            // here last saves a comparison for every other event.
            _ => self.custom_bucket(event, payload),
        }
    }

    #[cold]
    fn custom_bucket(&self, event: Event, payload: &dyn AnyPayload) -> Option<&Arc<Bucket>> {
        if event == Event::Custom { self.custom.get(payload.event_name()) } else { None }
    }
}

impl HandlerTable {
    /// Has every step refused that may be refused, and says why.
    pub(crate) fn close(&mut self, why: &'static str) {
        (self.recorded, self.closed) = (true, Some(why));
        self.early = OnceLock::new();
    }

    /// Prepares the table of a scope, which was made from that of its engine, to be put in force after another one,
    /// under a generation. What leaves that of the engine unguarded, no hook of the scope guards.
    pub(crate) fn follow(&mut self, engine: &Self, before: Option<&Self>, generation: u64) {
        self.lowers = false;
        let mut gaps = self.gaps();
        gaps.extend(engine.gaps());
        self.deny_gaps(gaps);
        if let Some(before) = before {
            self.note_changes(before, generation);
        }
    }

    /// Returns the hooks of each event that has any, with its name.
    fn named_buckets(&self) -> impl Iterator<Item = (&str, &Arc<Bucket>)> {
        let own = self.buckets.iter().flatten().map(|bucket| (bucket.contract.name, bucket));
        own.chain(self.custom.iter().map(|(name, bucket)| (name.as_str(), bucket)))
    }

    /// Returns the hooks of an event, by its name.
    fn bucket_of(&self, event: &str) -> Option<&Arc<Bucket>> {
        match own_event(event) {
            Some(known) => self.buckets.get(known.index())?.as_ref(),
            None => self.custom.get(event),
        }
    }
}

impl std::fmt::Debug for HandlerTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<_> = self.hooks.iter().map(|hook| hook.spec.id()).collect();
        f.debug_struct("HandlerTable")
            .field("generation", &self.generation.get())
            .field("hooks", &ids)
            .finish_non_exhaustive()
    }
}

const _: () = assert!(Event::COUNT < EVENTS as usize, "the generation is kept above the events");

impl Versioned for HandlerTable {
    fn armed(&self) -> u64 {
        // No step of an engine with a recorder or a shadow passes unseen, nor of one that is closed, whether its event has a hook or not.
        if self.recorded || self.closed.is_some() { BELOW_GENERATION } else { self.armed }
    }

    fn generation(&self) -> u64 {
        self.generation.get()
    }

    fn set_generation(&mut self, generation: u64) {
        self.generation = Generation::new(generation);
        // What is required may have put a hook in.
        self.early = OnceLock::new();
    }

    /// Takes over what the engine requires and its shadow, which outlive its tables. Runs under the writer's
    /// lock, so no requirement of a concurrent swap is lost.
    fn succeed(&mut self, before: Option<&Self>) {
        let lowers = std::mem::take(&mut self.lowers);
        if let Some(before) = before.filter(|_| !lowers) {
            self.require_as(before);
        }
        if let Some(shadow) = before.and_then(|before| before.shadow.clone()) {
            (self.recorded, self.shadow) = (true, Some(shadow));
        }
        if let Some(why) = before.and_then(|before| before.closed) {
            self.close(why);
        }
        if !self.required.is_empty() {
            self.deny_unguarded();
        }
        if let Some(before) = before {
            self.note_changes(before, before.generation.get() + 1);
        }
    }
}
