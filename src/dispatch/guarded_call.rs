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
//! | the timeout of the hook or the deadline of the dispatch passes | `timeout` |
//! | there is no tokio runtime, or its clock is not enabled | `spawn` |
//!
//! The operation starts at the first poll. A timer is made only if the operation is not ready then,
//! so a handler that answers at once costs none. The time counts from before the start: to start a
//! process on a busy machine may take a while.
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
use tokio::time::{Instant, Sleep};

use crate::panic_boundary::{catch, handler_panicked};
use crate::timer::{format_timeout, in_runtime, sleep_until};

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
}

/// An operation that has started.
struct Running<'a, F> {
    future: F,
    /// The moment before the start.
    since: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
    cancelled: Option<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>,
}

impl<'a, O: Operation> GuardedCall<'a, O> {
    /// Returns a call that may take as long as `timeout`, and no longer than until `deadline`.
    pub(super) const fn new(
        operation: O,
        cancel: Option<&'a dyn Cancel>,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Self {
        Self { operation, cancel, timeout, deadline, running: None }
    }

    fn start(&mut self) -> Result<(), Failure> {
        // Outside of a runtime most handlers that wait would panic, and no deadline could be set.
        in_runtime()?;
        let since = Instant::now();
        let future = catch_unwind(AssertUnwindSafe(|| self.operation.start()))
            .map_err(|panic| handler_panicked(&*panic))?;
        self.running = Some(Running { future, since, sleep: None, cancelled: None });
        Ok(())
    }

    fn finish(&mut self, result: Result<O::Output, Failure>) -> Poll<Result<O::Output, Failure>> {
        let result = self.stop().map_or(result, Err);
        // A decision in an unfinished answer counts. The handler noted it when its future was dropped.
        Poll::Ready(result.map_err(|failure| {
            let salvaged = failure.salvaged.max(self.operation.salvaged());
            failure.with_salvaged(salvaged)
        }))
    }

    /// Drops the future of the operation, which stops it. Returns the failure if that panics.
    fn stop(&mut self) -> Option<Failure> {
        let running = self.running.take()?;
        catch_unwind(AssertUnwindSafe(move || drop(running)))
            .err()
            .map(|panic| handler_panicked(&*panic))
    }
}

impl<O: Operation> Drop for GuardedCall<'_, O> {
    fn drop(&mut self) {
        // The result is not wanted any more, and neither is a panic on the way out.
        let _ = self.stop();
    }
}

/// No field is pinned in place: what waits is in boxes.
impl<O: Operation> Unpin for GuardedCall<'_, O> {}

impl<O: Operation> Future for GuardedCall<'_, O> {
    type Output = Result<O::Output, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.running.is_none()
            && let Err(failure) = this.start()
        {
            return Poll::Ready(Err(failure));
        }
        let Some(running) = &mut this.running else { return Poll::Pending };
        let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(&mut running.future).poll(cx)));
        match polled {
            Ok(Poll::Ready(result)) => return this.finish(result),
            Err(panic) => return this.finish(Err(handler_panicked(&*panic))),
            Ok(Poll::Pending) => {}
        }
        if let Some(failure) = running.poll_cancelled(this.cancel, cx) {
            return this.finish(Err(failure));
        }
        match running.poll_timer(this.timeout, this.deadline, cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(failure) => this.finish(Err(failure)),
        }
    }
}

impl<'a, F> Running<'a, F> {
    /// Returns the failure if the host has cancelled the dispatch, or if its token panics.
    fn poll_cancelled(
        &mut self,
        cancel: Option<&'a dyn Cancel>,
        cx: &mut Context<'_>,
    ) -> Option<Failure> {
        let cancel = cancel?;
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

    /// Is ready with the failure once the time has passed, or if no timer can be set.
    fn poll_timer(
        &mut self,
        timeout: Duration,
        deadline: Option<Instant>,
        cx: &mut Context<'_>,
    ) -> Poll<Failure> {
        let sleep = match &mut self.sleep {
            Some(sleep) => sleep,
            None => {
                // A deadline beyond the range of the clock is none.
                let at = [self.since.checked_add(timeout), deadline];
                let Some(at) = at.into_iter().flatten().min() else { return Poll::Pending };
                match sleep_until(at) {
                    Ok(sleep) => self.sleep.insert(sleep),
                    Err(failure) => return Poll::Ready(failure),
                }
            }
        };
        sleep.as_mut().poll(cx).map(|()| timeout_failure(timeout, deadline))
    }
}

/// The name of the host's token in failures.
const TOKEN: &str = "the cancellation token";

/// Returns why a hook must not be called any more, if so: the dispatch is cancelled, or its token
/// panics and cannot tell.
pub(super) fn cancellation(envelope: &Envelope<'_>) -> Option<Failure> {
    let cancel = envelope.context().cancel?;
    match catch(TOKEN, || cancel.is_cancelled()) {
        Ok(false) => None,
        Ok(true) => Some(cancelled_failure()),
        Err(failure) => Some(failure),
    }
}

fn cancelled_failure() -> Failure {
    Failure::new(FailureClass::Cancelled, "the dispatch was cancelled")
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
