//! The use of one worker for the time of one call.
//!
//! A call can be cancelled at any await. What happens to its worker then depends on what the worker is
//! doing, and that is what the state of the lease says:
//!
//! | state | on drop |
//! |---|---|
//! | `Starting` | a task lets it become ready, and keeps it for the next call |
//! | `Idle` | it goes back to the pool |
//! | `Sending` | it is ended: it has read half a call |
//! | `Answering` | a task gives it the grace period to answer, and drops the answer |
//!
//! The permit goes with the worker, so a slow worker whose call was cancelled still counts as one of
//! `workers`, and a pool never has more processes than that.

use std::sync::Arc;

use hookgate_contract::{Failure, FailureClass, Invocation, Reply};
use hookgate_secrets::Secrets;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout, timeout_at};

use super::error::WorkerError;
use super::process::WorkerProcess;
use super::state::PoolState;
use crate::call_log;

/// The right to use a worker. If a call is cancelled midway, the lease is held until the worker has
/// answered or been killed, by a task of the runtime.
pub(super) struct Lease<'a> {
    pool: Arc<PoolState>,
    secrets: &'a Secrets,
    /// The call that is made: if it is cancelled, a decision in the answer so far is kept.
    invocation: Option<Invocation<'a>>,
    permit: Option<OwnedSemaphorePermit>,
    worker: Option<WorkerProcess>,
    state: LeaseState,
}

/// What the worker of a lease is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeaseState {
    /// It starts, and must be ready at this time.
    Starting(Instant),
    /// It waits for a call.
    Idle,
    /// A call is being sent: half of one leaves the worker out of step.
    Sending,
    /// It has a call and has not answered.
    Answering,
}

/// Why one try of a call failed.
struct CallError {
    /// Whether the worker died in it, so that the call may be made again.
    worker_died: bool,
    failure: Failure,
}

impl CallError {
    /// The failure of a call that must not be made again.
    const fn final_failure(failure: Failure) -> Self {
        Self { worker_died: false, failure }
    }
}

impl<'a> Lease<'a> {
    /// Makes a lease without a worker yet.
    pub(super) const fn new(
        pool: Arc<PoolState>,
        permit: OwnedSemaphorePermit,
        secrets: &'a Secrets,
    ) -> Self {
        Self {
            pool,
            secrets,
            invocation: None,
            permit: Some(permit),
            worker: None,
            state: LeaseState::Idle,
        }
    }

    /// Makes a call, and makes it again once if the worker died in it and the hook is idempotent.
    ///
    /// # Cancel safety
    /// See [`Lease`].
    pub(super) async fn call(&mut self, invocation: Invocation<'a>, envelope: &[u8]) -> Reply {
        self.invocation = Some(invocation);
        let is_idempotent = self.pool.settings.idempotent;
        match self.call_once(invocation.hook, envelope).await {
            // A decision that the worker wrote before it died must not be lost by another try.
            Err(error)
                if error.worker_died && is_idempotent && error.failure.salvaged.is_none() =>
            {
                self.call_once(invocation.hook, envelope).await.map_err(|error| error.failure)?
            }
            Err(error) => Err(error.failure),
            Ok(reply) => reply,
        }
    }

    /// Makes a call once: takes a worker, sends the call, and reads the answer.
    async fn call_once(&mut self, hook: &str, envelope: &[u8]) -> Result<Reply, CallError> {
        self.take_worker(hook).await.map_err(CallError::final_failure)?;
        let Some(worker) = &mut self.worker else {
            return Err(CallError::final_failure(no_worker()));
        };
        self.state = LeaseState::Sending;
        let answer = match worker.send(hook, envelope).await {
            Ok(()) => {
                self.state = LeaseState::Answering;
                worker.answer(self.secrets).await
            }
            Err(error) => Err(error),
        };
        match answer {
            Ok(reply) => {
                self.state = LeaseState::Idle;
                if call_log::is_enabled() {
                    worker.log_call(hook, self.secrets);
                }
                self.pool.crash_backoff().reset();
                Ok(reply)
            }
            Err(error) => {
                let worker_died = matches!(error, WorkerError::Died);
                let failure = self.fail(error, "in the middle of a call", hook).await;
                Err(CallError { worker_died, failure })
            }
        }
    }

    /// Takes an idle worker, or starts one. It is ready afterwards.
    ///
    /// # Errors
    /// Of class `spawn`, or that of its end, if a worker cannot be started or does not become ready.
    pub(super) async fn take_worker(&mut self, hook: &str) -> Result<(), Failure> {
        self.worker = self.pool.take_idle();
        self.state = LeaseState::Idle;
        if self.worker.is_some() {
            return Ok(());
        }
        let until = Instant::now() + self.pool.settings.startup;
        let worker = self.worker.insert(self.pool.start_worker(hook)?);
        self.state = LeaseState::Starting(until);
        match timeout_at(until, worker.ready()).await {
            Ok(Ok(())) => {
                self.state = LeaseState::Idle;
                Ok(())
            }
            Ok(Err(error)) => Err(self.fail(error, "before it was ready", hook).await),
            Err(_) => {
                self.worker = None;
                self.pool.crash_backoff().record_crash(Instant::now());
                Err(Failure::new(
                    FailureClass::Spawn,
                    "the worker was not ready in time: raise `startup`",
                ))
            }
        }
    }

    /// Ends the worker and says why.
    async fn fail(&mut self, error: WorkerError, when: &str, hook: &str) -> Failure {
        self.pool.crash_backoff().record_crash(Instant::now());
        match self.worker.take() {
            Some(worker) => worker.into_failure(error, when, hook, self.secrets).await,
            None => no_worker(),
        }
    }
}

fn no_worker() -> Failure {
    Failure::new(FailureClass::Spawn, "there is no worker")
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let Some(mut worker) = self.worker.take() else { return };
        if self.state == LeaseState::Idle {
            self.pool.give_back(worker);
            return;
        }
        if let Some(invocation) = self.invocation {
            invocation.keep_salvaged(worker.unread_decision());
            if call_log::is_enabled() {
                worker.log_stderr(invocation.hook, self.secrets);
            }
        }
        // Without a runtime the worker is ended by its drop, here.
        let Ok(runtime) = Handle::try_current() else { return };
        let (pool, permit) = (Arc::clone(&self.pool), self.permit.take());
        match self.state {
            LeaseState::Starting(until) => {
                drop(runtime.spawn(finish_start(pool, permit, worker, until)));
            }
            LeaseState::Answering => drop(runtime.spawn(await_late_answer(pool, permit, worker))),
            LeaseState::Idle | LeaseState::Sending => {}
        }
    }
}

/// Lets a worker become ready whose first call was cancelled, and keeps it for the next.
async fn finish_start(
    pool: Arc<PoolState>,
    permit: Option<OwnedSemaphorePermit>,
    mut worker: WorkerProcess,
    until: Instant,
) {
    if let Ok(Ok(())) = timeout_at(until, worker.ready()).await {
        pool.give_back(worker);
    } else {
        drop(worker);
        pool.crash_backoff().record_crash(Instant::now());
    }
    drop(permit);
}

/// Gives a worker whose call was cancelled the grace period to answer. The answer is dropped; a worker
/// that does not answer is ended.
async fn await_late_answer(
    pool: Arc<PoolState>,
    permit: Option<OwnedSemaphorePermit>,
    mut worker: WorkerProcess,
) {
    let secrets = Secrets::default();
    if let Ok(Ok(_)) = timeout(pool.spawner.grace, worker.answer(&secrets)).await {
        pool.give_back(worker);
    } else {
        drop(worker);
    }
    drop(permit);
}
