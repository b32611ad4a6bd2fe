//! By a descriptor that becomes readable.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::wait;

/// The end of a child, to be waited for.
pub(in crate::run) struct ExitWatch(AsyncFd<OwnedFd>);

impl ExitWatch {
    /// Watches a child.
    ///
    /// # Errors
    /// If the kernel cannot watch it.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O.
    #[allow(
        deprecated,
        reason = "the successor is unsafe, for descriptors that change while they are watched; an owned one does not"
    )]
    pub(in crate::run) fn new(pid: Pid) -> io::Result<Self> {
        AsyncFd::with_interest(wait::exit_descriptor(pid)?, Interest::READABLE).map(Self)
    }

    /// Waits until it has exited.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(in crate::run) async fn exited(&self) {
        // It never becomes unreadable again.
        let _ = self.0.readable().await;
    }
}
