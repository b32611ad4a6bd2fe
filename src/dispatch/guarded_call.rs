//! A call that cannot do harm: bounded in time, cancellable, and closed to panics.
//!
//! A [`GuardedCall`] runs one [`Operation`] (the handler of a hook, or its conditions on another
//! thread) and is ready when the first of these happens:
//!
//! | what happens | failure class |
//! |---|---|
//! | the operation ends | – |
//! | it panics: when it starts, when it is polled, or when its future is dropped | `panic` |
//! | the host cancels the dispatch | `cancelled` |
//! | the timeout of the hook or the deadline of the dispatch passes | `timeout`; `overloaded` if it waited for its turn |
//! | there is no tokio runtime, or its clock is not enabled | `spawn` |
//!
//! The operation starts at the first poll. Only if it is not ready then is anything kept of it and a timer
//! made, so a handler that answers at once costs neither. The time counts from before the start: to start
//! a process on a busy machine may take a while. Calls that are begun one after the other share a
//! reading of the clock as long as they are ready at once ([`Clock`]). Calls that wait at the same time
//! share a timer, which they leave to their owner ([`GuardedCall::poll_with`]).
//!
//! # Why dropping is a call, too
//!
//! A handler is stopped by dropping its future, and a destructor is foreign code: it may panic, and it
//! may have something to say. A handler that had read a part of an answer when its time was over notes
//! the decision in it ([`Invocation::leave`](hookgate_contract::Invocation::leave)), so that a half
//! answer "deny" is not turned into an allow by a posture. The future is therefore dropped here, inside
//! the boundary, before the failure is returned; and once more the stricter of both counts.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hookgate_contract::{Cancel, Envelope, Failure, FailureClass, VerdictDecision};

use crate::clock::Instant;
use crate::panic_boundary::{catch, handler_panicked};
use crate::timer::{Timer, format_timeout, in_runtime};

/// The future of an operation whose result is a `T`.
pub(super) type OperationFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Something that a guarded call starts when it is first polled.
pub(super) trait Operation {
    /// The result.
    type Output;
    /// The future of the result, mostly an [`OperationFuture`].
    type Future: Future<Output = Result<Self::Output, Failure>> + Unpin;

    /// Starts the operation.
    fn start(&mut self) -> Self::Future;

    /// Returns whether a result counts that came after its time was over, because the operation blocked its
    /// thread: one that lets nothing happen.
    fn counts_late(_: &Self::Output) -> bool {
        false
    }

    /// Returns the failure of one that was given up while it waited for its turn: it had no chance to be in time.
    /// Called after the future was dropped.
    fn overload(&self) -> Option<Failure> {
        None
    }

    /// Returns the decision that could be read from an answer which was given up unfinished. Called
    /// after the future was dropped.
    fn salvaged(&self) -> Option<VerdictDecision> {
        None
    }
}

/// The future of an operation, with everything that can end it early.
pub(super) struct GuardedCall<'a, O: Operation> {
    operation: O,
    cancel: Option<&'a dyn Cancel>,
    timeout: Duration,
    deadline: Option<Instant>,
    running: Option<Running<'a, O::Future>>,
    /// Its own timer, where it does not share one.
    timer: Timer,
}

/// An operation that has started.
struct Running<'a, F> {
    future: F,
    /// The moment before the start.
    since: Instant,
    cancelled: Option<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>,
}

/// That a timer has passed, with the present moment, or why no timer can be set.
pub(super) type Passed = Result<Instant, Failure>;

impl<'a, O: Operation> GuardedCall<'a, O> {
    /// Returns a call that may take as long as `timeout`, and no longer than until `deadline`.
    pub(super) fn new(
        operation: O,
        cancel: Option<&'a dyn Cancel>,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Self {
        Self { operation, cancel, timeout, deadline, running: None, timer: Timer::default() }
    }

    /// Starts an operation and polls it for the first time. Returns its result, or the call if it has to
    /// wait: one that is ready leaves nothing that would have to be moved. No timer is set.
    #[inline]
    pub(super) fn begin(
        mut operation: O,
        cancel: Option<&'a dyn Cancel>,
        timeout: Duration,
        deadline: Option<Instant>,
        clock: &mut Clock,
        cx: &mut Context<'_>,
    ) -> Result<Result<O::Output, Failure>, Box<Self>> {
        let running = match start(&mut operation, (timeout, deadline), clock, cx) {
            Ok(result) => return Ok(result),
            Err(running) => Some(running),
        };
        let timer = Timer::default();
        let mut call = Box::new(Self { operation, cancel, timeout, deadline, running, timer });
        match call.poll_cancelled(cx) {
            Poll::Ready(result) => Ok(result),
            Poll::Pending => Err(call),
        }
    }

    /// Polls the operation, and what can end it but for the time: that is left to a timer of the caller,
    /// which is to be set to [`Self::ends_at`]. Once that has passed, the caller polls again with it.
    pub(super) fn poll_with(
        &mut self,
        passed: Option<&Passed>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<O::Output, Failure>> {
        match &mut self.running {
            None => {
                let bounds = (self.timeout, self.deadline);
                match start(&mut self.operation, bounds, &mut Clock::default(), cx) {
                    Ok(result) => return Poll::Ready(result),
                    Err(running) => self.running = Some(running),
                }
            }
            Some(running) => {
                let poll = || Pin::new(&mut running.future).poll(cx);
                match catch_unwind(AssertUnwindSafe(poll)) {
                    Ok(Poll::Ready(result)) => {
                        let bounds = (self.timeout, self.deadline);
                        let result = in_time::<O>(result, running.since, bounds, Instant::now());
                        return Poll::Ready(self.finish(result));
                    }
                    Err(panic) => return Poll::Ready(self.finish(Err(handler_panicked(panic)))),
                    Ok(Poll::Pending) => {}
                }
            }
        }
        if let Poll::Ready(result) = self.poll_cancelled(cx) {
            return Poll::Ready(result);
        }
        match (passed, self.ends_at()) {
            (Some(passed), Some(ends_at)) => self.end_if_over(ends_at, passed),
            _ => Poll::Pending,
        }
    }

    /// Returns when the operation that runs has to end; `None` if the clock does not reach that far.
    pub(super) fn ends_at(&self) -> Option<Instant> {
        ends_at(self.running.as_ref()?.since, (self.timeout, self.deadline))
    }

    fn end_if_over(
        &mut self,
        ends_at: Instant,
        passed: &Passed,
    ) -> Poll<Result<O::Output, Failure>> {
        let failure = match passed {
            Ok(now) if *now < ends_at => return Poll::Pending,
            Ok(_) => timeout_failure(self.timeout, self.deadline),
            Err(no_timer) => no_timer.clone(),
        };
        Poll::Ready(self.finish(Err(failure)))
    }

    /// Is ready with the failure if the host has cancelled the dispatch, or if its token panics.
    fn poll_cancelled(&mut self, cx: &mut Context<'_>) -> Poll<Result<O::Output, Failure>> {
        let (Some(cancel), Some(running)) = (self.cancel, &mut self.running) else {
            return Poll::Pending;
        };
        match running.poll_cancelled(cancel, cx) {
            Some(failure) => Poll::Ready(self.finish(Err(failure))),
            None => Poll::Pending,
        }
    }

    fn finish(&mut self, result: Result<O::Output, Failure>) -> Result<O::Output, Failure> {
        finish(&self.operation, self.running.take(), result)
    }
}

/// What bounds a call: its timeout, and the deadline of the dispatch.
type Bounds = (Duration, Option<Instant>);

/// Returns when a call that began at a moment has to end; `None` if the clock does not reach that far.
fn ends_at(since: Instant, (timeout, deadline): Bounds) -> Option<Instant> {
    [since.checked_add(timeout), deadline].into_iter().flatten().min()
}

/// Returns the result of a call that is over now: the failure if its time was over before, unless the result
/// counts even so.
#[inline]
fn in_time<O: Operation>(
    result: Result<O::Output, Failure>,
    since: Instant,
    bounds: Bounds,
    now: Instant,
) -> Result<O::Output, Failure> {
    match result {
        Ok(output) if ends_at(since, bounds).is_some_and(|ends_at| now >= ends_at) => {
            let (timeout, deadline) = bounds;
            if O::counts_late(&output) {
                Ok(output)
            } else {
                Err(timeout_failure(timeout, deadline))
            }
        }
        result => result,
    }
}

/// When calls begin that are begun one after the other.
///
/// The reading at the end of a call that is ready at once is that of the beginning of the next one. A call that
/// waits may have taken long to start, so the one after it reads the clock again.
#[derive(Default)]
pub(super) struct Clock {
    moment: Option<Instant>,
    in_runtime: bool,
}

impl Clock {
    /// Returns a clock that was read at a moment, or not yet.
    pub(super) const fn read_at(moment: Option<Instant>) -> Self {
        Self { moment, in_runtime: false }
    }

    /// Returns the moment, inside of a runtime: outside most handlers that wait would panic, and no
    /// deadline could be set.
    #[inline]
    fn read(&mut self) -> Result<Instant, Failure> {
        if !self.in_runtime {
            in_runtime()?;
            self.in_runtime = true;
        }
        Ok(*self.moment.get_or_insert_with(Instant::now))
    }
}

/// Starts an operation and polls it for the first time. Returns its result.
///
/// # Errors
/// What runs, if it is not ready.
fn start<'a, O: Operation>(
    operation: &mut O,
    bounds: Bounds,
    clock: &mut Clock,
    cx: &mut Context<'_>,
) -> Result<Result<O::Output, Failure>, Running<'a, O::Future>> {
    let since = match clock.read() {
        Ok(since) => since,
        Err(failure) => return Ok(Err(failure)),
    };
    let mut started = None;
    let polled = catch_unwind(AssertUnwindSafe(|| {
        let future = started.insert(operation.start());
        let polled = Pin::new(future).poll(cx);
        if polled.is_ready() {
            started = None;
        }
        polled
    }));
    let result = match (polled, started.take()) {
        (Ok(Poll::Ready(result)), left) => {
            let now = *clock.moment.insert(Instant::now());
            finish(operation, left, in_time::<O>(result, since, bounds, now))
        }
        // What has panicked is still there.
        (Err(panic), left) => finish(operation, left, Err(handler_panicked(panic))),
        (Ok(Poll::Pending), Some(future)) => {
            clock.moment = None;
            return Err(Running { future, since, cancelled: None });
        }
        // INVARIANT: only a future that is ready was dropped.
        (Ok(Poll::Pending), None) => Err(Failure::new(FailureClass::Spawn, "it did not start")),
    };
    Ok(result)
}

/// Stops what is left of an operation, and returns its result.
fn finish<O: Operation, L>(
    operation: &O,
    left: Option<L>,
    result: Result<O::Output, Failure>,
) -> Result<O::Output, Failure> {
    let result = left.and_then(stop).map_or(result, Err);
    // A decision in an unfinished answer counts. The handler noted it when its future was dropped.
    result.map_err(|failure| {
        let overload = || operation.overload().filter(|_| failure.class == FailureClass::Timeout);
        let failure = overload().unwrap_or(failure);
        let salvaged = failure.salvaged.max(operation.salvaged());
        failure.with_salvaged(salvaged)
    })
}

/// Drops the future of an operation, which stops it. Returns the failure if that panics.
fn stop(running: impl Sized) -> Option<Failure> {
    catch_unwind(AssertUnwindSafe(move || drop(running))).err().map(handler_panicked)
}

impl<O: Operation> Drop for GuardedCall<'_, O> {
    fn drop(&mut self) {
        // The result is not wanted any more, and neither is a panic on the way out.
        if let Some(running) = self.running.take() {
            let _ = stop(running);
        }
    }
}

/// No field is pinned in place: what waits is in boxes.
impl<O: Operation> Unpin for GuardedCall<'_, O> {}

impl<O: Operation> Future for GuardedCall<'_, O> {
    type Output = Result<O::Output, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let Poll::Ready(result) = this.poll_with(None, cx) {
            return Poll::Ready(result);
        }
        let Some(ends_at) = this.ends_at() else { return Poll::Pending };
        while let Poll::Ready(passed) = this.timer.poll_until(ends_at, cx) {
            if let Poll::Ready(result) = this.end_if_over(ends_at, &passed) {
                return Poll::Ready(result);
            }
        }
        Poll::Pending
    }
}

impl<'a, F> Running<'a, F> {
    /// Returns the failure if the host has cancelled the dispatch, or if its token panics.
    fn poll_cancelled(&mut self, cancel: &'a dyn Cancel, cx: &mut Context<'_>) -> Option<Failure> {
        let polled = catch(TOKEN, || {
            let cancelled = self.cancelled.get_or_insert_with(|| cancel.cancelled());
            cancelled.as_mut().poll(cx)
        });
        match polled {
            Ok(Poll::Pending) => None,
            Ok(Poll::Ready(())) => Some(cancelled_failure()),
            Err(failure) => Some(failure),
        }
    }
}

/// The name of the host's token in failures.
const TOKEN: &str = "the cancellation token";

/// Returns why a hook must not be called any more, if so: the dispatch is cancelled, or its token
/// panics and cannot tell.
#[inline]
pub(super) fn cancellation(envelope: &Envelope<'_>) -> Option<Failure> {
    cancellation_of(envelope.context().cancel?)
}

/// Returns whether the host has cancelled a dispatch.
pub(super) fn is_cancelled(cancel: Option<&dyn Cancel>) -> bool {
    cancel.is_some_and(|cancel| catch(TOKEN, || cancel.is_cancelled()).unwrap_or_default())
}

fn cancellation_of(cancel: &dyn Cancel) -> Option<Failure> {
    match catch(TOKEN, || cancel.is_cancelled()) {
        Ok(false) => None,
        Ok(true) => Some(cancelled_failure()),
        Err(failure) => Some(failure),
    }
}

fn cancelled_failure() -> Failure {
    Failure::new(FailureClass::Cancelled, "the dispatch was cancelled").by_host()
}

/// Returns the failure of a call whose time is over: that of the hook, or of the whole dispatch.
pub(super) fn timeout_failure(timeout: Duration, deadline: Option<Instant>) -> Failure {
    let whole = deadline.is_some_and(|deadline| Instant::now() >= deadline);
    Failure::new(
        FailureClass::Timeout,
        if whole {
            "the deadline of the whole dispatch has passed".to_owned()
        } else {
            format!("no answer within {}", format_timeout(timeout))
        },
    )
}
