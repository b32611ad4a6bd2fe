//! What keeps a handler from doing harm: its panics, its deadline, its cancellation.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hookgate_contract::{AsyncHandler, Verdict, VerdictDecision};
use hookgate_contract::{Cancel, Envelope, Failure, FailureClass, Invocation, Reply, SyncHandler};
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep};

use super::apart::Apart;

/// Asks a handler that answers at once.
#[inline]
pub(crate) fn ask_now(handler: &dyn SyncHandler, invocation: Invocation<'_>) -> Reply {
    catch_unwind(AssertUnwindSafe(|| handler.handle(invocation)))
        .unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// Runs code of the embedder that must not panic; if it does, that is the failure of the hook that
/// is being asked.
pub(crate) fn fenced<T>(what: &str, run: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panicked_in(what, &*panic))
}

/// What somebody waits for behind a fence.
pub(crate) type Waited<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Something that a fence begins when it is first polled.
pub(crate) trait Begin {
    /// What it comes to.
    type Output;
    /// The future of that: a [`Waited`].
    type Waited: Future<Output = Result<Self::Output, Failure>> + Unpin;

    /// Begins it.
    fn begin(&mut self) -> Self::Waited;

    /// What stood in an answer that was given up unfinished.
    fn left(&self) -> Option<VerdictDecision> {
        None
    }
}

/// A question to a handler.
pub(crate) enum Question<'a> {
    /// To one that waits.
    Handler(&'a dyn AsyncHandler, Invocation<'a>),
    /// To one that answers at once, on a thread of its own.
    Apart(Apart),
}

impl<'a> Begin for Question<'a> {
    type Output = Verdict;
    type Waited = Waited<'a, Verdict>;

    fn begin(&mut self) -> Waited<'a, Verdict> {
        match self {
            Self::Handler(handler, invocation) => handler.handle(*invocation),
            Self::Apart(apart) => apart.clone().answer(),
        }
    }

    fn left(&self) -> Option<VerdictDecision> {
        match self {
            Self::Handler(_, invocation) => invocation.take_salvaged(),
            Self::Apart(_) => None,
        }
    }
}

/// Waits for an answer, as long as it may. It is begun when first polled; a timer is armed only if
/// it is not ready at once.
pub(crate) struct Fence<'a, B: Begin> {
    begin: B,
    cancel: Option<&'a dyn Cancel>,
    timeout: Duration,
    deadline: Option<Instant>,
    waiting: Option<Waiting<'a, B::Waited>>,
}

struct Waiting<'a, W> {
    answer: W,
    /// Before the first poll, which may take its time: to start a process on a busy machine.
    since: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
    cancelled: Option<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>,
}

impl<'a> Fence<'a, Question<'a>> {
    /// Asks a handler that waits.
    pub(crate) fn ask(
        handler: &'a dyn AsyncHandler,
        invocation: Invocation<'a>,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Self {
        let question = Question::Handler(handler, invocation);
        Self::new(question, invocation.context().cancel, timeout, deadline)
    }
}

impl<'a, B: Begin> Fence<'a, B> {
    pub(crate) const fn new(
        begin: B,
        cancel: Option<&'a dyn Cancel>,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Self {
        Self { begin, cancel, timeout, deadline, waiting: None }
    }

    fn start(&mut self) -> Result<(), Failure> {
        // Most handlers that wait would panic outside of a runtime, and no deadline could be set.
        in_runtime()?;
        let since = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| self.begin.begin()))
            .map_err(|panic| panicked(&*panic))?;
        self.waiting = Some(Waiting { answer, since, sleep: None, cancelled: None });
        Ok(())
    }

    fn end(&mut self, answer: Result<B::Output, Failure>) -> Poll<Result<B::Output, Failure>> {
        let answer = self.stop().map_or(answer, Err);
        // What an unfinished answer said stands. It was noted when the future was dropped.
        Poll::Ready(answer.map_err(|failure| {
            let stands = failure.salvaged.max(self.begin.left());
            failure.with_salvaged(stands)
        }))
    }

    /// Drops the handler's future, which stops the handler; a panic on the way is its failure.
    fn stop(&mut self) -> Option<Failure> {
        let waiting = self.waiting.take()?;
        catch_unwind(AssertUnwindSafe(move || drop(waiting))).err().map(|panic| panicked(&*panic))
    }
}

impl<B: Begin> Drop for Fence<'_, B> {
    fn drop(&mut self) {
        // Nobody is left to be told of a panic.
        let _ = self.stop();
    }
}

/// Nothing in it is pinned in place: what waits is in boxes.
impl<B: Begin> Unpin for Fence<'_, B> {}

impl<B: Begin> Future for Fence<'_, B> {
    type Output = Result<B::Output, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.waiting.is_none()
            && let Err(failure) = this.start()
        {
            return Poll::Ready(Err(failure));
        }
        let Some(waiting) = &mut this.waiting else { return Poll::Pending };
        let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(&mut waiting.answer).poll(cx)));
        match polled {
            Ok(Poll::Ready(answer)) => return this.end(answer),
            Err(panic) => return this.end(Err(panicked(&*panic))),
            Ok(Poll::Pending) => {}
        }
        if let Some(cancel) = this.cancel {
            let polled = fenced(TOKEN, || {
                let cancelled = waiting.cancelled.get_or_insert_with(|| cancel.cancelled());
                cancelled.as_mut().poll(cx)
            });
            match polled {
                Ok(Poll::Pending) => {}
                Ok(Poll::Ready(())) => return this.end(Err(cancelled_failure())),
                Err(failure) => return this.end(Err(failure)),
            }
        }
        if waiting.sleep.is_none() {
            // A deadline that no clock reaches is none.
            let at = [waiting.since.checked_add(this.timeout), this.deadline];
            let Some(at) = at.into_iter().flatten().min() else { return Poll::Pending };
            match alarm(at) {
                Ok(sleep) => waiting.sleep = Some(sleep),
                Err(failure) => return this.end(Err(failure)),
            }
        }
        let elapsed =
            waiting.sleep.as_mut().is_some_and(|sleep| sleep.as_mut().poll(cx).is_ready());
        if !elapsed {
            return Poll::Pending;
        }
        let failure = timed_out(this.timeout, this.deadline);
        this.end(Err(failure))
    }
}

/// # Errors
/// A failure of class `spawn` outside of a tokio runtime.
pub(crate) fn in_runtime() -> Result<Handle, Failure> {
    Handle::try_current().map_err(|_| {
        Failure::new(
            FailureClass::Spawn,
            "the dispatch runs outside of a tokio runtime: handlers that wait need one",
        )
    })
}

/// A timer.
///
/// # Errors
/// A failure of class `spawn` outside of a runtime, and in one whose clock is not enabled. Tokio
/// cannot be asked for the latter: it panics, which is caught, but the host's panic hook sees it.
pub(crate) fn alarm(at: Instant) -> Result<Pin<Box<Sleep>>, Failure> {
    in_runtime()?;
    catch_unwind(AssertUnwindSafe(|| Box::pin(tokio::time::sleep_until(at)))).map_err(|_| {
        Failure::new(
            FailureClass::Spawn,
            "the clock of the tokio runtime is not enabled, so no deadline can be set: build the \
             runtime with `enable_time`",
        )
    })
}

pub(super) fn timed_out(timeout: Duration, deadline: Option<Instant>) -> Failure {
    let whole = deadline.is_some_and(|deadline| Instant::now() >= deadline);
    Failure::new(
        FailureClass::Timeout,
        if whole {
            "the deadline of the whole dispatch has passed".to_owned()
        } else {
            format!("no answer within {}", humane(timeout))
        },
    )
}

pub(crate) fn humane(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

/// What the host gave to cancel a dispatch with.
const TOKEN: &str = "the cancellation token";

/// Why a hook is not asked any more: the dispatch is cancelled, or nobody can tell whether it is.
pub(super) fn stopped(envelope: &Envelope<'_>) -> Option<Failure> {
    let cancel = envelope.context().cancel?;
    match fenced(TOKEN, || cancel.is_cancelled()) {
        Ok(false) => None,
        Ok(true) => Some(cancelled_failure()),
        Err(failure) => Some(failure),
    }
}

fn cancelled_failure() -> Failure {
    Failure::new(FailureClass::Cancelled, "the dispatch was cancelled")
}

/// The failure of a handler that panicked.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Failure {
    panicked_in("the handler", panic)
}

/// The message of a panic, short enough for a record.
pub(crate) fn panicked_in(what: &str, panic: &(dyn Any + Send)) -> Failure {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a value that is no text");
    let text: String = text.chars().take(200).collect();
    Failure::new(FailureClass::Panic, format!("{what} panicked: {text}"))
}
