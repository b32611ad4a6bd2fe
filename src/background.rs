//! Hooks that run beside the agent: it never waits for them, and they decide nothing.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookgate_contract::envelope::{Envelope, Header, Observed, StepId};
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Ask, Handler};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::{Notify, Semaphore, mpsc};

use crate::clock;
use crate::dispatch::{Fence, Weighed, ask_now, contract, weigh};
use crate::stream::{Stream, What};
use crate::table::{Bucket, Entry, Limits};

/// A patch that a background rewriter made. It is published, never applied: the agent has gone on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchEnvelope {
    /// A number that grows with every patch of the engine.
    pub revision: u64,
    /// The hook.
    pub hook: String,
    /// The event.
    pub event: String,
    /// The fields that it would set.
    pub patch: Map<String, Value>,
    /// When, in milliseconds since 1970.
    pub time: u64,
}

/// How many patches of a session wait for its next report.
const PATCHES_PER_SESSION: usize = 256;

/// How many sessions have patches waiting.
const SESSIONS: usize = 4096;

/// A step as it was when it was judged.
pub(crate) struct Snapshot {
    payload: Box<dyn AnyPayload>,
    header: Header,
    generation: u64,
    limit: usize,
    outcome: String,
    by: Vec<String>,
    reason: Option<String>,
    patched: Vec<&'static str>,
}

impl Snapshot {
    pub(crate) fn of(envelope: &Envelope<'_>, observed: &Observed<'_>) -> Self {
        let context = envelope.context();
        Self {
            payload: envelope.payload().snapshot(),
            header: Header {
                step_id: Some(envelope.step_id().to_owned()),
                session_id: context.session_id.to_owned(),
                turn: context.turn,
                cwd: context.cwd.map(str::to_owned),
                agent_id: context.agent_id.map(str::to_owned),
                agent_type: context.agent_type.map(str::to_owned),
                host: context.host.cloned().unwrap_or_default(),
            },
            generation: envelope.generation(),
            limit: envelope.limit(),
            outcome: observed.outcome.to_owned(),
            by: observed.by.iter().map(|&by| by.to_owned()).collect(),
            reason: observed.reason.map(str::to_owned),
            patched: observed.patched.to_vec(),
        }
    }
}

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
    /// Calls that were never made, since too many were waiting.
    pub dropped: u64,
    /// Calls that ended in a failure.
    pub failed: u64,
}

pub(crate) struct Background {
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    state: Arc<State>,
}

struct State {
    submitted: AtomicU64,
    finished: AtomicU64,
    dropped: AtomicU64,
    failed: AtomicU64,
    revision: AtomicU64,
    ended: Notify,
    published: Mutex<HashMap<String, VecDeque<PatchEnvelope>>>,
    stream: Stream,
}

impl Background {
    pub(crate) fn new(stream: Stream) -> Self {
        Self {
            queue: Mutex::new(None),
            state: Arc::new(State {
                submitted: AtomicU64::new(0),
                finished: AtomicU64::new(0),
                dropped: AtomicU64::new(0),
                failed: AtomicU64::new(0),
                revision: AtomicU64::new(0),
                ended: Notify::new(),
                published: Mutex::default(),
                stream,
            }),
        }
    }

    /// Puts a call into the queue; false where it is full or there is no runtime to run it.
    pub(crate) fn submit(&self, job: Job, limits: &Limits) -> bool {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.as_ref().is_none_or(mpsc::Sender::is_closed) {
            *queue = start(&self.state, limits);
        }
        // ORDERING: the counters are statistics, except that `drain` waits for `finished` to reach
        // `submitted`; both are counted up by whoever also sends or wakes.
        let sent = queue.as_ref().is_some_and(|queue| queue.try_send(job).is_ok());
        if sent {
            self.state.submitted.fetch_add(1, Ordering::AcqRel);
        } else {
            self.state.dropped.fetch_add(1, Ordering::AcqRel);
        }
        sent
    }

    pub(crate) fn counts(&self) -> BackgroundCounts {
        let finished = self.state.finished.load(Ordering::Acquire);
        BackgroundCounts {
            finished,
            pending: self.state.submitted.load(Ordering::Acquire).saturating_sub(finished),
            dropped: self.state.dropped.load(Ordering::Acquire),
            failed: self.state.failed.load(Ordering::Acquire),
        }
    }

    /// Waits until all calls have ended, but no longer than this.
    pub(crate) async fn drain(&self, deadline: Duration) -> BackgroundCounts {
        let all_ended = async {
            loop {
                let ended = self.state.ended.notified();
                if self.counts().pending == 0 {
                    return;
                }
                ended.await;
            }
        };
        // Either way the counts say what is left.
        let _ = tokio::time::timeout(deadline, all_ended).await;
        self.counts()
    }

    /// The patches that were published for a session since this was last asked.
    pub(crate) fn take_published(&self, session_id: &str) -> Vec<PatchEnvelope> {
        let mut all = self.state.published.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(session_id).map(Vec::from).unwrap_or_default()
    }
}

/// Starts the task that works off the queue; none outside a runtime.
fn start(state: &Arc<State>, limits: &Limits) -> Option<mpsc::Sender<Job>> {
    let runtime = tokio::runtime::Handle::try_current().ok()?;
    let (sender, mut receiver) = mpsc::channel::<Job>(limits.background_queue.max(1));
    let state = Arc::clone(state);
    let running = Arc::new(Semaphore::new(limits.concurrency.max(1)));
    runtime.spawn(async move {
        while let Some(job) = receiver.recv().await {
            let Ok(permit) = Arc::clone(&running).acquire_owned().await else { return };
            let state = Arc::clone(&state);
            tokio::spawn(async move {
                state.run(job).await;
                drop(permit);
                state.finished.fetch_add(1, Ordering::AcqRel);
                state.ended.notify_waiters();
            });
        }
    });
    Some(sender)
}

impl State {
    async fn run(&self, job: Job) {
        let Some(entry) = job.bucket.entries.get(job.index) else { return };
        let snapshot = &*job.snapshot;
        let context = snapshot.header.context();
        let step_id = StepId::new(snapshot.header.step_id.as_deref(), clock::step_id);
        let observed = Observed {
            outcome: &snapshot.outcome,
            by: snapshot.by.iter().map(String::as_str).collect(),
            reason: snapshot.reason.as_deref(),
            patched: &snapshot.patched,
        };
        let envelope = Envelope::new(
            &*snapshot.payload,
            &context,
            &step_id,
            snapshot.generation,
            snapshot.limit,
        )
        .decided(&observed);
        let ask = Ask::new(entry.id(), &envelope);
        let reply = match &entry.handler {
            Handler::Sync(handler) => ask_now(&**handler, ask),
            Handler::Async(handler) => Fence::new(&**handler, ask, entry.timeout, None).await,
        };
        match weigh(entry, contract(&job.bucket, &*snapshot.payload), reply) {
            Weighed::Silent(_) => {}
            Weighed::Says(parts) => {
                if !parts.patch.is_empty() {
                    self.publish(entry, &envelope, parts.patch);
                }
            }
            Weighed::Failed { failure, .. } => {
                self.failed.fetch_add(1, Ordering::AcqRel);
                tracing::warn!(hook = entry.id(), class = %failure.class, "a background hook failed");
                if self.stream.is_heard() {
                    let (class, detail) = (failure.class, failure.detail.into_owned());
                    self.stream.send(entry.id(), &envelope, What::Failed { class, detail });
                }
            }
        }
    }

    fn publish(&self, entry: &Entry, envelope: &Envelope<'_>, patch: Map<String, Value>) {
        let revision = self.revision.fetch_add(1, Ordering::AcqRel) + 1;
        let session = envelope.context().session_id;
        if self.stream.is_heard() {
            let what = What::PatchPublished { revision, patch: patch.clone() };
            self.stream.send(entry.id(), envelope, what);
        }
        let mut all = self.published.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(session) && all.len() >= SESSIONS {
            self.dropped.fetch_add(1, Ordering::AcqRel);
            return;
        }
        let patches = all.entry(session.to_owned()).or_default();
        if patches.len() >= PATCHES_PER_SESSION {
            patches.pop_front();
            self.dropped.fetch_add(1, Ordering::AcqRel);
        }
        patches.push_back(PatchEnvelope {
            revision,
            hook: entry.id().to_owned(),
            event: envelope.payload().event_name().to_owned(),
            patch,
            time: clock::unix_ms(),
        });
    }
}
