//! The orderly end of an engine: no new steps, those that wait are waited for, and one value says what was left.

use std::time::Duration;

use serde::Serialize;

use super::Engine;
use crate::clock::Instant;
use crate::dispatch::BackgroundCounts;
use crate::generation::Generation;
use crate::timer::wait_at_most;

/// Why a step is refused that comes after the end.
const CLOSED: &str = "the engine is closed: the program is about to end";

/// What was left when an engine was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Closed {
    /// Dispatches that were waiting for a hook when the time was over.
    pub dispatches: usize,
    /// How many background calls came to which end; those that are pending were not waited for any longer.
    pub background: BackgroundCounts,
    /// Calls that keep a thread although their time is over: see [`Engine::left_behind`].
    pub left_behind: usize,
    /// The generation of the last table.
    pub generation: Generation,
}

impl Closed {
    /// Returns whether all that was begun has ended.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.dispatches == 0 && self.background.pending == 0 && self.left_behind == 0
    }
}

impl Engine {
    /// Closes the engine: every step that comes from now on is refused, in its scopes too, however often the table is
    /// swapped; dispatches that wait for a hook, and background calls, are waited for until `deadline` is over.
    ///
    /// A step that cannot be refused is evaluated as before, so that hooks hear of `session_end`. So is one that is only
    /// refused by who wants to keep the agent from stopping. An approval clears nothing any more. The result of a tool
    /// is withheld from the model: let tools end before.
    ///
    /// A dispatch whose hooks answer at once is not counted: one that another thread is in the middle of may still clear its
    /// step.
    ///
    /// A host whose hooks are commands calls `command::settle` after it, and only then ends its runtime.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hookgate::{Engine, HookEngine, StepContext, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let engine = Engine::without_hooks();
    /// let closed = engine.close(Duration::from_secs(5)).await;
    /// assert!(closed.is_clean(), "{}", serde_json::to_string(&closed).unwrap());
    ///
    /// let late = ToolUse::propose("Bash", "{}").unwrap();
    /// assert!(!engine.dispatch(late, &StepContext::new("s")).await.is_cleared());
    /// # });
    /// ```
    ///
    /// # Cancel safety
    /// The engine is closed from the first poll on. What ends later can be waited for by closing it again.
    pub async fn close(&self, deadline: Duration) -> Closed {
        let end = Instant::now().checked_add(deadline);
        self.swap.mark(|current| {
            let mut closed = current.clone();
            closed.close(CLOSED);
            Some(closed)
        });
        let services = &self.shared.services;
        // Where there is no clock, what waits is not waited for, and counted below.
        let _ = wait_at_most(deadline, services.in_flight.none()).await;
        let left = end.map_or(deadline, |end| end.saturating_duration_since(Instant::now()));
        let background = services.background.shutdown(left).await;
        Closed {
            dispatches: services.in_flight.count(),
            background,
            left_behind: self.left_behind(),
            generation: self.table().generation(),
        }
    }

    /// Returns whether the engine was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.swap.load().closed.is_some()
    }
}
