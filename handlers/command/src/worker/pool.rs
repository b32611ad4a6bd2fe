//! The workers of one hook.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookgate_contract::probe::{ProbeFuture, ProbeResult};
use hookgate_contract::{
    AsyncHandler, Failure, FailureClass, Invocation, Probe, Reply, ReplyFuture,
};
use hookgate_secrets::Secrets;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::backoff::Backoff;
use super::seat::Seat;
use super::talk::Worker;
use super::terms::Terms;
use crate::launch::{self, Launch};

/// The variable by which a program knows that it is a worker.
const VARIABLE: &str = "HOOKGATE_WORKER";

/// The workers of one hook. They end when the last of its clones is dropped.
#[derive(Clone)]
pub(crate) struct Pool(Arc<Shared>);

/// What calls share, also those that were given up.
pub(super) struct Shared {
    pub(super) launch: Launch,
    pub(super) terms: Terms,
    pub(super) backoff: Mutex<Backoff>,
    most: usize,
    seats: Arc<Semaphore>,
    waiting: AtomicUsize,
    idle: Mutex<Vec<Worker>>,
}

impl Pool {
    /// Workers that are started when they are needed.
    pub(crate) fn new(launch: Launch, terms: Terms, most: usize) -> Self {
        Self(Arc::new(Shared {
            launch,
            terms,
            backoff: Mutex::default(),
            most,
            seats: Arc::new(Semaphore::new(terms.workers)),
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
        }))
    }
}

impl AsyncHandler for Pool {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.launch.environment.secrets();
            match self.0.call(invocation, &secrets).await {
                Ok(verdict) => Ok(verdict.map_texts(|text| secrets.hide(text))),
                Err(failure) => Err(failure.map_detail(|text| secrets.hide(text))),
            }
        })
    }
}

impl Probe for Pool {
    fn check<'a>(&'a self, hook: &'a str, _timeout: Duration) -> ProbeFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.launch.environment.secrets();
            let found = self.0.try_out(hook, &secrets).await;
            found.map_err(|failure| failure.map_detail(|text| secrets.hide(text)))
        })
    }
}

impl Shared {
    /// Has a worker ready, and keeps it for the first call.
    async fn try_out(self: &Arc<Self>, hook: &str, secrets: &Secrets) -> ProbeResult {
        launch::within_runtime()?;
        let permit = self.enter().await?;
        let mut seat = Seat::new(Arc::clone(self), permit, secrets);
        let since = Instant::now();
        seat.take(hook).await?;
        let program = self.launch.line.program.display();
        Ok(format!("a worker of {program} is ready, in {} ms", since.elapsed().as_millis()))
    }

    async fn call<'a>(self: &Arc<Self>, invocation: Invocation<'a>, secrets: &'a Secrets) -> Reply {
        let envelope = invocation.envelope.bytes()?;
        launch::within_runtime()?;
        let permit = self.enter().await?;
        let mut seat = Seat::new(Arc::clone(self), permit, secrets);
        seat.call(invocation, envelope).await
    }

    /// Waits for a worker to be free.
    async fn enter(&self) -> Result<OwnedSemaphorePermit, Failure> {
        if let Ok(permit) = Arc::clone(&self.seats).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = Waiting::new(&self.waiting, self.terms.queue)?;
        Arc::clone(&self.seats).acquire_owned().await.map_err(|_| full(self.terms.queue))
    }

    /// A worker that waits for a call, and can be asked.
    pub(super) fn idle(&self) -> Option<Worker> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that cannot be asked end here.
        std::iter::from_fn(|| idle.pop()).find(Worker::is_usable)
    }

    /// Takes back a worker that waits for a call.
    pub(super) fn give_back(&self, worker: Worker) {
        if worker.calls() < self.terms.max_calls {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        }
    }

    /// Starts a worker, unless they keep dying.
    pub(super) fn start(&self, hook: &str) -> Result<Worker, Failure> {
        self.luck().check(Instant::now()).map_err(|(deaths, wait)| {
            Failure::new(
                FailureClass::Spawn,
                format!(
                    "{deaths} workers died in a row, the next is started in {} ms",
                    wait.as_millis()
                ),
            )
        })?;
        let launch = &self.launch;
        let started = launch.start(hook, &launch.base, |command| {
            command.env(VARIABLE, "1");
        });
        match started {
            Ok(started) => Ok(Worker::new(started, self.most)),
            Err(failure) => {
                self.luck().strike(Instant::now());
                Err(failure)
            }
        }
    }
}

/// One of the calls that wait.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(waiting: &'a AtomicUsize, most: usize) -> Result<Self, Failure> {
        // ORDERING: a count, which guards no other memory.
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Self(waiting);
        if before < most { Ok(waiting) } else { Err(full(most)) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn full(most: usize) -> Failure {
    Failure::new(
        FailureClass::Overloaded,
        format!("{most} calls wait for a worker already: raise `workers`"),
    )
}
