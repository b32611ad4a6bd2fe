//! Timers of tokio, without a panic where there is no runtime or no clock.
//!
//! A handler that waits needs a tokio runtime, and a deadline needs the clock of that runtime. Tokio
//! panics if either is missing; here both are failures of class `spawn`, so that the posture of the
//! hook decides. Where the system itself has no timers (`clock::timeless`), every timer is such a failure.

use std::fmt::Display;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass};
use tokio::runtime::Handle;

use crate::clock::{self, Instant, Sleep};

/// Returns the runtime of the caller.
///
/// # Errors
/// A failure of class `spawn` outside of a tokio runtime, and on a system that has neither threads nor timers: what
/// waits there could not be ended at its deadline.
pub(crate) fn in_runtime() -> Result<Handle, Failure> {
    if cfg!(target_os = "unknown") {
        return Err(Failure::new(
            FailureClass::Spawn,
            "this system has neither timers nor threads: only handlers that answer at once work here",
        ));
    }
    Handle::try_current().map_err(|_| {
        Failure::new(
            FailureClass::Spawn,
            "the dispatch runs outside of a tokio runtime: handlers that wait need one",
        )
    })
}

/// Returns a timer that ends at an instant.
///
/// # Errors
/// A failure of class `spawn` outside of a runtime, and in one whose clock is not enabled. Tokio
/// offers no way to ask for the clock: it panics, which is caught here, but which the panic hook of
/// the host sees.
pub(crate) fn sleep_until(at: Instant) -> Result<Pin<Box<Sleep>>, Failure> {
    in_runtime()?;
    match catch_unwind(AssertUnwindSafe(|| clock::sleep_until(at))) {
        Ok(Some(sleep)) => Ok(Box::pin(sleep)),
        Ok(None) => Err(Failure::new(
            FailureClass::Spawn,
            "this system has no timers: no deadline can be set",
        )),
        Err(_) => Err(Failure::new(
            FailureClass::Spawn,
            "the clock of the tokio runtime is not enabled, so no deadline can be set: build the \
             runtime with `enable_time`",
        )),
    }
}

/// Waits for what ends by itself, but no longer than a timeout.
///
/// # Errors
/// See [`sleep_until`]: it has not ended, and cannot be waited for.
pub(crate) async fn wait_at_most(
    timeout: Duration,
    ends: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let mut ends = pin!(ends);
    let mut timer = None;
    poll_fn(|cx| {
        if ends.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let timer = timer.get_or_insert_with(|| {
            let at = Instant::now().checked_add(timeout);
            at.map(sleep_until).transpose()
        });
        match timer {
            Ok(Some(timer)) => timer.as_mut().poll(cx).map(Ok),
            // The timeout is beyond the range of the clock.
            Ok(None) => Poll::Pending,
            Err(failure) => Poll::Ready(Err(failure.clone())),
        }
    })
    .await
}

/// One timer for all calls that wait at the same time: it is set to the first of their ends.
#[derive(Default)]
pub(crate) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Is ready with the present moment once an instant has passed. It may be ready earlier, if it was set
    /// to an earlier instant before: to set it anew costs more than to be woken once for nothing.
    ///
    /// # Errors
    /// See [`sleep_until`].
    pub(crate) fn poll_until(
        &mut self,
        at: Instant,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Instant, Failure>> {
        let sleep = match &mut self.0 {
            Some(sleep) => {
                if at < sleep.deadline() || sleep.is_elapsed() {
                    sleep.as_mut().reset(at);
                }
                sleep
            }
            None => self.0.insert(sleep_until(at)?),
        };
        sleep.as_mut().poll(cx).map(|()| Ok(Instant::now()))
    }
}

/// Formats a timeout for a message: `5s`, `250ms`.
pub(crate) fn format_timeout(timeout: Duration) -> impl Display {
    humantime::format_duration(timeout)
}
