//! A program that runs, at the head of a process group of its own.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, WaitIdStatus};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::mark::Mark;
use crate::{children, reaper};

/// The leader of a process group. The group ends with it, at the latest when it is dropped.
pub(crate) struct Leader {
    pid: Pid,
    mark: Mark,
    grace: Duration,
    /// Whether its end is the end of all: it is a shim, which leaves nobody behind.
    last: bool,
    exit: Option<AsyncFd<OwnedFd>>,
    buried: bool,
}

/// How a leader ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With a status.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// In a way that the system did not tell: somebody else buried it.
    Unknown,
}

impl Leader {
    /// Takes charge of a child that leads its group.
    ///
    /// # Panics
    /// Outside a tokio runtime. The child is killed then as well.
    pub(crate) fn new(pid: Pid, mark: Mark, grace: Duration, last: bool) -> std::io::Result<Self> {
        reaper::claim(pid, true);
        let mut leader = Self { pid, mark, grace, last, exit: None, buried: false };
        let exit = children::exit_of(pid)?;
        leader.exit = Some(watched(exit)?);
        Ok(leader)
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        children::has_ended(self.pid)
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&self) {
        let Some(exit) = &self.exit else { return };
        // It never becomes unreadable again.
        let _ = exit.readable().await;
    }

    /// Kills what is left of the group of a leader that has ended, and buries it.
    pub(crate) fn bury(mut self) -> End {
        // INVARIANT: before the leader is buried; till then no stranger has its number.
        reaper::kill_group(self.pid);
        let status = children::bury(self.pid);
        if matches!(status, Ok(None)) {
            // It has not ended after all; the drop sees to it.
            return End::Unknown;
        }
        self.buried = true;
        reaper::claim(self.pid, false);
        if !self.last {
            reaper::sweep(self.mark.clone());
        }
        status.ok().flatten().map_or(End::Unknown, End::of)
    }
}

#[allow(
    deprecated,
    reason = "the successor is unsafe, for descriptors that change while they are watched; an \
              owned one does not"
)]
fn watched(exit: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(exit, Interest::READABLE)
}

impl End {
    fn of(status: WaitIdStatus) -> Self {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Self::Exit(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if !self.buried {
            self.exit = None;
            reaper::take(reaper::Leaving {
                pid: self.pid,
                mark: self.mark.clone(),
                grace: self.grace,
                last: self.last,
            });
        }
    }
}
