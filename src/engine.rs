//! The engine: holds the table, judges steps, swaps the table while they are judged.

mod pending;
mod recording;
mod reported;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hookgate_contract::{Event, FailureClass, StepContext};

use crate::background::{Background, BackgroundCounts, PatchEnvelope};
use crate::decision::Decision;
use crate::events::{EventSender, Subscription};
use crate::generation::Generation;
use crate::permit::Permits;
use crate::recorder::Recorder;
use crate::require::Require;
use crate::step::{Clearance, Clears, Gate, HookStep, Stamp, check, events};
use crate::stops::Stops;
use crate::table::{BuildErrors, HandlerTable, Swap, TableBuilder, word};
pub use pending::Dispatch;

mod sealed {
    #[expect(unnameable_types, reason = "nobody else can name it, so nobody else can be an engine")]
    pub trait Sealed {
        /// A number that no other engine of the process has; 0 for an engine without hooks.
        fn identity(&self) -> u64;

        /// The engine itself, where there is one: for what is recorded.
        fn as_engine(&self) -> Option<&super::Engine> {
            None
        }
    }
}
pub(crate) use sealed::Sealed;

/// What judges steps: an [`Engine`], or [`Noop`](crate::Noop) where no hooks are wanted. Nobody
/// else can, so a cleared step has been judged.
///
/// A runtime takes `E: HookEngine = Noop`.
pub trait HookEngine: Sealed + Send + Sync {
    /// The future of a dispatch.
    type Dispatch<'a, S: HookStep + 'a>: Future<Output = Gate<S>> + Send
    where
        Self: 'a;

    /// Whether an event has a hook.
    fn armed(&self, event: Event) -> bool;

    /// The generation of the table in force.
    fn generation(&self) -> Generation;

    /// Clears a step whose event has no hook, at once; gives any other back, to be dispatched.
    ///
    /// # Errors
    /// The step, where a hook may want to judge it.
    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S>;

    /// Has a step judged.
    ///
    /// # Cancel safety
    /// Dropping the future stops the handlers; the step is gone with it.
    #[must_use = "a step is judged only if the future is awaited"]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> Self::Dispatch<'a, S>;
}

impl<E: HookEngine> Sealed for Arc<E> {
    #[inline]
    fn identity(&self) -> u64 {
        (**self).identity()
    }

    fn as_engine(&self) -> Option<&Engine> {
        (**self).as_engine()
    }
}

impl<E: HookEngine> HookEngine for Arc<E> {
    type Dispatch<'a, S: HookStep + 'a>
        = E::Dispatch<'a, S>
    where
        Self: 'a;

    #[inline]
    fn armed(&self, event: Event) -> bool {
        (**self).armed(event)
    }

    #[inline]
    fn generation(&self) -> Generation {
        (**self).generation()
    }

    #[inline]
    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
        (**self).pass(step)
    }

    #[inline]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> Self::Dispatch<'a, S> {
        (**self).dispatch(step, context)
    }
}

/// Judges steps by a table that can be swapped while it does.
///
/// Handlers that wait need a tokio runtime with its clock (`enable_time`); outside of one they fail
/// with class `spawn`. Without the clock they do so too, but tokio cannot be asked for it: it panics
/// once for each call, which is caught and which a panic hook of the host sees.
///
/// Who listens to `tracing` (target `hookgate`) hears of each dispatch as a span at `DEBUG`, of swaps,
/// failures and slow hooks at `INFO`, of guards that were not enforced and of dropped background
/// calls at `WARN`. Nothing that was judged, and nothing that a hook said, stands there.
///
/// ```
/// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
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
/// engine.swap(HandlerTable::default());
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// assert!(engine.dispatch(bash, &context).await.cleared().is_some());
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
pub struct Engine {
    /// No other engine of the process has it.
    id: u64,
    swap: Swap<HandlerTable>,
    stream: EventSender,
    background: Background,
    stops: Stops,
    pub(crate) permits: Permits,
    recorder: Option<Arc<dyn Recorder>>,
}

impl Default for Engine {
    /// An engine with an empty table.
    fn default() -> Self {
        Self::new(HandlerTable::default())
    }
}

impl Engine {
    /// An engine with a table, published as generation 1.
    #[must_use]
    pub fn new(table: HandlerTable) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(Stamp::NOBODY.engine + 1);
        let stream = EventSender::default();
        Self {
            // ORDERING: only that no number is given twice matters.
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            swap: Swap::new(table),
            background: Background::new(stream.clone()),
            stops: Stops::default(),
            stream,
            permits: Permits::default(),
            recorder: None,
        }
    }

    /// The table in force. A dispatch that has begun keeps the one that it began with.
    #[must_use]
    pub fn table(&self) -> Arc<HandlerTable> {
        self.swap.load_full()
    }

    /// Puts a table in force and returns its generation. Dispatches never wait for this, and each
    /// sees exactly one table.
    pub fn swap(&self, table: HandlerTable) -> Generation {
        let hooks = table.len();
        let generation = Generation::new(self.swap.swap(table));
        log_swap(generation, hooks);
        generation
    }

    /// Puts a table in force if the one of this generation still is.
    ///
    /// # Errors
    /// The table, where another one was put in force meanwhile.
    pub fn swap_if(
        &self,
        expected: Generation,
        table: HandlerTable,
    ) -> Result<Generation, Box<HandlerTable>> {
        let hooks = table.len();
        let generation = self.swap.swap_if(expected.get(), table).map_err(Box::new)?;
        let generation = Generation::new(generation);
        log_swap(generation, hooks);
        Ok(generation)
    }

    /// Changes the hooks in force. The change may be made several times, if others change them
    /// too; no change is lost.
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
            if let Ok(generation) = self.swap.swap_if(seen.generation().get(), builder.build()?) {
                return Ok(Generation::new(generation));
            }
        }
    }

    /// What hooks do from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.stream.subscribe()
    }

    /// What became of the background calls.
    #[must_use]
    pub fn background(&self) -> BackgroundCounts {
        self.background.counts()
    }

    /// Waits until the background calls have ended, but no longer than this. Calls of a tokio runtime
    /// that has ended are lost; they are counted and not waited for. Outside of a tokio runtime, and in
    /// one without its clock, nothing can be waited for: a warning of `tracing` says so, and the
    /// counts say what is pending.
    ///
    /// While sessions run there are always new calls: to end, use [`Engine::shutdown`].
    pub async fn drain(&self, deadline: Duration) -> BackgroundCounts {
        self.background.drain(deadline).await
    }

    /// Takes no more background calls (they are dropped, counted and told as that), and waits for those
    /// that were taken as [`Engine::drain`] does. Steps are judged as before.
    ///
    /// A host that ends does this first; then, where hooks are commands, `command::settle`; and only
    /// then it ends its runtime. What is still pending is lost with the runtime.
    pub async fn shutdown(&self, deadline: Duration) -> BackgroundCounts {
        self.background.shutdown(deadline).await
    }

    /// The patches that background rewriters have published for a session, those that a report or an
    /// earlier call of this took excepted. They are never applied.
    ///
    /// They wait to be taken: 256 of a session, the latest, and those of 4096 sessions. What goes out
    /// for others is counted in [`BackgroundCounts::patches_lost`].
    #[must_use]
    pub fn take_published(&self, session_id: &str) -> Vec<PatchEnvelope> {
        self.background.take_published(session_id)
    }

    /// Forgets what the engine keeps of a session: published patches that nobody took, and how many
    /// times in a row its agents were kept from stopping. Without it the oldest sessions go out once
    /// there are 4096.
    pub fn forget_session(&self, session_id: &str) {
        drop(self.background.take_published(session_id));
        self.stops.forget(session_id);
    }

    /// How often a hook of the table in force has failed in a way, since it was first put in force.
    #[must_use]
    pub fn failures(&self, hook: &str, class: FailureClass) -> u64 {
        self.swap
            .load()
            .hooks()
            .find(|h| h.spec.id() == hook)
            .map_or(0, |hook| hook.failures(class))
    }

    /// What a clearance under a generation says of who has judged.
    #[inline]
    const fn stamp(&self, generation: Generation) -> Stamp {
        Stamp { engine: self.id, word: word(0, generation.get()) }
    }

    /// The proof that a step was judged, under the name that hooks and the report have for it.
    fn seal(
        &self,
        mut decision: Option<Box<Decision>>,
        generation: Generation,
        step_id: Option<String>,
    ) -> Clearance {
        match (&mut decision, step_id) {
            (Some(decision), step_id) => decision.step_id = step_id,
            (None, Some(id)) => decision = Some(Box::new(Decision::silent(id, generation))),
            (None, None) => {}
        }
        Clearance { stamp: self.stamp(generation), decision }
    }
}

fn log_swap(generation: Generation, hooks: usize) {
    let generation = generation.get();
    tracing::info!(target: "hookgate", generation, hooks, "a table was put in force");
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("table", &*self.swap.load()).finish_non_exhaustive()
    }
}

impl Sealed for Engine {
    #[inline]
    fn identity(&self) -> u64 {
        self.id
    }

    fn as_engine(&self) -> Option<&Engine> {
        Some(self)
    }
}

impl HookEngine for Engine {
    type Dispatch<'a, S: HookStep + 'a> = Dispatch<'a, S>;

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
        if word & const { events::<S>() } != 0 {
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
    ) -> Dispatch<'a, S> {
        const { check::<S>() };
        Dispatch::new(self, step, context)
    }
}
