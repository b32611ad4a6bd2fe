//! Hooks that run beside the agent: it never waits for them, and they decide nothing.

mod lanes;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use hookgate_contract::{Handler, Invocation, Mode, Reply};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::clock;
use crate::dispatch::{
    Apart, Fence, Question, Started, Weighed, alarm, ask_now, contract, fenced, weigh,
};
use crate::events::{DropReason, EventSender, What};
pub use crate::published::PatchEnvelope;
use crate::published::Published;
use crate::snapshot::Snapshot;
use crate::table::{Bucket, Limits};
use lanes::{Lanes, Runner};

/// One call of a background hook.
pub(crate) struct Job {
    pub(crate) bucket: Arc<Bucket>,
    pub(crate) index: usize,
    pub(crate) snapshot: Arc<Snapshot>,
}

/// What became of the background calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BackgroundCounts {
    /// Calls that have ended.
    pub finished: u64,
    /// Calls that wait or run.
    pub pending: u64,
    /// Calls that were never made, since too many were waiting, since the dispatch ran outside of a
    /// tokio runtime, or since the engine was shut down.
    pub dropped: u64,
    /// Calls that were taken and did not come to their end, since their tokio runtime has ended.
    pub lost: u64,
    /// Calls that ended in a failure.
    pub failed: u64,
    /// Published patches that went out before anybody took them.
    pub patches_lost: u64,
}

/// The background calls of an engine.
pub(crate) struct Background {
    state: Arc<State>,
}

/// What the calls share, wherever they run.
struct State {
    lanes: Mutex<Lanes>,
    submitted: AtomicU64,
    finished: AtomicU64,
    dropped: AtomicU64,
    lost: AtomicU64,
    failed: AtomicU64,
    /// Told whenever a call is not pending any more.
    ended: Notify,
    published: Published,
    stream: EventSender,
}

impl Background {
    pub(crate) fn new(stream: EventSender) -> Self {
        Self {
            state: Arc::new(State {
                lanes: Mutex::default(),
                submitted: AtomicU64::new(0),
                finished: AtomicU64::new(0),
                dropped: AtomicU64::new(0),
                lost: AtomicU64::new(0),
                failed: AtomicU64::new(0),
                ended: Notify::new(),
                published: Published::default(),
                stream,
            }),
        }
    }

    /// Has a call made in the runtime of the caller, as soon as the limits let it.
    ///
    /// # Errors
    /// Why it is not made.
    pub(crate) fn submit(&self, job: Job, limits: &Limits) -> Result<(), DropReason> {
        // ORDERING: the counters are statistics, except that `drain` waits until none is pending;
        // they are counted up by whoever also wakes it.
        let taken = Handle::try_current().map_err(|_| DropReason::NoRuntime).and_then(|runtime| {
            let started = self.state.lanes().put(runtime.id(), job, limits)?;
            self.state.submitted.fetch_add(1, Ordering::AcqRel);
            Ok((runtime, started))
        });
        match taken {
            Ok((runtime, Some(first))) => {
                // The lock is free again: a runtime that is ending drops the runner at once.
                let runner = Runner::new(Arc::clone(&self.state), runtime.id(), first);
                drop(runtime.spawn(runner.work()));
                Ok(())
            }
            Ok((_, None)) => Ok(()),
            Err(why) => {
                self.state.dropped.fetch_add(1, Ordering::AcqRel);
                Err(why)
            }
        }
    }

    /// Counts a call that could not even be put together.
    pub(crate) fn count_dropped(&self) {
        self.state.dropped.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn counts(&self) -> BackgroundCounts {
        self.state.counts()
    }

    /// Waits until all calls have ended, but no longer than this.
    pub(crate) async fn drain(&self, deadline: Duration) -> BackgroundCounts {
        let mut all_ended = std::pin::pin!(async {
            loop {
                let ended = self.state.ended.notified();
                if self.counts().pending == 0 {
                    return;
                }
                ended.await;
            }
        });
        let mut timer = None;
        std::future::poll_fn(|cx| {
            if all_ended.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            let timer = timer.get_or_insert_with(|| {
                let at = tokio::time::Instant::now().checked_add(deadline);
                at.map(alarm).transpose()
            });
            match timer {
                Ok(Some(timer)) => timer.as_mut().poll(cx),
                // Later than any clock goes.
                Ok(None) => Poll::Pending,
                Err(failure) => {
                    tracing::warn!(
                        target: "hookgate",
                        pending = self.counts().pending,
                        why = %failure.detail,
                        "background calls are not waited for"
                    );
                    Poll::Ready(())
                }
            }
        })
        .await;
        self.counts()
    }

    /// Takes no more calls; then as [`Self::drain`].
    pub(crate) async fn shutdown(&self, deadline: Duration) -> BackgroundCounts {
        self.state.lanes().close();
        self.drain(deadline).await
    }

    /// The patches that were published for a session since this was last asked.
    pub(crate) fn take_published(&self, session_id: &str) -> Vec<PatchEnvelope> {
        self.state.published.take(session_id)
    }
}

impl State {
    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counts(&self) -> BackgroundCounts {
        let finished = self.finished.load(Ordering::Acquire);
        let lost = self.lost.load(Ordering::Acquire);
        let submitted = self.submitted.load(Ordering::Acquire);
        BackgroundCounts {
            finished,
            pending: submitted.saturating_sub(finished).saturating_sub(lost),
            dropped: self.dropped.load(Ordering::Acquire),
            lost,
            failed: self.failed.load(Ordering::Acquire),
            patches_lost: self.published.lost(),
        }
    }

    /// Makes a call; a panic beside the handler ends this call only.
    async fn run(&self, job: &Job) {
        let mut made = std::pin::pin!(self.make(job));
        let poll = |cx: &mut std::task::Context<'_>| {
            let polled = std::panic::catch_unwind(AssertUnwindSafe(|| made.as_mut().poll(cx)));
            polled.unwrap_or_else(|_| {
                self.failed.fetch_add(1, Ordering::AcqRel);
                Poll::Ready(())
            })
        };
        std::future::poll_fn(poll).await;
        self.finished.fetch_add(1, Ordering::AcqRel);
        self.ended.notify_waiters();
    }

    async fn make(&self, job: &Job) {
        let Some(entry) = job.bucket.entries.get(job.index) else { return };
        let facts = job.snapshot.facts();
        let envelope = facts.envelope();
        let started =
            self.stream.has_subscribers().then(|| Started::told(&self.stream, entry, &envelope));
        let invocation = Invocation::new(entry.id(), &envelope);
        let reply: Reply = match &entry.handler {
            // It would keep a thread of the runtime busy.
            Handler::Sync(_) if entry.heavy => {
                let apart = Apart::new(&job.bucket, job.index, &job.snapshot);
                Fence::new(Question::Apart(apart), None, entry.timeout, None).await
            }
            Handler::Sync(handler) => ask_now(&**handler, invocation),
            Handler::Async(handler) => {
                Fence::ask(&**handler, invocation, entry.timeout, None).await
            }
        };
        let weighed = weigh(entry, contract(&job.bucket, envelope.payload()), reply);
        if matches!(weighed, Weighed::Failed { .. }) {
            self.failed.fetch_add(1, Ordering::AcqRel);
        }
        if let Some(started) = started {
            let duration_us = started.end();
            let what = match &weighed {
                Weighed::Failed { failure, .. } => {
                    What::Failed { class: failure.class, detail: failure.detail.to_string() }
                }
                _ => What::Completed { duration_us },
            };
            self.stream.send(entry.id(), &envelope, what);
        }
        let Weighed::Says(parts) = weighed else { return };
        // What warns or is in shadow never does anything.
        if parts.patch.is_empty() || entry.mode != Mode::Enforce {
            return;
        }
        let revision = self.published.next_revision();
        if self.stream.has_subscribers() {
            let what = What::PatchPublished { revision, patch: parts.patch.clone() };
            self.stream.send(entry.id(), &envelope, what);
        }
        let patch = PatchEnvelope {
            revision,
            hook: entry.id().clone(),
            event: envelope.payload().event_name().to_owned(),
            patch: parts.patch,
            time: clock::unix_ms(),
        };
        self.published.keep(envelope.context().session_id, patch);
    }

    /// Counts calls whose runtime has ended, and tells who listens of those that had not begun.
    fn lose(&self, begun: usize, waiting: &[Job]) {
        let lost = begun + waiting.len();
        tracing::warn!(
            target: "hookgate",
            calls = lost,
            why = %DropReason::RuntimeEnded,
            "background calls were lost"
        );
        self.lost.fetch_add(lost as u64, Ordering::AcqRel);
        if self.stream.has_subscribers() {
            for job in waiting {
                let Some(entry) = job.bucket.entries.get(job.index) else { continue };
                let facts = job.snapshot.facts();
                let what = What::Dropped { why: DropReason::RuntimeEnded };
                // Whoever ends the runtime must not meet a panic of a payload here.
                let _ = fenced("the payload", || {
                    self.stream.send(entry.id(), &facts.envelope(), what);
                });
            }
        }
        self.ended.notify_waiters();
    }
}
