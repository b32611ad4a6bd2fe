//! A whole table in shadow: it judges the steps that another table decides, and nothing comes of it.
//!
//! A new config is best seen at work before it is put in force. [`Engine::shadow`](crate::Engine::shadow) has a running
//! engine hand each step, as it came, to a second table, after the table in force has decided. What the second one
//! would have decided otherwise is a [`ShadowDelta`]. [`Shadow::promote`](Shadow::promote) puts the second table
//! in force.
//!
//! ```text
//! dispatch ─ is there room? ─▶ the envelope as it came ─▶ the table in force decides ─▶ the gate
//!                 │ no                                              │ try_send
//!                 └─▶ dropped, and counted         the thread of the shadow ─▶ judge ─▶ delta
//! ```
//!
//! # What a shadow does not do
//!
//! * **It delays nothing.** A dispatch makes a copy of its step, and waits for nothing. What the queue has no room for is
//!   dropped and counted.
//! * **It calls nothing outside of the process.** A hook whose handler is [external](crate::HookSpec::is_external) (a program,
//!   a service, a model, a log file) is not called, unless it says that it is [pure](crate::HookSpec::is_pure). It counts as a hook without an
//!   opinion, and each delta names those hooks that were not called for its step.
//! * **It shares no state**, if the host has made its table with a [`Registry`](crate::Registry) of its own: what hooks count
//!   and remember is in the kinds of a registry. Two tables of one registry may share it.
//!
//! A closure of the host is called like any other handler. It can find out that it is called in shadow by no other
//! way than being another closure.

mod counts;
mod delta;
pub(super) mod queue;
mod table;

use std::any::Any;
use std::sync::{Arc, Weak};

use tokio::runtime::Handle;

use super::{Engine, SwapError};
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::table::{BuildErrors, HandlerTable};
use counts::Counters;
pub use counts::ShadowCounts;
pub use delta::{ShadowDelta, ShadowSide};
use queue::{ShadowQueue, queue};
pub use table::ShadowTable;

impl Engine {
    /// Has a second table judge every step from now on, beside the table in force and without an effect: see
    /// [`shadow`](crate::engine::shadow). `capacity` is how many steps may wait to be judged; what comes then is dropped and
    /// counted. `on_delta` is called with each step that would have come out otherwise, on the thread of the shadow.
    ///
    /// Every event of the engine is armed as long as the shadow runs, and a dispatch costs what one with a report
    /// does, and a copy of its step. It stays on while other tables are put in force. It ends when it is stopped,
    /// promoted or dropped, and the engine costs what it did before.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Outcome, StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let engine = Arc::new(Engine::without_hooks());
    /// let freeze = Hook::sync("freeze", |_| Ok(Verdict::deny("not today"))).event(Event::PreToolUse);
    /// let next = HandlerTable::builder().insert(freeze).build()?;
    ///
    /// let deltas = Arc::new(Mutex::new(Vec::new()));
    /// let seen = Arc::clone(&deltas);
    /// let shadow = engine.shadow(next, 1024, move |delta| seen.lock().unwrap().push(delta))?;
    /// let bash = || ToolUse::propose("Bash", "{}").unwrap();
    /// assert!(engine.dispatch(bash(), &StepContext::new("s")).await.is_cleared());
    ///
    /// shadow.settle().await;
    /// assert_eq!(deltas.lock().unwrap()[0].shadow.decision, Outcome::Deny);
    /// assert_eq!((shadow.counts().judged, shadow.counts().different), (1, 1));
    ///
    /// shadow.promote()?;
    /// assert!(!engine.dispatch(bash(), &StepContext::new("s")).await.is_cleared());
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// There is a shadow already, or no thread for this one; it is not called in a tokio runtime, on which the hooks of
    /// the shadow would wait.
    pub fn shadow(
        self: &Arc<Self>,
        table: HandlerTable,
        capacity: usize,
        on_delta: impl Fn(ShadowDelta) + Send + 'static,
    ) -> Result<Shadow, ShadowError> {
        let runtime = Handle::try_current().map_err(|_| ShadowError::NoRuntime)?;
        let table = Arc::new(ShadowTable::beside(table, Some(&self.table()))?);
        let (queue, judge) = queue(capacity, Arc::clone(&table), Box::new(on_delta));
        let queue = Arc::new(queue);
        // Not a task: a hook that blocks its thread would hold up the dispatches of a runtime that has no other one.
        let thread = std::thread::Builder::new().name("hookgate-shadow".to_owned());
        thread.spawn(move || runtime.block_on(judge.run())).map_err(ShadowError::Thread)?;
        let begun = self.swap.mark(|current| {
            let mut next = current.shadow.is_none().then(|| current.clone())?;
            let shadow: Arc<dyn Any + Send + Sync> = Arc::<ShadowQueue>::clone(&queue);
            (next.recorded, next.shadow) = (true, Some(shadow));
            Some(next)
        });
        let begun = Generation::new(begun.ok_or(ShadowError::Already)?);
        Ok(Shadow { engine: Arc::downgrade(self), queue, table, begun })
    }

    /// Takes a shadow off the table in force, if it is there.
    fn end_shadow(&self, queue: &Arc<ShadowQueue>) {
        self.swap.mark(|current| {
            let of_table = current.shadow.as_deref()?.downcast_ref::<ShadowQueue>();
            let is_it = of_table.is_some_and(|shadow| std::ptr::eq(shadow, &**queue));
            is_it.then(|| self.marked_as(current))
        });
    }
}

/// A shadow that runs: see [`Engine::shadow`]. It ends when this is dropped.
///
/// The thread of a shadow ends at once, unless a hook blocks it: then it ends when that hook returns.
#[must_use = "the shadow ends when this is dropped"]
#[derive(Debug)]
pub struct Shadow {
    engine: Weak<Engine>,
    queue: Arc<ShadowQueue>,
    table: Arc<ShadowTable>,
    begun: Generation,
}

impl Shadow {
    /// Returns the table that judges, as it was given.
    #[must_use]
    pub fn table(&self) -> &HandlerTable {
        self.table.table()
    }

    /// Returns the hooks of the table that are not called in shadow, because they are external and not pure.
    pub fn not_called(&self) -> impl Iterator<Item = &HookId> {
        self.table.not_called()
    }

    /// Returns the generation that was in force when the shadow began.
    #[must_use]
    pub const fn begun(&self) -> Generation {
        self.begun
    }

    /// Returns how many steps were judged so far, and how.
    #[must_use]
    pub fn counts(&self) -> ShadowCounts {
        self.queue.shared.counters.counts()
    }

    /// Waits until all steps that were decided so far are judged.
    ///
    /// # Cancel safety
    /// Nothing is lost if the future is dropped.
    pub async fn settle(&self) {
        self.queue.settle().await;
    }

    /// Puts the table in force, with the hooks that were not called in shadow, if the table that was in force when the
    /// shadow began still is: what was seen is a comparison with that one. The shadow has ended then.
    ///
    /// What its hooks have counted and remembered goes on.
    ///
    /// # Errors
    /// Another table was put in force meanwhile, or the engine is gone. Nothing has changed then; the shadow goes on.
    pub fn promote(&self) -> Result<Generation, PromoteError> {
        let engine = self.engine.upgrade().ok_or(PromoteError::EngineGone)?;
        let generation = engine.swap_if(self.begun, self.table().clone())?;
        self.end_in(&engine);
        Ok(generation)
    }

    /// Ends the shadow and returns its counts. Steps that wait to be judged are not judged any more.
    pub fn stop(self) -> ShadowCounts {
        self.counts()
    }

    fn end_in(&self, engine: &Engine) {
        engine.end_shadow(&self.queue);
        self.queue.shared.stop();
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        match self.engine.upgrade() {
            Some(engine) => self.end_in(&engine),
            None => self.queue.shared.stop(),
        }
    }
}

/// A shadow was not begun.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShadowError {
    /// The engine has a shadow.
    #[error("the engine has a shadow already: stop that one first")]
    Already,
    /// There is no tokio runtime.
    #[error("a shadow is begun in a tokio runtime: its hooks wait there")]
    NoRuntime,
    /// There is no thread for it.
    #[error("no thread could be started for the shadow")]
    Thread(#[source] std::io::Error),
    /// The table cannot be built with hooks that are not called.
    #[error(transparent)]
    Build(#[from] BuildErrors),
}

/// The table of a shadow was not put in force.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromoteError {
    /// Another table was put in force since the shadow began, so what was seen is no comparison with it.
    #[error("another table was put in force since the shadow began: {0}")]
    Swapped(#[from] SwapError),
    /// The engine is gone.
    #[error("the engine of the shadow is gone")]
    EngineGone,
}
