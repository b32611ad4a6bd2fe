//! Programs that stay, and answer many calls.
//!
//! # How it fits together
//! ```text
//! ProgramPool ── waits for a place ───► Lease ── takes an idle process, or starts one
//!     │                                   │
//!     └─ PoolState: idle processes,       └─ Member: a LineProcess (the pipes, line by line)
//!        places, crash backoff               and a Conversation (what the lines mean)
//! ```
//!
//! A process answers one call at a time, so one that hangs spoils one call. Further calls wait for a
//! free one, at which sessions take turns, and more than `queue` of them fail as `overloaded`. Processes that die in a row are started
//! ever later: at once, then after 100 ms, 200 ms, … 12.8 s.
//!
//! No process is started when the pool is built, since a config may have many hooks and use few of
//! them. The first call pays for the start, unless the probe of the hook has had a process ready before.

mod backoff;
mod conversation;
mod lease;
mod member;
mod settings;
mod state;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::{Failure, Invocation, Resource};
use hookgate_secrets::Secrets;
use tokio::time::Instant;

use crate::run::{Spawner, check_runtime};
pub use conversation::Conversation;
use lease::Lease;
pub(crate) use settings::PoolSettings;
use state::PoolState;

/// The processes of one hook. They are started when they are needed, and end when the last clone of
/// the pool is dropped.
pub struct ProgramPool<C: Conversation>(Arc<PoolState<C>>);

impl<C: Conversation> ProgramPool<C> {
    /// Makes a pool without a process.
    pub(crate) fn new(
        spawner: Spawner,
        settings: PoolSettings,
        max_output: usize,
        conversation: C,
    ) -> Self {
        Self(Arc::new(PoolState::new(spawner, settings, max_output, conversation)))
    }

    /// Returns the program that is run.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.0.spawner.command_line.program
    }

    /// Returns what must not appear in what a handler says: the values of the variables that the
    /// program gets, as they are now.
    #[must_use]
    pub fn secrets(&self) -> Secrets {
        self.0.spawner.environment.secrets(None)
    }

    /// Makes one call with whichever process is free first.
    ///
    /// # Errors
    /// The failure of the process. Secrets are not hidden in it yet.
    ///
    /// # Cancel safety
    /// If the future is dropped, a decision in what was read of the answer is left with the invocation,
    /// and the process has `grace` to finish its answer.
    pub async fn call<'a>(
        &self,
        invocation: Invocation<'a>,
        request: &C::Request,
        secrets: &'a Secrets,
    ) -> Result<C::Answer, Failure> {
        self.0.spawner.environment.check_shared(invocation.context().env)?;
        check_runtime()?;
        let place = self.0.take_place(invocation).await?;
        let mut lease = Lease::new(Arc::clone(&self.0), place, secrets);
        // Only now: who waits for a process of this hook must not keep others from theirs.
        let _place = invocation.place(Resource::Process).await?;
        lease.call(invocation, request).await
    }

    /// Has a process ready, and keeps it for the first call. Returns how long that took, in whole
    /// milliseconds.
    ///
    /// # Errors
    /// The failure that a call would have.
    pub async fn warm_up(&self, hook: &str, secrets: &Secrets) -> Result<Duration, Failure> {
        check_runtime()?;
        let place = self.0.take_place_for_probe().await?;
        let mut lease = Lease::new(Arc::clone(&self.0), place, secrets);
        let start = Instant::now();
        lease.take_member(hook).await?;
        let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Duration::from_millis(millis))
    }
}

impl<C: Conversation> Clone for ProgramPool<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: Conversation> fmt::Debug for ProgramPool<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramPool").field("program", &self.program()).finish_non_exhaustive()
    }
}
