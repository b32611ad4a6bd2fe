//! The right to ask a worker, for the time of one call.

use std::sync::{Arc, PoisonError};

use hookgate_contract::{Failure, FailureClass, Invocation, Reply};
use hookgate_secrets::Secrets;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout, timeout_at};

use super::pool::Shared;
use super::talk::{Broken, Worker};

/// A place at a worker. When a call is given up in the middle, its place stays taken until the
/// worker has come to its senses or was killed.
pub(super) struct Seat<'a> {
    shared: Arc<Shared>,
    secrets: &'a Secrets,
    /// The call that is made: if it is given up, what was heard of the answer is kept.
    invocation: Option<Invocation<'a>>,
    permit: Option<OwnedSemaphorePermit>,
    worker: Option<Worker>,
    doing: Doing,
}

/// What the worker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// It starts, till then at the latest.
    Starting(Instant),
    /// It waits for a call.
    Nothing,
    /// It was asked.
    Answering,
    /// It is being asked: half of a call leaves it out of step.
    Listening,
}

impl<'a> Seat<'a> {
    pub(super) const fn new(
        shared: Arc<Shared>,
        permit: OwnedSemaphorePermit,
        secrets: &'a Secrets,
    ) -> Self {
        Self {
            shared,
            secrets,
            invocation: None,
            permit: Some(permit),
            worker: None,
            doing: Doing::Nothing,
        }
    }

    /// Makes a call.
    pub(super) async fn call(&mut self, invocation: Invocation<'a>, envelope: &[u8]) -> Reply {
        self.invocation = Some(invocation);
        match self.ask(invocation.hook, envelope).await {
            // What it said before it died is not asked away.
            Err((true, failure)) if self.shared.terms.idempotent && failure.salvaged.is_none() => {
                self.ask(invocation.hook, envelope).await.map_err(|(_, failure)| failure)?
            }
            Err((_, failure)) => Err(failure),
            Ok(reply) => reply,
        }
    }

    /// Makes a call once. An error tells whether the worker died in it.
    async fn ask(&mut self, hook: &str, envelope: &[u8]) -> Result<Reply, (bool, Failure)> {
        self.take(hook).await.map_err(|failure| (false, failure))?;
        let Some(worker) = &mut self.worker else {
            return Err((false, Failure::new(FailureClass::Spawn, "there is no worker")));
        };
        self.doing = Doing::Listening;
        let answer = match worker.send(hook, envelope).await {
            Ok(()) => {
                self.doing = Doing::Answering;
                worker.answer(self.secrets).await
            }
            Err(broken) => Err(broken),
        };
        match answer {
            Ok(reply) => {
                self.doing = Doing::Nothing;
                self.shared.luck().reset();
                Ok(reply)
            }
            Err(broken) => {
                let died = matches!(broken, Broken::Died);
                Err((died, self.lose(broken, "in the middle of a call").await))
            }
        }
    }

    /// Takes a worker that waits, or starts one. It is ready then.
    pub(super) async fn take(&mut self, hook: &str) -> Result<(), Failure> {
        self.worker = self.shared.idle();
        self.doing = Doing::Nothing;
        if self.worker.is_some() {
            return Ok(());
        }
        let until = Instant::now() + self.shared.terms.startup;
        let worker = self.worker.insert(self.shared.start(hook)?);
        self.doing = Doing::Starting(until);
        match timeout_at(until, worker.ready()).await {
            Ok(Ok(())) => {
                self.doing = Doing::Nothing;
                Ok(())
            }
            Ok(Err(broken)) => Err(self.lose(broken, "before it was ready").await),
            Err(_) => {
                self.worker = None;
                self.shared.luck().strike(Instant::now());
                Err(Failure::new(
                    FailureClass::Spawn,
                    "the worker was not ready in time: raise `startup`",
                ))
            }
        }
    }

    async fn lose(&mut self, broken: Broken, when: &str) -> Failure {
        self.shared.luck().strike(Instant::now());
        match self.worker.take() {
            Some(worker) => worker.post_mortem(broken, when, self.secrets).await,
            None => Failure::new(FailureClass::Spawn, "there is no worker"),
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let Some(mut worker) = self.worker.take() else { return };
        let doing = self.doing;
        if doing == Doing::Nothing {
            self.shared.give_back(worker);
            return;
        }
        if let Some(invocation) = self.invocation {
            invocation.keep_salvaged(worker.left());
        }
        // Dropping the worker ends it. Where there is a runtime it has a chance before.
        let Ok(runtime) = Handle::try_current() else { return };
        let (shared, permit) = (Arc::clone(&self.shared), self.permit.take());
        match doing {
            Doing::Starting(until) => drop(runtime.spawn(async move {
                if let Ok(Ok(())) = timeout_at(until, worker.ready()).await {
                    shared.give_back(worker);
                } else {
                    drop(worker);
                    shared.luck().strike(Instant::now());
                }
                drop(permit);
            })),
            Doing::Answering => drop(runtime.spawn(async move {
                let secrets = Secrets::default();
                if let Ok(Ok(_)) = timeout(shared.launch.grace, worker.answer(&secrets)).await {
                    shared.give_back(worker);
                } else {
                    drop(worker);
                }
                drop(permit);
            })),
            Doing::Nothing | Doing::Listening => {}
        }
    }
}

impl Shared {
    /// The record of deaths.
    pub(super) fn luck(&self) -> std::sync::MutexGuard<'_, super::backoff::Backoff> {
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
