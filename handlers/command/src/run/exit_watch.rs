//! Tells that a child has exited, and leaves it to be reaped.
//!
//! Linux has a descriptor for that (`pidfd_open`): nothing else wakes who waits for it. Elsewhere it is the signal that
//! each child sends to its parent (SIGCHLD), which does not say which child it was: who waits looks at his own at each.
//! kqueue could say it, but only by what is `unsafe` or by a second library for the same.

#[cfg(target_os = "linux")]
pub(super) use descriptor::ExitWatch;
#[cfg(not(target_os = "linux"))]
pub(super) use signal::ExitWatch;

#[cfg(target_os = "linux")]
mod descriptor;
// Tested on Linux as well: it needs nothing that Linux has not.
#[cfg(any(test, not(target_os = "linux")))]
mod signal;
