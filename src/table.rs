//! The compiled, immutable set of hooks: one bucket per event, swapped as a whole.

mod bucket;
mod builder;
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
    generation: u64,
    armed: u64,
    buckets: Box<[Option<Arc<Bucket>>; Event::COUNT]>,
    custom: BTreeMap<String, Arc<Bucket>>,
    hooks: Vec<Arc<HookDefinition>>,
    contracts: BTreeMap<String, &'static Contract>,
    /// Whether events of the embedder whose contract is not known are taken.
    unknown_contracts: bool,
    pub(crate) limits: Limits,
    hash: OnceLock<String>,
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
            generation: 0,
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
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// A hash of what the table was made of, as `sha256:…`. Equal tables have equal hashes; code
    /// that an embedder registers is known by the ids and kinds of its hooks only.
    #[must_use]
    pub fn config_hash(&self) -> &str {
        self.hash.get_or_init(|| {
            let mut hasher = hmac_sha256::Hash::new();
            hasher.update(format!("{:?}", self.limits));
            for hook in &self.hooks {
                hasher.update(hook.spec.fingerprint());
                hasher.update([0]);
            }
            if !self.require.is_empty() {
                hasher.update(format!("{:?}", self.require));
            }
            let digest = hasher.finalize();
            let mut text = String::from("sha256:");
            for byte in digest {
                text.push_str(&format!("{byte:02x}"));
            }
            text
        })
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
            .field("generation", &self.generation)
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
        self.generation
    }

    fn set_generation(&mut self, generation: u64) {
        self.generation = generation;
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
    pub fn id(&self) -> &'t str {
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
