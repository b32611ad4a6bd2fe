//! The engine: it holds the table, evaluates steps by it, and swaps it while they are evaluated.
//!
//! An [`Engine`] is shared: every method takes `&self`, and sessions hold it in an `Arc` or borrow it.
//! A runtime is generic over [`HookEngine`], so that it can also run without hooks.
//!
//! | file | holds |
//! |---|---|
//! | `engine.rs` | the engine, its table, the swap |
//! | `engine/hook_engine.rs` | the trait, `&E`, `Box<E>`, `Arc<E>`, `dyn` |
//! | `engine/noop.rs`, `engine/optional.rs` | no hooks; hooks or none |
//! | `engine/future.rs`, `engine/reported.rs` | a dispatch, and one with its record |
//! | `engine/early.rs` | what hooks say of a piece of a text |
//! | `engine/swap_error.rs` | a table that was not put in force |
//! | `engine/shadow.rs` | a second table that judges beside the one in force |
//! | `engine/approval.rs` | what the user has approved |
//! | `engine/permit.rs` | clearances that cross a process boundary |
//! | `engine/recording.rs` | how dispatches reach a recorder |
//! | `engine/background.rs` | what a host does with background hooks |
//! | `engine/scope.rs` | a session with hooks of its own over the table of the engine |
//! | `engine/close.rs` | the orderly end |
//! | `engine/jobs.rs` | how calls get to a durable queue, and how they are made later |

pub mod approval;
mod background;
mod close;
mod early;
mod future;
mod hook_engine;
mod jobs;
pub(crate) mod noop;
mod optional;
pub mod permit;
mod recording;
mod reported;
pub mod scope;
pub mod shadow;
mod swap_error;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Event, FailureClass, StepContext};

use crate::clock;
use crate::decision::{Decision, Outcome};
use crate::dispatch::Services;
use crate::events::Subscription;
use crate::generation::Generation;
use crate::log;
use crate::recorder::Recorder;
use crate::report::Report;
use crate::require::Require;
use crate::step::{Clearance, Clears, HookStep, Stamp, check, events, is_mismatched};
use crate::table::{BuildErrors, HandlerTable, Swap, TableBuilder, word};
use approval::Approvals;
pub use background::{BackgroundCounts, PatchEnvelope};
pub use close::Closed;
pub use future::DispatchFuture;
pub use hook_engine::{DynHookEngine, HookEngine, ReportedFuture};
use hook_engine::{Key, Sealed};
pub use optional::OptionDispatch;
use permit::Permits;
use reported::Settle;
pub use swap_error::SwapError;

/// Evaluates steps by a table that can be swapped while it does.
///
/// # Runtime
///
/// Handlers that answer at once need no runtime. Handlers that wait need tokio with its clock
/// (`enable_time`); outside of it they fail with class `spawn`, and their posture decides. Without the
/// clock they do so too, but tokio cannot be asked for it: it panics when a timer is set, which is caught
/// and which a panic hook of the host sees.
///
/// # Logs
///
/// With a listener of `tracing` (target `hookgate`) each dispatch is a span at `DEBUG`. Swaps, failures
/// and slow hooks are logged at `INFO`, guards that were not enforced and dropped background calls at
/// `WARN`. What was evaluated, and what a hook answered, is never in it.
///
/// # Example
///
/// ```
/// use hookgate::{Engine, Event, Gate, HandlerTable, HookEngine, Hook, StepContext, ToolUse, Verdict};
/// use hookgate::contract::{Invocation, BuiltHandler};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let no_bash = Hook::sync("no-bash", |_| Ok(Verdict::deny("no shell")))
///     .event(Event::PreToolUse)
///     .tool("Bash");
/// let engine = Engine::new(HandlerTable::builder().insert(no_bash).build()?);
///
/// let context = StepContext::new("session-1");
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// let Gate::Denied(denied) = engine.dispatch(bash, &context).await else { panic!() };
/// assert_eq!(denied.feedback(), "denied by no-bash: no shell");
///
/// engine.swap(HandlerTable::empty());
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// assert!(engine.dispatch(bash, &context).await.cleared().is_some());
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
pub struct Engine {
    /// A number that no other engine of the process has.
    id: u64,
    swap: Swap<HandlerTable>,
    shared: Arc<Shared>,
}

/// What an engine has in common with its scopes.
#[derive(Default)]
struct Shared {
    services: Services,
    /// Made when the first one is issued: most engines issue none.
    permits: LazyLock<Box<Permits>>,
    approvals: OnceLock<Box<Approvals>>,
    recorder: Option<Arc<dyn Recorder>>,
}

impl Engine {
    /// Returns an engine with an empty table: it clears every step until a table is put in force. It has no
    /// `Default`, so that hooks that could not be loaded do not become one of these by `unwrap_or_default`.
    ///
    /// ```
    /// use hookgate::{Engine, Event, HookEngine};
    ///
    /// assert!(!Engine::without_hooks().armed(Event::PreToolUse));
    /// ```
    #[must_use]
    pub fn without_hooks() -> Self {
        Self::new(HandlerTable::empty())
    }

    /// Returns an engine with a table, published as generation 1.
    #[must_use]
    pub fn new(mut table: HandlerTable) -> Self {
        // A copy of the table of another engine is not recorded by this one, and not shadowed.
        (table.recorded, table.closed, table.shadow) = (false, None, None);
        Self { id: next_id(), swap: Swap::new(table), shared: Arc::default() }
    }

    /// Returns the table in force. A dispatch that has begun keeps the one that it began with.
    ///
    /// ```
    /// use hookgate::Engine;
    ///
    /// let engine = Engine::without_hooks();
    /// let table = engine.table();
    /// assert!(table.is_empty());
    /// // The limits of the table say which integers a proposal may have.
    /// let integers = table.limits().integers;
    /// let step = hookgate::ToolUse::propose_with("Add", r#"{"a":1}"#, integers);
    /// assert!(step.is_ok());
    /// ```
    #[must_use]
    pub fn table(&self) -> Arc<HandlerTable> {
        self.swap.load_full()
    }

    /// Puts a table in force and returns its generation. Dispatches never wait for this, and each
    /// sees exactly one table: those that have begun end by the old one, those that begin afterwards read
    /// the new one. What is required ([`Engine::set_require`]) is carried over.
    ///
    /// ```
    /// use hookgate::contract::BuiltHandler;
    /// use hookgate::{Engine, Event, HandlerTable, HookEngine, Hook, Invocation, Verdict};
    ///
    /// let engine = Engine::without_hooks();
    /// assert!(!engine.armed(Event::Stop));
    /// let hook = Hook::sync("tests", |_| Ok(Verdict::deny("run the tests first"))).event(Event::Stop);
    /// assert_eq!(engine.swap(HandlerTable::builder().insert(hook).build()?), 2);
    /// assert!(engine.armed(Event::Stop));
    /// # Ok::<_, hookgate::table::BuildErrors>(())
    /// ```
    pub fn swap(&self, table: HandlerTable) -> Generation {
        let hooks = table.len();
        let generation = Generation::new(self.swap.swap(self.marked(table)));
        self.follow_limits();
        log::swapped(generation.get(), hooks);
        generation
    }

    /// Puts a table in force if the table of generation `expected` still is: for a table that was made
    /// from that one.
    ///
    /// ```
    /// use hookgate::{Engine, HandlerTable, HookEngine};
    ///
    /// let engine = Engine::without_hooks();
    /// let seen = engine.generation();
    /// let next = engine.swap_if(seen, HandlerTable::empty())?;
    /// let error = engine.swap_if(seen, HandlerTable::empty()).unwrap_err();
    /// assert_eq!((error.expected(), error.found()), (seen, next));
    /// # Ok::<_, hookgate::engine::SwapError>(())
    /// ```
    ///
    /// # Errors
    /// A [`SwapError`] with the table, if another one was put in force meanwhile.
    pub fn swap_if(
        &self,
        expected: Generation,
        table: HandlerTable,
    ) -> Result<Generation, SwapError> {
        let hooks = table.len();
        let generation = self
            .swap
            .swap_if(expected.get(), self.marked(table))
            .map(Generation::new)
            .map_err(|table| SwapError::new(expected, self.generation(), table))?;
        self.follow_limits();
        log::swapped(generation.get(), hooks);
        Ok(generation)
    }

    /// Changes the hooks in force and returns the new generation. `change` is called again if another
    /// table was put in force meanwhile; of concurrent changes none is lost. Hooks that are put in here, declared in
    /// code or in a text of the host, stay when a [`Reloader`](crate::Reloader) loads its files again.
    ///
    /// ```
    /// use hookgate::{Engine, HookEngine};
    ///
    /// let engine = Engine::without_hooks();
    /// // Takes a hook out, whatever else others change at the same time.
    /// let generation = engine.edit(|table| {
    ///     table.remove("no-bash");
    /// })?;
    /// assert_eq!([generation, engine.generation()], [2, 2]);
    /// # Ok::<_, hookgate::table::BuildErrors>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with the changed table; the old one stays in force.
    pub fn edit(
        &self,
        mut change: impl FnMut(&mut TableBuilder),
    ) -> Result<Generation, BuildErrors> {
        loop {
            let seen = self.table();
            let mut builder = TableBuilder::from_table(&seen);
            change(&mut builder);
            if let Ok(generation) = self.swap_if(seen.generation(), builder.build()?) {
                return Ok(generation);
            }
        }
    }

    /// Sets what must be guarded, in place of all that was required before. Nothing else lowers it:
    /// a table that is put in force, or a config that is loaded again, can only require more.
    ///
    /// # Errors
    /// What cannot be required: a hook that is not in the table in force, an event at which nothing
    /// can be denied. Then nothing changes.
    pub fn set_require(&self, require: Require) -> Result<Generation, BuildErrors> {
        loop {
            let seen = self.table();
            let mut builder = TableBuilder::from_table(&seen);
            builder.require_only(require.clone());
            let table = self.marked(builder.build()?);
            if let Ok(generation) = self.swap.swap_if(seen.generation().get(), table) {
                return Ok(Generation::new(generation));
            }
        }
    }

    /// Subscribes to what hooks do from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.shared.services.stream.subscribe()
    }

    /// Returns how often a hook of the table in force has failed in a way, since it was first put in
    /// force; 0 for a hook that the table does not have. A hook that is unchanged in the next table keeps
    /// its counts.
    ///
    /// ```
    /// use hookgate::contract::BuiltHandler;
    /// use hookgate::{Engine, Event, Failure, FailureClass, HandlerTable, HookEngine, Hook};
    /// use hookgate::{Invocation, StepContext, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let broken = |_: Invocation<'_>| Err(Failure::new(FailureClass::Exit, "it broke"));
    /// let hook = Hook::new("broken", "rust", BuiltHandler::from_sync(broken)).event(Event::PreToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    /// let step = ToolUse::propose("Bash", "{}").unwrap();
    /// // A guard that fails denies, unless its posture says otherwise.
    /// assert!(!engine.dispatch(step, &StepContext::new("s")).await.is_cleared());
    /// assert_eq!(engine.failures("broken", FailureClass::Exit), 1);
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn failures(&self, hook: &str, class: FailureClass) -> u64 {
        self.swap
            .load()
            .hooks()
            .find(|h| h.spec.id() == hook)
            .map_or(0, |hook| hook.failures(class))
    }

    /// Returns how many calls of hooks are left behind: their time is over, nobody waits for their result, and they
    /// keep a blocking thread until they end by themselves, since a thread cannot be stopped. Only calls for large
    /// steps are on such a thread. A number that grows means that a hook has to be mended: the threads of a runtime
    /// are limited.
    #[must_use]
    pub fn left_behind(&self) -> usize {
        self.shared.services.left_behind.count()
    }

    /// Has those who wait for places be served by the limits of the table in force, which may be a later one by now.
    fn follow_limits(&self) {
        let table = self.swap.load();
        self.shared.services.places.follow(table.generation().get(), &table.limits);
    }

    /// Returns an engine with a table of its own, which shares all else with another one.
    fn over(base: &Self, table: HandlerTable, generation: Generation) -> Self {
        let swap = Swap::at(table, generation.get());
        Self { id: next_id(), swap, shared: Arc::clone(&base.shared) }
    }

    /// Returns what is in common with the scopes of the engine, which has none yet.
    #[expect(clippy::expect_used, reason = "see the invariant")]
    fn shared_mut(&mut self) -> &mut Shared {
        // INVARIANT: a scope is of an engine in an `Arc` and keeps it there, so one that is held by value has no scope.
        Arc::get_mut(&mut self.shared).expect("an engine that is configured has no scopes")
    }

    /// Returns which engine and which generation a clearance comes from.
    #[inline]
    const fn stamp(&self, generation: Generation) -> Stamp {
        Stamp { engine: self.id, word: word(0, generation.get()) }
    }

    /// Makes the proof that a step was evaluated, under the id that hooks and the report have seen.
    fn clearance(
        &self,
        mut decision: Option<Box<Decision>>,
        generation: Generation,
        step_id: Option<String>,
        context: &StepContext<'_>,
    ) -> Clearance {
        match (&mut decision, step_id) {
            // By its id a question is known, wherever it is answered.
            (Some(decision), None) if decision.outcome == Outcome::Ask => {
                decision.step_id = Some(clock::step_id());
            }
            (Some(decision), step_id) => decision.step_id = step_id,
            (None, Some(id)) => decision = Some(Decision::silent(id, generation)),
            (None, None) => {}
        }
        let stamp = self.stamp(generation).in_session(context.session_id);
        Clearance { stamp, decision }
    }
}

impl Shared {
    /// Returns the key and the answers of questions. Most engines park none.
    fn approvals(&self) -> &Approvals {
        self.approvals.get_or_init(Box::default)
    }
}

/// Returns a number that no engine of the process has.
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(Stamp::NO_ENGINE.engine + 1);
    // ORDERING: only that no number is given twice matters.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("table", &*self.swap.load()).finish_non_exhaustive()
    }
}

impl Sealed for Engine {
    fn as_engine(&self) -> Option<&Engine> {
        Some(self)
    }

    #[inline]
    fn identity(&self) -> u64 {
        self.id
    }

    #[inline]
    fn table_generation(&self) -> Generation {
        self.swap.load().generation()
    }

    #[inline]
    fn armed_word(&self) -> u64 {
        self.swap.word()
    }

    fn evaluate_any<'a>(
        &'a self,
        _: Key,
        payload: &'a mut dyn AnyPayload,
        context: &'a StepContext<'a>,
        settle: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>)> + Send + 'a>> {
        Box::pin(future::evaluate_waiting(self, payload, context, settle))
    }

    fn evaluate_any_reported<'a>(
        &'a self,
        _: Key,
        payload: &'a mut dyn AnyPayload,
        context: &'a StepContext<'a>,
        settle: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>, Report)> + Send + 'a>> {
        Box::pin(self.clear_reported(payload, context, settle, true))
    }
}

impl HookEngine for Engine {
    type Dispatch<'a, S: HookStep + 'a> = DispatchFuture<'a, S>;

    #[inline]
    fn armed(&self, event: Event) -> bool {
        self.swap.is_armed(event.bit())
    }

    #[inline]
    fn generation(&self) -> Generation {
        self.swap.load().generation()
    }

    #[inline]
    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
        const { check::<S>() };
        let word = self.swap.word();
        if word & const { events::<S>() } != 0 || is_mismatched(&step) {
            Err(step)
        } else {
            let stamp = Stamp { engine: self.id, word };
            Ok(S::Cleared::clear(step, Clearance::silent(stamp)))
        }
    }

    #[inline]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> DispatchFuture<'a, S> {
        const { check::<S>() };
        DispatchFuture::new(self, step, context)
    }
}
