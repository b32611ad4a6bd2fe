//! Timers of tokio, without a panic where there is no runtime or no clock.
//!
//! A handler that waits needs a tokio runtime, and a deadline needs the clock of that runtime. Tokio
//! panics if either is missing; here both are failures of class `spawn`, so that the posture of the
//! hook decides.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass};
use tokio::runtime::Handle;
use tokio::time::{Instant, Sleep};

/// Returns the runtime of the caller.
///
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

/// Returns a timer that ends at an instant.
///
/// # Errors
/// A failure of class `spawn` outside of a runtime, and in one whose clock is not enabled. Tokio
/// offers no way to ask for the clock: it panics, which is caught here, but which the panic hook of
/// the host sees.
pub(crate) fn sleep_until(at: Instant) -> Result<Pin<Box<Sleep>>, Failure> {
    in_runtime()?;
    catch_unwind(AssertUnwindSafe(|| Box::pin(tokio::time::sleep_until(at)))).map_err(|_| {
        Failure::new(
            FailureClass::Spawn,
            "the clock of the tokio runtime is not enabled, so no deadline can be set: build the \
             runtime with `enable_time`",
        )
    })
}

/// Formats a timeout for a message: `5s`, `250ms`.
pub(crate) fn format_timeout(timeout: Duration) -> impl Display {
    humantime::format_duration(timeout)
}
