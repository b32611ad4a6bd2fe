//! A handler whose calls are tried again.
//!
//! It stands around the handler of a hook with `retry`, so all that calls a handler (a dispatch, the background, a
//! job) retries in the same way. The deadline of the hook is around it: it ends whatever attempt or wait there is,
//! by dropping the future, and a wait that would pass the deadline is not begun, so that the failure says what
//! really went wrong.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hookgate_contract::{
    AsyncHandler, Failure, FailureClass, Handler, Invocation, Reply, ReplyFuture,
};

use super::retry::Retry;
use crate::clock::Instant;
use crate::timer::{format_timeout, sleep_until};

/// A handler that is tried again.
struct Retrying {
    handler: Arc<dyn AsyncHandler>,
    retry: Retry,
    /// How long one attempt may take.
    attempt: Duration,
    /// How long all attempts may take.
    deadline: Duration,
}

/// Returns a handler whose calls are tried again, within the deadline of the hook. One that answers at once stays as
/// it is.
pub(super) fn retrying(handler: &Handler, retry: Option<&Retry>, deadline: Duration) -> Handler {
    match (handler, retry) {
        (Handler::Async(handler), Some(retry)) => {
            let (handler, attempt) = (Arc::clone(handler), retry.attempt_of(deadline));
            let retry = retry.clone();
            Handler::Async(Arc::new(Retrying { handler, retry, attempt, deadline }))
        }
        (handler, _) => handler.clone(),
    }
}

impl Retrying {
    async fn call(&self, invocation: Invocation<'_>) -> Reply {
        let ends_at = Instant::now().checked_add(self.deadline);
        let mut number = 0;
        loop {
            let failure = match self.try_once(invocation).await {
                Err(failure) if self.may_pass(&failure) => failure,
                reply => return reply,
            };
            let next = Instant::now().checked_add(self.retry.wait(number));
            let next = next.filter(|next| ends_at.is_none_or(|end| *next < end));
            let Some(next) = next.filter(|_| number < self.retry.times) else {
                return Err(failure);
            };
            invocation.note_failed_attempt(failure.class);
            sleep_until(next)?.await;
            number += 1;
        }
    }

    /// Makes one attempt, and drops it once its time is over.
    async fn try_once(&self, invocation: Invocation<'_>) -> Reply {
        if self.attempt >= self.deadline {
            return self.handler.handle(invocation).await;
        }
        let Some(ends_at) = Instant::now().checked_add(self.attempt) else {
            return self.handler.handle(invocation).await;
        };
        let mut timer = sleep_until(ends_at)?;
        let mut call = self.handler.handle(invocation);
        let reply = poll_fn(|cx| {
            if let Poll::Ready(reply) = call.as_mut().poll(cx) {
                return Poll::Ready(Some(reply));
            }
            timer.as_mut().poll(cx).map(|()| None)
        })
        .await;
        // What it has started ends with it, and it says what it had read of an unfinished answer.
        drop(call);
        reply.unwrap_or_else(|| {
            let failure = invocation.take_overload().unwrap_or_else(|| {
                let detail = format!("no answer within {}", format_timeout(self.attempt));
                Failure::new(FailureClass::Timeout, detail)
            });
            Err(failure.with_salvaged(invocation.take_salvaged()))
        })
    }

    /// Returns whether another attempt may do better. A decision that was found in a failed answer stands.
    fn may_pass(&self, failure: &Failure) -> bool {
        failure.salvaged.is_none() && self.retry.is_on(failure.class)
    }
}

impl AsyncHandler for Retrying {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(self.call(invocation))
    }
}
