//! What a host does with background hooks: count them, wait for them, take what they published.

use std::time::Duration;

use super::Engine;
use super::permit::Revocation;
pub use crate::dispatch::{BackgroundCounts, PatchEnvelope};

impl Engine {
    /// Returns how many background calls came to which end.
    #[must_use]
    pub fn background(&self) -> BackgroundCounts {
        self.shared.services.background.counts()
    }

    /// Waits until all background calls have ended, but no longer than `timeout`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use std::time::Duration;
    /// use hookgate::contract::BuiltHandler;
    /// use hookgate::{Engine, Event, HandlerTable, HookEngine, Hook, Invocation, Role};
    /// use hookgate::{StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let calls = Arc::new(AtomicU32::new(0));
    /// let seen = Arc::clone(&calls);
    /// let audit = BuiltHandler::from_sync(move |_: Invocation<'_>| {
    ///     seen.fetch_add(1, Ordering::Relaxed);
    ///     Ok(Verdict::none())
    /// });
    /// let hook = Hook::new("audit", "rust", audit)
    ///     .event(Event::PreToolUse)
    ///     .role(Role::Observe)
    ///     .background(true);
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    ///
    /// let step = ToolUse::propose("Bash", "{}").unwrap();
    /// // The dispatch does not wait for the audit.
    /// assert!(engine.dispatch(step, &StepContext::new("s")).await.is_cleared());
    /// let counts = engine.drain(Duration::from_secs(5)).await;
    /// assert_eq!((counts.finished, calls.load(Ordering::Relaxed)), (1, 1));
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    ///
    /// Calls of a tokio
    /// runtime that has ended are lost: they are counted as that and not waited for.
    ///
    /// Outside of a tokio runtime, and in one without its clock, it cannot wait: it logs a warning
    /// and returns the counts, which say how many calls are pending.
    ///
    /// While sessions run there are always new calls. To end, use [`Engine::shutdown`].
    ///
    /// # Cancel safety
    /// Nothing is lost if the future is dropped; the calls go on.
    pub async fn drain(&self, timeout: Duration) -> BackgroundCounts {
        self.shared.services.background.drain(timeout).await
    }

    /// Takes no more background calls (they are dropped, counted and announced as that), and waits
    /// for those that were taken, as [`Engine::drain`] does. Dispatches go on as before.
    ///
    /// A host that ends calls this first, then, if hooks are commands, `command::settle`, and only
    /// then ends its runtime. Calls that are still pending are lost with the runtime.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hookgate::Engine;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let engine = Engine::without_hooks();
    /// // … sessions run, and end …
    /// let counts = engine.shutdown(Duration::from_secs(5)).await;
    /// if counts.pending > 0 {
    ///     eprintln!("{} background calls did not end in time", counts.pending);
    /// }
    /// # });
    /// ```
    pub async fn shutdown(&self, timeout: Duration) -> BackgroundCounts {
        self.shared.services.background.shutdown(timeout).await
    }

    /// Takes the patches that background rewriters have published for a session, except those that a
    /// report or an earlier call has taken. They are never applied by the engine.
    ///
    /// At most 256 patches of a session are kept, the latest, and those of 4096 sessions. What is
    /// evicted is counted in [`BackgroundCounts::patches_lost`].
    #[must_use]
    pub fn take_published(&self, session_id: &str) -> Vec<PatchEnvelope> {
        self.shared.services.background.take_published(session_id)
    }

    /// Forgets what the engine keeps of a session: published patches that were not taken, and how
    /// many times in a row its agents were kept from stopping, and how hooks ended that others need. Without this call the oldest sessions
    /// are evicted once there are 4096. Permits of the session that were not used are revoked.
    pub fn forget_session(&self, session_id: &str) {
        drop(self.shared.services.background.take_published(session_id));
        self.shared.services.stops.forget_session(session_id);
        self.shared.services.turn_notes.forget_session(session_id);
        self.revoke(Revocation::Session(session_id));
    }
}
