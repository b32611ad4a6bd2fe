//! The compiled, immutable set of hooks: one bucket per event, swapped as a whole.

mod bucket;
mod builder;
mod canonical;
mod check;
mod entry;
mod last_resort;
mod limits;
mod memo;
mod on;
mod order;
mod problem;
mod spec;
mod swap;
mod sync;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Contract, Event, FailureClass, Handler, Mode, Posture, Role};

use crate::config_hash::ConfigHash;
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::matcher::MatchSpec;
use crate::require::{Require, Required};
pub(crate) use bucket::{Bucket, MatchSet};
pub use builder::TableBuilder;
pub(crate) use check::MOST_HINTS;
pub(crate) use entry::{CompiledHook, HookDefinition};
pub use limits::Limits;
pub use on::EventSelector;
pub use problem::{BuildError, BuildErrors, BuildProblem};
pub use spec::HookSpec;
pub(crate) use spec::override_key;
pub(crate) use swap::{EVENTS, Swap, Versioned, generation, word};

/// The compiled, immutable set of hooks.
///
/// ```
/// use hookgate::{Event, HandlerTable, HookSpec, Verdict, contract::BuiltHandler};
///
/// let table = HandlerTable::builder()
///     .insert(
///         HookSpec::new("no-bash", "mine", BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::deny("no"))))
///             .event(Event::PreToolUse)
///             .tool("Bash"),
///     )
///     .build()?;
/// assert!(table.is_armed(Event::PreToolUse));
/// # Ok::<(), hookgate::table::BuildErrors>(())
/// ```
pub struct HandlerTable {
    generation: Generation,
    armed: u64,
    buckets: Box<[Option<Arc<Bucket>>; Event::COUNT]>,
    custom: BTreeMap<String, Arc<Bucket>>,
    hooks: Vec<Arc<HookDefinition>>,
    contracts: BTreeMap<String, &'static Contract>,
    /// Whether events of the embedder whose contract is not known are taken.
    unknown_contracts: bool,
    pub(crate) limits: Limits,
    hash: OnceLock<ConfigHash>,
    /// What it was built to require.
    require: Require,
    /// What is required of it, that of the engine included once it is in force.
    required: Arc<Required>,
    /// Whether it is to lower what is required.
    lowers: bool,
}

impl Default for HandlerTable {
    /// A table without hooks.
    fn default() -> Self {
        Self {
            generation: Generation::UNPUBLISHED,
            armed: 0,
            buckets: Box::new([const { None }; Event::COUNT]),
            custom: BTreeMap::new(),
            hooks: Vec::new(),
            contracts: BTreeMap::new(),
            unknown_contracts: false,
            limits: Limits::default(),
            hash: OnceLock::new(),
            require: Require::default(),
            required: Arc::default(),
            lowers: false,
        }
    }
}

impl HandlerTable {
    /// A builder without hooks.
    #[must_use]
    pub fn builder() -> TableBuilder {
        TableBuilder::default()
    }

    /// The generation under which an engine published the table; 0 before.
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
    /// assert_eq!(usual.config_hash(), HandlerTable::default().config_hash());
    ///
    /// limits.stop_denials = 5;
    /// let other = HandlerTable::builder().limits(limits).build()?;
    /// assert_ne!(other.config_hash(), usual.config_hash());
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn config_hash(&self) -> ConfigHash {
        *self.hash.get_or_init(|| canonical::table_hash(&self.limits, &self.require, self.specs()))
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

    /// The bounds and defaults of the table.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether an event has a hook.
    #[must_use]
    pub const fn is_armed(&self, event: Event) -> bool {
        self.armed & event.bit() != 0
    }

    /// How many hooks there are, those that are off included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hooks.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// The hooks as they are asked: event by event, in order, those that are told afterwards last.
    pub fn listing(&self) -> impl Iterator<Item = Listed<'_>> {
        let buckets = self.buckets.iter().flatten().map(|bucket| (bucket.contract.name, bucket));
        let custom = self.custom.iter().map(|(name, bucket)| (name.as_str(), bucket));
        buckets
            .chain(custom)
            .flat_map(|(event, bucket)| {
                let of = |watches| {
                    let entries = bucket.entries.iter();
                    entries.filter(move |entry| entry.watches() == watches)
                };
                of(false).chain(of(true)).map(move |entry| (event, bucket, entry))
            })
            .map(|(event, bucket, entry)| Listed { event, contract: bucket.contract, entry })
    }

    /// The specifications of all hooks, in the order in which they were declared.
    pub fn specs(&self) -> impl Iterator<Item = &HookSpec> {
        self.hooks.iter().map(|hook| &hook.spec)
    }

    pub(crate) fn hooks(&self) -> impl Iterator<Item = &Arc<HookDefinition>> {
        self.hooks.iter()
    }

    /// The hooks of the event of a step.
    #[inline]
    pub(crate) fn bucket(&self, payload: &dyn AnyPayload) -> Option<&Arc<Bucket>> {
        match payload.contract().event {
            Event::Custom => self.custom.get(payload.event_name()),
            event => self.buckets.get(event.index())?.as_ref(),
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

const _: () = assert!(Event::COUNT <= EVENTS as usize, "the generation stands above the events");

impl Versioned for HandlerTable {
    fn armed(&self) -> u64 {
        self.armed
    }

    fn generation(&self) -> u64 {
        self.generation.get()
    }

    fn set_generation(&mut self, generation: u64) {
        self.generation = Generation::new(generation);
    }

    /// What an engine requires outlives its tables. It is settled here, under the writer's lock.
    fn succeed(&mut self, before: Option<&Self>) {
        let lowers = std::mem::take(&mut self.lowers);
        if let Some(before) = before.filter(|before| !lowers && !before.required.is_empty()) {
            let mut required = Required::clone(&before.required);
            required.extend(&self.required);
            self.required = Arc::new(required);
        }
        if !self.required.is_empty() {
            self.deny_unguarded();
        }
    }
}

/// One hook at one event, as it is asked.
#[derive(Clone, Copy)]
pub struct Listed<'t> {
    /// The event.
    pub event: &'t str,
    /// What may be said there.
    pub contract: &'static Contract,
    entry: &'t CompiledHook,
}

impl<'t> Listed<'t> {
    /// The hook.
    #[must_use]
    pub fn id(&self) -> &'t HookId {
        self.entry.hook.spec.id()
    }

    /// The kind of its handler.
    #[must_use]
    pub fn kind(&self) -> &'t str {
        self.entry.hook.spec.kind()
    }

    /// Its specification.
    #[must_use]
    pub fn spec(&self) -> &'t HookSpec {
        &self.entry.hook.spec
    }

    /// Its conditions.
    #[must_use]
    pub fn matcher(&self) -> &'t MatchSpec {
        self.entry.hook.spec.matcher()
    }

    /// Its power.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.entry.role
    }

    /// Whether what it says counts.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.entry.mode
    }

    /// Its deadline; none for a handler that answers at once.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        // In the background it has one as well.
        matches!(self.entry.handler, Handler::Async(_)).then_some(self.entry.timeout)
    }

    /// What it counts as when it fails in a way.
    #[must_use]
    pub fn posture(&self, class: FailureClass) -> Posture {
        self.entry.posture(class)
    }
}
