//! Work that grows with the step, on a thread that nobody has to wait for.
//!
//! What answers at once has no deadline: nothing can end it. About a large step that would be a
//! promise broken, since its size is chosen by the judged party. So the conditions and the handler
//! of a hook that declares such work are put on a blocking thread, with a copy of the step, and the
//! dispatch waits no longer than the hook's timeout and its own deadline.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Cancel, Envelope, Failure, FailureClass, Handler, Invocation, Verdict};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::fence::{
    Begin, Fence, Question, Waited, ask_now, fenced, in_runtime, panicked, stopped, timed_out,
};
use super::record::Started;
use super::{Dispatch, holds};
use crate::matcher::Truth;
use crate::snapshot::Snapshot;
use crate::table::{Bucket, CompiledHook};

/// A payload of more bytes than this is large.
const LARGE: usize = 64 << 10;

/// Whether the work that grows with a step must be done apart. Without a tokio runtime there is no
/// other thread, and all is done in place.
#[cold]
#[inline(never)]
pub(crate) fn is_large(payload: &dyn AnyPayload) -> bool {
    // A payload that panics is not copied either: who looks at it next has failed.
    Handle::try_current().is_ok()
        && fenced("the payload", || payload.is_larger_than(LARGE)).unwrap_or(false)
}

/// One hook and the step that it is asked about.
#[derive(Clone)]
pub(crate) struct Apart {
    bucket: Arc<Bucket>,
    index: usize,
    snapshot: Arc<Snapshot>,
}

impl Apart {
    /// The hook at a place of a bucket, and a step.
    pub(crate) fn new(bucket: &Arc<Bucket>, index: usize, snapshot: &Arc<Snapshot>) -> Self {
        Self { bucket: Arc::clone(bucket), index, snapshot: Arc::clone(snapshot) }
    }

    /// Asks the handler.
    pub(crate) fn answer(self) -> Waited<'static, Verdict> {
        self.on_thread(|entry, envelope| match &entry.handler {
            Handler::Sync(handler) => ask_now(&**handler, Invocation::new(entry.id(), envelope)),
            // INVARIANT: only handlers that answer at once are asked here.
            Handler::Async(_) => Err(Failure::new(FailureClass::Spawn, "the handler waits")),
        })
    }

    fn on_thread<T: Send + 'static>(
        self,
        work: impl FnOnce(&CompiledHook, &Envelope<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Waited<'static, T> {
        Box::pin(async move {
            let span = tracing::Span::current();
            let work = move || {
                let gone = || Failure::new(FailureClass::Spawn, "the hook is not there");
                let entry = self.bucket.entries.get(self.index).ok_or_else(gone)?;
                let facts = self.snapshot.facts();
                span.in_scope(|| work(entry, &facts.envelope()))
            };
            match OnThread(in_runtime()?.spawn_blocking(work)).await {
                Ok(done) => done,
                Err(error) => Err(match error.try_into_panic() {
                    Ok(panic) => panicked(&*panic),
                    Err(_) => Failure::new(FailureClass::Cancelled, "the runtime is ending"),
                }),
            }
        })
    }
}

/// Work on a thread. Dropped, it is not begun any more; what has begun comes to its end unheard.
struct OnThread<T>(JoinHandle<T>);

impl<T> Future for OnThread<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx)
    }
}

impl<T> Drop for OnThread<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The conditions of a hook.
pub(super) struct Check(Apart);

impl Begin for Check {
    type Output = Truth;
    type Waited = Waited<'static, Truth>;

    fn begin(&mut self) -> Self::Waited {
        self.0.clone().on_thread(holds)
    }
}

/// What is asked of a hook apart.
pub(super) enum Task<'e> {
    /// Nothing: it fails as it is.
    Failed(Failure),
    /// Whether its conditions hold, first.
    Check(Apart, Fence<'e, Check>),
    /// Its handler.
    Ask(Fence<'e, Question<'e>>),
}

impl<'a> Dispatch<'a> {
    /// Whether a hook is to be asked apart.
    #[inline]
    pub(super) const fn is_apart(&self, entry: &CompiledHook) -> bool {
        self.large && entry.heavy
    }

    /// The step in hand, copied once.
    pub(super) fn snapshot(&mut self, envelope: &Envelope<'_>) -> Result<Arc<Snapshot>, Failure> {
        let rejudge = envelope.is_rejudge();
        match &self.snapshot {
            Some((of, snapshot)) if *of == rejudge => Ok(Arc::clone(snapshot)),
            _ => {
                let snapshot = Arc::new(Snapshot::of(envelope, None)?);
                self.snapshot = Some((rejudge, Arc::clone(&snapshot)));
                Ok(snapshot)
            }
        }
    }

    /// Where the asking of a hook apart begins.
    pub(super) fn task<'e>(
        &mut self,
        place: usize,
        entry: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Task<'e>
    where
        'a: 'e,
    {
        if let Some(failure) = stopped(envelope) {
            return Task::Failed(failure);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            // What is begun on a thread goes on: nothing more is, once nobody waits for it.
            return Task::Failed(timed_out(entry.timeout, self.deadline));
        }
        let snapshot = match self.snapshot(envelope) {
            Ok(snapshot) => snapshot,
            Err(failure) => return Task::Failed(failure),
        };
        let index =
            self.setting.set.deciders.get(place).map_or(usize::MAX, |index| *index as usize);
        let apart = Apart::new(self.setting.bucket, index, &snapshot);
        if entry.conditions.any() && !self.was_asked(place, round) {
            let check = self.check(apart.clone(), entry, envelope);
            return Task::Check(apart, check);
        }
        Task::Ask(self.question(apart, entry, envelope))
    }

    /// Looks whether the conditions of a hook hold.
    pub(super) fn check<'e>(
        &self,
        apart: Apart,
        entry: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
    ) -> Fence<'e, Check> {
        Fence::new(Check(apart), cancel_of(envelope), entry.timeout, self.deadline)
    }

    /// Asks a hook whose conditions hold.
    pub(super) fn question<'e>(
        &self,
        apart: Apart,
        entry: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
    ) -> Fence<'e, Question<'e>> {
        let question = match &entry.handler {
            Handler::Sync(_) => Question::Apart(apart),
            Handler::Async(handler) => {
                Question::Handler(&**handler, Invocation::new(entry.id(), envelope))
            }
        };
        Fence::new(question, cancel_of(envelope), entry.timeout, self.deadline)
    }

    /// Asks a judge apart; none where its conditions do not hold.
    pub(super) async fn ask_apart<'e>(
        &mut self,
        place: usize,
        entry: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<(Option<Started<'e>>, Result<Verdict, Failure>)>
    where
        'a: 'e,
    {
        let ready = match self.task(place, entry, envelope, round) {
            Task::Failed(failure) => Err(failure),
            Task::Ask(question) => Ok(question),
            Task::Check(apart, check) => match check.await {
                Ok(Truth::False) => return None,
                Ok(_) => Ok(self.question(apart, entry, envelope)),
                Err(failure) => Err(failure),
            },
        };
        self.mark_asked(place);
        let started = self.start(entry, envelope);
        let reply = match ready {
            Ok(question) => question.await,
            Err(failure) => Err(failure),
        };
        Some((started, reply))
    }
}

fn cancel_of<'e>(envelope: &'e Envelope<'e>) -> Option<&'e dyn Cancel> {
    envelope.context().cancel
}
