//! The boundary that the panics of foreign code do not cross.
//!
//! A dispatch runs code that the engine does not know: handlers, payloads of the embedder, the
//! cancellation token of the host. A panic there must not unwind through the task of the agent,
//! and it must not clear a step either. Each such call therefore goes through this file, which turns
//! a panic into a [`Failure`] of class `panic`; what that counts as is decided by the posture of the
//! hook, as for any other failure.
//!
//! The panic hook of the host still sees each panic, and with `panic = "abort"` the process ends:
//! neither can be avoided from here.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hookgate_contract::{Failure, FailureClass, Invocation, Reply, SyncHandler};

/// How many characters of a panic's message are kept: enough for a record, whatever was formatted.
const MESSAGE: usize = 200;

/// Calls a handler that answers at once.
#[inline]
pub(crate) fn invoke_sync(handler: &dyn SyncHandler, invocation: Invocation<'_>) -> Reply {
    catch_unwind(AssertUnwindSafe(|| handler.handle(invocation)))
        .unwrap_or_else(|panic| Err(handler_panicked(panic)))
}

/// Runs foreign code and returns its result. `what` names the code in the failure: "the payload".
///
/// # Errors
/// A failure of class `panic` if the code panics.
pub(crate) fn catch<T>(what: &str, run: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panic_failure(what, panic))
}

/// Returns the failure of a handler that panicked.
pub(crate) fn handler_panicked(panic: Box<dyn Any + Send>) -> Failure {
    panic_failure("the handler", panic)
}

fn panic_failure(what: &str, panic: Box<dyn Any + Send>) -> Failure {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a value that is not text");
    let message: String = message.chars().take(MESSAGE).collect();
    // Its destructor is foreign code as well. A value that panics in it is leaked: the next one might, too.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
    Failure::new(FailureClass::Panic, format!("{what} panicked: {message}"))
}
