//! A running program at the head of a process group of its own.
//!
//! The program is started as the leader of a new group, and what it starts belongs to the group unless
//! it asks for another one. So one signal reaches all of them.
//!
//! # Order of the end
//! 1. The leader exits by itself, or TERM is sent to the group and the grace period passes.
//! 2. KILL is sent to the group.
//! 3. The leader is reaped.
//!
//! INVARIANT: the leader is reaped after the last signal. Until then its pid, which is also the name of
//! the group, cannot be given to another process.

use std::fmt;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, WaitIdStatus};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::reaper;
use super::run_id::RunId;
use crate::wait;

/// The process group of a program, known by its leader. The group ends with this value, at the latest
/// when it is dropped.
pub(crate) struct ProcessGroup {
    leader: Pid,
    run: RunId,
    grace: Duration,
    /// True for a shim: when it exits, no descendant is left to clean up.
    is_shim: bool,
    exit: Option<AsyncFd<OwnedFd>>,
    is_reaped: bool,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramExit {
    /// With an exit status.
    Status(i32),
    /// By a signal.
    Signal(i32),
    /// Unknown: other code in the host has reaped the program.
    Unknown,
}

impl fmt::Display for ProgramExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => write!(f, "status {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Unknown => f.write_str("not seen"),
        }
    }
}

impl From<WaitIdStatus> for ProgramExit {
    fn from(status: WaitIdStatus) -> Self {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Self::Status(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl ProcessGroup {
    /// Takes charge of a child that leads its group.
    ///
    /// # Errors
    /// If the kernel cannot watch the child (`pidfd_open`). The child is ended then.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O. The child is ended then as well.
    pub(super) fn new(
        leader: Pid,
        run: RunId,
        grace: Duration,
        is_shim: bool,
    ) -> std::io::Result<Self> {
        reaper::take_ownership(leader);
        // From here on the drop ends the child, whatever fails.
        let mut group = Self { leader, run, grace, is_shim, exit: None, is_reaped: false };
        let exit = wait::exit_descriptor(leader)?;
        group.exit = Some(watch_exit(exit)?);
        Ok(group)
    }

    /// Returns whether the leader has exited.
    pub(crate) fn has_exited(&self) -> bool {
        wait::has_exited(self.leader)
    }

    /// Waits until the leader has exited.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(crate) async fn exited(&self) {
        let Some(exit) = &self.exit else { return };
        // It never becomes unreadable again.
        let _ = exit.readable().await;
    }

    /// Kills what is left of the group of a leader that has exited, and reaps the leader.
    pub(crate) fn reap(mut self) -> ProgramExit {
        reaper::kill_group(self.leader);
        let status = wait::reap(self.leader);
        if matches!(status, Ok(None)) {
            // It has not exited after all; the drop ends it.
            return ProgramExit::Unknown;
        }
        self.is_reaped = true;
        reaper::release_ownership(self.leader);
        if !self.is_shim {
            reaper::kill_strays(self.run.clone());
        }
        status.ok().flatten().map_or(ProgramExit::Unknown, ProgramExit::from)
    }
}

#[allow(
    deprecated,
    reason = "the successor is unsafe, for descriptors that change while they are watched; an \
              owned one does not"
)]
fn watch_exit(exit: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(exit, Interest::READABLE)
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.is_reaped {
            self.exit = None;
            reaper::terminate(reaper::Termination {
                leader: self.leader,
                run: self.run.clone(),
                grace: self.grace,
                is_shim: self.is_shim,
            });
        }
    }
}
