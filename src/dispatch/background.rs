//! Hooks that run beside the agent: no dispatch waits for them, and they decide nothing.
//!
//! An observer, or a rewriter at a result event, can be marked `background`. Its call is taken into a
//! bounded queue (`background/lanes.rs`) with a copy of the step, and a task of the same tokio runtime
//! makes it (`background/runner.rs`). What a background rewriter would set is published
//! (`background/published.rs`), never applied.
//!
//! # The life of a call
//!
//! ```text
//! dispatch ─ submit ─▶ waits in the lane of its runtime ─▶ runs ─▶ finished (failed or not)
//!               │                    └─ the runtime ends ─────┴──▶ lost
//!               └─ queue full, no runtime, shut down ────────────▶ dropped
//! ```
//!
//! Every call ends in exactly one counter of [`BackgroundCounts`]: it is finished, dropped before it
//! was taken (the queue is full, there is no runtime, the engine was shut down), or lost because its
//! runtime ended.

mod lanes;
mod published;
mod runner;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use hookgate_contract::Envelope;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::contract;
use super::invoke::invoke;
use super::offload::OwnedCall;
use super::record::Started;
use super::validate::{AnswerKind, Checked, Version, validate};
use crate::clock;
use crate::events::{DropReason, EventSender, HookEventKind};
use crate::log;
use crate::panic_boundary::catch;
use crate::table::{CompiledHook, Limits};
use crate::timer::wait_at_most;
use lanes::Lanes;
pub use published::PatchEnvelope;
use published::Published;
use runner::Runner;

/// How many background calls of an engine came to which end.
///
/// ```
/// use std::time::Duration;
/// use hookgate::Engine;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks();
/// let counts = engine.shutdown(Duration::from_secs(5)).await;
/// assert_eq!((counts.finished, counts.pending, counts.lost), (0, 0, 0));
/// # });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct BackgroundCounts {
    /// Calls that have ended, those that failed included.
    pub finished: u64,
    /// Calls that wait or run.
    pub pending: u64,
    /// Calls that were not taken: too many were waiting, the dispatch ran outside of a tokio runtime,
    /// or the engine was shut down.
    pub dropped: u64,
    /// Calls that were taken and did not end, because their tokio runtime has ended.
    pub lost: u64,
    /// Calls that ended in a failure.
    pub failed: u64,
    /// Published patches that were evicted before they were taken.
    pub patches_lost: u64,
}

/// The background calls of an engine.
pub(crate) struct Background {
    state: Arc<State>,
}

/// What the calls share, wherever they run.
struct State {
    lanes: Mutex<Lanes<OwnedCall>>,
    submitted: AtomicU64,
    finished: AtomicU64,
    dropped: AtomicU64,
    lost: AtomicU64,
    failed: AtomicU64,
    /// Notified whenever a call is not pending any more.
    ended: Notify,
    published: Published,
    stream: EventSender,
}

impl Background {
    /// Returns a queue without calls, which announces what happens on a stream.
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

    /// Takes a call, to be made in the runtime of the caller as soon as the limits allow it.
    ///
    /// # Errors
    /// Why the call is not made.
    pub(super) fn submit(&self, call: OwnedCall, limits: &Limits) -> Result<(), DropReason> {
        // ORDERING: the counters are statistics, except that `drain` waits until none is pending;
        // whatever counts one up also wakes it.
        let taken = Handle::try_current().map_err(|_| DropReason::NoRuntime).and_then(|runtime| {
            let first = self.state.lanes().push(runtime.id(), call, limits)?;
            self.state.submitted.fetch_add(1, Ordering::AcqRel);
            Ok((runtime, first))
        });
        match taken {
            Ok((runtime, Some(first))) => {
                // The lock is free again: a runtime that is ending drops the runner at once.
                let runner = Runner::new(Arc::clone(&self.state), runtime.id(), first);
                drop(runtime.spawn(runner.run()));
                Ok(())
            }
            Ok((_, None)) => Ok(()),
            Err(why) => {
                self.count_dropped();
                Err(why)
            }
        }
    }

    /// Counts a call that was not made.
    pub(super) fn count_dropped(&self) {
        self.state.dropped.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns how many calls came to which end.
    pub(crate) fn counts(&self) -> BackgroundCounts {
        self.state.counts()
    }

    /// Waits until all calls have ended, but no longer than the timeout.
    pub(crate) async fn drain(&self, timeout: Duration) -> BackgroundCounts {
        let all_ended = async {
            loop {
                let ended = self.state.ended.notified();
                if self.counts().pending == 0 {
                    return;
                }
                ended.await;
            }
        };
        if let Err(failure) = wait_at_most(timeout, all_ended).await {
            log::background_not_awaited(self.counts().pending, &failure.detail);
        }
        self.counts()
    }

    /// Takes no more calls, then waits as [`Self::drain`] does.
    pub(crate) async fn shutdown(&self, timeout: Duration) -> BackgroundCounts {
        self.state.lanes().close();
        self.drain(timeout).await
    }

    /// Takes the patches that were published for a session since the last call.
    pub(crate) fn take_published(&self, session_id: &str) -> Vec<PatchEnvelope> {
        self.state.published.take(session_id)
    }
}

impl State {
    fn lanes(&self) -> MutexGuard<'_, Lanes<OwnedCall>> {
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

    /// Makes a call and counts its end. A panic outside of the handler (of the payload, say) ends this call only.
    async fn run(&self, call: &OwnedCall) {
        let mut made = std::pin::pin!(self.make(call));
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

    async fn make(&self, call: &OwnedCall) {
        let hook = call.hook();
        let parts = call.snapshot().parts();
        let envelope = parts.envelope();
        if let Some(places) = call.places() {
            envelope.set_places(places);
        }
        let subscribed = self.stream.has_subscribers();
        let started = subscribed.then(|| Started::announce(&self.stream, hook, &envelope));
        // Work that grows with the step would keep a worker thread of the runtime busy.
        let offloaded = hook.heavy.then(|| call.clone());
        let reply = invoke(hook, &envelope, offloaded, None).reply().await;
        let version = Version { payload: envelope.payload(), is_final: false };
        let contract = contract(call.bucket(), version.payload);
        let checked = validate(hook, 0, contract, version, reply);
        if matches!(checked.kind, AnswerKind::Failed(_)) {
            self.failed.fetch_add(1, Ordering::AcqRel);
        }
        if let Some(started) = started {
            self.announce_end(hook, &checked, &envelope, started.end());
        }
        // Only an enforcing hook has a patch here.
        if !checked.patch.is_empty() {
            self.publish(hook, checked.patch.into(), &envelope);
        }
    }

    fn announce_end(
        &self,
        hook: &CompiledHook,
        checked: &Checked,
        envelope: &Envelope<'_>,
        duration_us: u64,
    ) {
        let what = match &checked.kind {
            AnswerKind::Failed(failure) => {
                HookEventKind::Failed { class: failure.class, detail: failure.detail.to_string() }
            }
            _ => HookEventKind::Completed { duration_us },
        };
        self.stream.send(hook.id(), envelope, what);
    }

    fn publish(&self, hook: &CompiledHook, patch: Map<String, Value>, envelope: &Envelope<'_>) {
        let revision = self.published.next_revision();
        if self.stream.has_subscribers() {
            let what = HookEventKind::PatchPublished { revision, patch: patch.clone() };
            self.stream.send(hook.id(), envelope, what);
        }
        let patch = PatchEnvelope {
            revision,
            hook: hook.id().clone(),
            event: envelope.payload().event_name().to_owned(),
            patch,
            time: clock::unix_ms(),
        };
        self.published.push(envelope.context().session_id, patch);
    }

    /// Counts calls whose runtime has ended, and announces those that had not begun.
    fn note_lost(&self, begun: usize, waiting: &[OwnedCall]) {
        let lost = begun + waiting.len();
        log::background_lost(lost, &DropReason::RuntimeEnded);
        self.lost.fetch_add(lost as u64, Ordering::AcqRel);
        if self.stream.has_subscribers() {
            for call in waiting {
                let hook = call.hook();
                let parts = call.snapshot().parts();
                let what = HookEventKind::Dropped { why: DropReason::RuntimeEnded };
                // The host ends its runtime here; a panic of a payload must not reach it.
                let _ = catch("the payload", || {
                    self.stream.send(hook.id(), &parts.envelope(), what);
                });
            }
        }
        self.ended.notify_waiters();
    }
}
