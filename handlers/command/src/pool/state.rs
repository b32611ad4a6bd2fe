//! What the calls of one pool share: idle processes, places, and the record of crashes.
//!
//! INVARIANT: there are never more processes than places. A place goes with a [lease](super::lease),
//! and a cancelled lease keeps it until its process is idle again or dead.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hookgate_contract::{Failure, FailureClass, FairLimit, Invocation, Place};
use tokio::time::Instant;

use super::backoff::Backoff;
use super::conversation::Conversation;
use super::member::Member;
use super::settings::PoolSettings;
use crate::line_process::LineProcess;
use crate::run::Spawner;

/// The state of a pool; calls that were cancelled still hold it.
pub(super) struct PoolState<C> {
    pub(super) spawner: Spawner,
    pub(super) settings: PoolSettings,
    max_output: usize,
    /// What is cloned for each process.
    conversation: C,
    backoff: Mutex<Backoff>,
    places: FairLimit,
    idle: Mutex<Vec<Member<C>>>,
}

impl<C: Conversation> PoolState<C> {
    pub(super) fn new(
        spawner: Spawner,
        settings: PoolSettings,
        max_output: usize,
        conversation: C,
    ) -> Self {
        Self {
            spawner,
            settings,
            max_output,
            conversation,
            backoff: Mutex::new(Backoff::new(C::NAME)),
            places: FairLimit::new(settings.workers, settings.queue),
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Waits until a process may be used, at which sessions take turns.
    ///
    /// # Errors
    /// Of class `overloaded` if `queue` calls wait already.
    ///
    /// # Cancel safety
    /// A dropped future has left the queue.
    pub(super) async fn take_place(&self, invocation: Invocation<'_>) -> Result<Place, Failure> {
        invocation.place_in(&self.places, || self.busy()).await
    }

    /// As [`Self::take_place`], for a probe.
    pub(super) async fn take_place_for_probe(&self) -> Result<Place, Failure> {
        let taken = self.places.take("").await;
        taken.map_err(|_| Failure::new(FailureClass::Overloaded, self.busy()))
    }

    fn busy(&self) -> String {
        let (most, name) = (self.settings.workers, C::NAME);
        format!("{most} of {most} processes ({name}) of the hook were at work: raise `workers`")
    }

    /// Takes a process that waits for a call and can be used here. Those that cannot are ended.
    pub(super) fn take_idle(&self) -> Option<Member<C>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(Member::is_usable)
    }

    /// Takes back a process that waits for a call; after `max_calls` it is ended.
    pub(super) fn give_back(&self, member: Member<C>) {
        if member.calls() < self.settings.max_calls {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(member);
        }
    }

    /// Starts a process.
    ///
    /// # Errors
    /// If it cannot be started, or if they keep dying and it is too early for the next one.
    pub(super) fn start_member(&self, hook: &str) -> Result<Member<C>, Failure> {
        self.crash_backoff()
            .check(Instant::now())
            .map_err(|too_early| Failure::new(FailureClass::Spawn, too_early.to_string()))?;
        let spawner = &self.spawner;
        let spawned = spawner.spawn(hook, &spawner.base, |command| {
            command.envs(C::VARIABLES.iter().copied());
        });
        match spawned {
            Ok(program) => {
                let process = LineProcess::new(program, self.max_output, C::NAME, C::decision_in);
                Ok(Member::new(process, self.conversation.clone()))
            }
            Err(not_started) => {
                self.crash_backoff().record_crash(Instant::now());
                Err(not_started.into())
            }
        }
    }

    /// Locks the record of crashes. The guard must not live across an await.
    pub(super) fn crash_backoff(&self) -> MutexGuard<'_, Backoff> {
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
