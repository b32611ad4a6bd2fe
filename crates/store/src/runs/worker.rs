//! Does the runs that are due: several at the same time, each for as long as it may take.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::{AbortHandle, Id, JoinSet};

use super::attempt::{Limits, TimeLimit, attempt};
use super::blocking::blocking;
use super::claim::{Claimed, Wanted};
use super::claimed::Claim;
use super::handler::RunHandler;
use super::record::Run;
use super::{RunError, RunStore};

/// How many runs are done at the same time, unless it is said otherwise.
const CONCURRENCY: usize = 4;

/// How often the file is looked at for what other processes have queued.
const POLL: Duration = Duration::from_millis(250);

/// Does the runs of a store.
///
/// ```
/// use hookgate_store::{
///     HandledFuture, NewRun, Run, RunHandler, RunKind, RunOutcome, RunSettings, RunState, RunStore, Worker,
/// };
/// use serde_json::{Value, json};
///
/// struct Greet;
///
/// impl RunHandler for Greet {
///     fn handles(&self, run: &Run) -> bool {
///         run.hook == "greet"
///     }
///
///     fn handle<'a>(&'a self, _: &'a Run, input: &'a Value) -> HandledFuture<'a> {
///         let said = json!(format!("hello {}", input["name"].as_str().unwrap_or("you")));
///         Box::pin(async { RunOutcome::Succeeded { contributions: vec![said], audit: Vec::new() } })
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let folder = tempfile::tempdir()?;
/// let store = RunStore::open(RunSettings::new(folder.path().join("runs.db")))?;
/// store.enqueue(&NewRun::new(RunKind::Hook, "key-1", "greet", json!({"name": "Ada"})))?;
/// assert_eq!(Worker::new(store.clone(), Greet).until_idle().await?, 1);
/// assert_eq!(store.run(1)?.state, RunState::Succeeded);
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub struct Worker<H> {
    store: RunStore,
    handler: Arc<H>,
    concurrency: usize,
    poll: Duration,
    leaves_last: bool,
    limits: Limits,
}

impl<H: RunHandler + 'static> Worker<H> {
    /// Makes one, which does four runs at the same time.
    #[must_use]
    pub fn new(store: RunStore, handler: H) -> Self {
        Self {
            store,
            handler: Arc::new(handler),
            concurrency: CONCURRENCY,
            poll: POLL,
            leaves_last: false,
            limits: Limits::default(),
        }
    }

    /// Sets how many runs are done at the same time; one at least.
    #[must_use]
    pub fn concurrency(mut self, most: usize) -> Self {
        self.concurrency = most.max(1);
        self
    }

    /// Sets how often the file is looked at for what other processes have queued; what this one has is seen at once.
    #[must_use]
    pub const fn poll(mut self, every: Duration) -> Self {
        self.poll = every;
        self
    }

    /// Leaves the last attempt of a run that has failed to other workers: to those that have more time, and that nobody
    /// waits for.
    #[must_use]
    pub const fn leave_last_attempts(mut self) -> Self {
        self.leaves_last = true;
        self
    }

    /// Begins nothing after this time. What is under way then has taken too long, for the reason `why`.
    #[must_use]
    pub fn no_longer_than(mut self, time: Duration, why: impl Into<String>) -> Self {
        self.limits.time = Some(TimeLimit { end: Instant::now() + time, why: why.into() });
        self
    }

    /// Tells of each run that an attempt has ended of, or that was not to be done here: what it is now.
    #[must_use]
    pub fn telling(mut self, told: impl Fn(&Run) + Send + Sync + 'static) -> Self {
        self.limits.told = Some(Arc::new(told));
        self
    }

    /// Does what is due until `stop` is ready: then what is under way is given back, to be done again later. Returns how
    /// many attempts have ended.
    ///
    /// # Errors
    /// The file cannot be used. Another process that holds it for a while is no error.
    ///
    /// # Cancel safety
    /// What is under way is given back if the future is dropped.
    pub async fn run_until(&self, stop: impl Future<Output = ()>) -> Result<u64, RunError> {
        let mut tasks = Tasks::new(self.store.clone());
        self.work_until(&mut tasks, stop).await?;
        tasks.set.shutdown().await;
        Ok(tasks.ended)
    }

    /// Does what is due until `stop` is ready, and then the rest, as [`until_idle`](Self::until_idle) does.
    ///
    /// # Errors
    /// As [`run_until`](Self::run_until).
    ///
    /// # Cancel safety
    /// As [`run_until`](Self::run_until).
    pub async fn until_idle_after(&self, stop: impl Future<Output = ()>) -> Result<u64, RunError> {
        let mut tasks = Tasks::new(self.store.clone());
        self.work_until(&mut tasks, stop).await?;
        self.work_off(&mut tasks).await?;
        Ok(tasks.ended)
    }

    /// Does what is due, and what becomes due by it, until nothing is. Returns how many attempts have ended. A run that
    /// waits to be tried again is not due.
    ///
    /// # Errors
    /// As [`run_until`](Self::run_until).
    ///
    /// # Cancel safety
    /// As [`run_until`](Self::run_until).
    pub async fn until_idle(&self) -> Result<u64, RunError> {
        let mut tasks = Tasks::new(self.store.clone());
        self.work_off(&mut tasks).await?;
        Ok(tasks.ended)
    }

    async fn work_until(
        &self,
        tasks: &mut Tasks,
        stop: impl Future<Output = ()>,
    ) -> Result<(), RunError> {
        let mut stop = pin!(stop);
        loop {
            // Before the look at what is queued, so that nothing is missed between the two.
            let mut queued = pin!(self.store.shared.queued.notified());
            queued.as_mut().enable();
            self.take_more(tasks).await?;
            tokio::select! {
                () = &mut stop => return Ok(()),
                () = queued => {}
                () = tasks.next() => {}
                () = tokio::time::sleep(self.pause()) => {}
            }
        }
    }

    async fn work_off(&self, tasks: &mut Tasks) -> Result<(), RunError> {
        loop {
            let is_idle = !self.take_more(tasks).await? && tasks.running.is_empty();
            if is_idle {
                return Ok(());
            }
            tokio::select! {
                () = tasks.next() => {}
                () = tokio::time::sleep(self.pause()) => {}
            }
        }
    }

    /// Returns how long it sleeps at most: it has to give signs of life, too.
    fn pause(&self) -> Duration {
        self.poll.min(self.store.settings().lease / 6).max(Duration::from_millis(1))
    }

    /// Gives a sign of life, and begins as many runs as there is room for. Returns whether there were any.
    async fn take_more(&self, tasks: &mut Tasks) -> Result<bool, RunError> {
        tasks.keep_alive().await;
        tasks.recover(self.poll).await?;
        let room = self.concurrency.saturating_sub(tasks.running.len());
        let is_over = self.limits.are_over();
        if room == 0 || is_over {
            return Ok(false);
        }
        let (store, handler) = (self.store.clone(), Arc::clone(&self.handler));
        let leaves_last = self.leaves_last;
        let claimed = blocking(move || {
            store.claim_wanted(&Wanted {
                most: room,
                config: &handler.config_hash(),
                config_read: handler.config_read(),
                leaves_last,
                handles: &|run| handler.handles(run),
            })
        });
        let Claimed { claims, refused } = match claimed.await {
            Err(error) if error.is_busy() => Claimed::default(),
            claimed => claimed?,
        };
        for id in refused {
            self.limits.tell(&self.store, id).await;
        }
        let has_any = !claims.is_empty();
        for claim in claims {
            tasks.begin(claim, Arc::clone(&self.handler), self.limits.clone());
        }
        Ok(has_any)
    }
}

impl<H> fmt::Debug for Worker<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("store", &self.store)
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
    }
}

/// The runs that are under way. Dropped, they are given back.
struct Tasks {
    store: RunStore,
    set: JoinSet<()>,
    running: HashMap<Id, ((u64, u64), AbortHandle)>,
    ended: u64,
    /// When this process has last said that it is there: before it was written.
    alive: Instant,
    recovered: Option<Instant>,
}

impl Tasks {
    fn new(store: RunStore) -> Self {
        let (set, running) = (JoinSet::new(), HashMap::new());
        Self { store, set, running, ended: 0, alive: Instant::now(), recovered: None }
    }

    fn begin<H: RunHandler + 'static>(&mut self, claim: Claim, handler: Arc<H>, limits: Limits) {
        let held = (claim.run().id, claim.run().epoch);
        if self.running.is_empty() {
            self.alive = Instant::now();
        }
        let abort = self.set.spawn(attempt(claim, handler, limits));
        self.running.insert(abort.id(), (held, abort));
    }

    /// Waits until one has ended; for ever if there is none.
    async fn next(&mut self) {
        let ended = match self.set.join_next_with_id().await {
            Some(Ok((id, ()))) => Some(id),
            Some(Err(error)) => Some(error.id()),
            None => std::future::pending().await,
        };
        if ended.and_then(|id| self.running.remove(&id)).is_some() {
            self.ended += 1;
        }
    }

    /// Says that this process is still there, when it is time for that. What it does not hold any more, or is to stop, is
    /// stopped; so is everything if it could not say so for two thirds of a lease.
    async fn keep_alive(&mut self) {
        let lease = self.store.settings().lease;
        if self.running.is_empty() || self.alive.elapsed() < lease / 3 {
            return;
        }
        let (store, before) = (self.store.clone(), Instant::now());
        match blocking(move || store.heartbeat()).await {
            Ok(held) => {
                self.alive = before;
                let goes_on = |of: &(u64, u64)| {
                    held.iter().any(|(id, epoch, stop)| (*id, *epoch) == *of && !stop)
                };
                let over = self.running.values().filter(|(of, _)| !goes_on(of));
                over.for_each(|(_, task)| task.abort());
            }
            Err(error) => {
                tracing::warn!(target: "hookgate", %error, "runs: no sign of life could be given");
                if self.alive.elapsed() >= lease * 2 / 3 {
                    self.running.values().for_each(|(_, task)| task.abort());
                }
            }
        }
    }

    /// Looks for runs whose process is gone, when it is time for that.
    async fn recover(&mut self, every: Duration) -> Result<(), RunError> {
        if self.recovered.is_some_and(|last| last.elapsed() < every) {
            return Ok(());
        }
        self.recovered = Some(Instant::now());
        let store = self.store.clone();
        match blocking(move || store.recover()).await {
            Err(error) if error.is_busy() => Ok(()),
            recovered => recovered.map(drop),
        }
    }
}
