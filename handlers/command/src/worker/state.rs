//! What the calls of one pool share: idle workers, permits, and the record of crashes.
//!
//! INVARIANT: there are never more processes than permits. A permit goes with a [lease](super::lease),
//! and a cancelled lease keeps it until its worker is idle again or dead.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate_contract::{Failure, FailureClass};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::backoff::Backoff;
use super::process::WorkerProcess;
use super::settings::WorkerSettings;
use crate::run::Spawner;

/// The variable by which a program knows that it is a worker.
const VARIABLE: &str = "HOOKGATE_WORKER";

/// The state of a pool; calls that were cancelled still hold it.
pub(super) struct PoolState {
    pub(super) spawner: Spawner,
    pub(super) settings: WorkerSettings,
    max_output: usize,
    backoff: Mutex<Backoff>,
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    idle: Mutex<Vec<WorkerProcess>>,
}

impl PoolState {
    pub(super) fn new(spawner: Spawner, settings: WorkerSettings, max_output: usize) -> Self {
        Self {
            spawner,
            settings,
            max_output,
            backoff: Mutex::default(),
            permits: Arc::new(Semaphore::new(settings.workers)),
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
        }
    }

    /// Waits until a worker may be used.
    ///
    /// # Errors
    /// Of class `overloaded` if `queue` calls wait already.
    ///
    /// # Cancel safety
    /// A dropped future has left the queue.
    pub(super) async fn acquire_permit(&self) -> Result<OwnedSemaphorePermit, Failure> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = WaitingCall::new(&self.waiting, self.settings.queue)?;
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        permit.map_err(|_| queue_is_full(self.settings.queue))
    }

    /// Takes a worker that waits for a call and can be used here. Those that cannot are ended.
    pub(super) fn take_idle(&self) -> Option<WorkerProcess> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(WorkerProcess::is_usable)
    }

    /// Takes back a worker that waits for a call; after `max_calls` it is ended.
    pub(super) fn give_back(&self, worker: WorkerProcess) {
        if worker.calls() < self.settings.max_calls {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        }
    }

    /// Starts a worker.
    ///
    /// # Errors
    /// If it cannot be started, or if workers keep dying and it is too early for the next one.
    pub(super) fn start_worker(&self, hook: &str) -> Result<WorkerProcess, Failure> {
        self.crash_backoff()
            .check(Instant::now())
            .map_err(|too_early| Failure::new(FailureClass::Spawn, too_early.to_string()))?;
        let spawner = &self.spawner;
        let spawned = spawner.spawn(hook, &spawner.base, |command| {
            command.env(VARIABLE, "1");
        });
        match spawned {
            Ok(program) => Ok(WorkerProcess::new(program, self.max_output)),
            Err(failure) => {
                self.crash_backoff().record_crash(Instant::now());
                Err(failure)
            }
        }
    }

    /// Locks the record of crashes. The guard must not live across an await.
    pub(super) fn crash_backoff(&self) -> MutexGuard<'_, Backoff> {
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the calls that wait; it is counted until it is dropped.
struct WaitingCall<'a>(&'a AtomicUsize);

impl<'a> WaitingCall<'a> {
    fn new(waiting: &'a AtomicUsize, most: usize) -> Result<Self, Failure> {
        // ORDERING: a count, which guards no other memory.
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        let call = Self(waiting);
        if before < most { Ok(call) } else { Err(queue_is_full(most)) }
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn queue_is_full(most: usize) -> Failure {
    Failure::new(
        FailureClass::Overloaded,
        format!("{most} calls wait for a worker already: raise `workers`"),
    )
}
