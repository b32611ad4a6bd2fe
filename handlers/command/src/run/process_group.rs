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

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::process::Pid;

use super::exit_watch::ExitWatch;
use super::program_exit::ProgramExit;
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
    exit: Option<ExitWatch>,
    is_reaped: bool,
}

/// Starts a program at the head of a group of its own.
pub(super) fn start(mut command: Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

impl ProcessGroup {
    /// Takes charge of a child that leads its group.
    ///
    /// # Errors
    /// If the child cannot be watched. The child is ended then.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O. The child is ended then as well.
    pub(super) fn new(leader: Pid, run: RunId, grace: Duration, is_shim: bool) -> io::Result<Self> {
        reaper::take_ownership(leader);
        // From here on the drop ends the child, whatever fails.
        let mut group = Self { leader, run, grace, is_shim, exit: None, is_reaped: false };
        group.exit = Some(ExitWatch::new(leader)?);
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
        if let Some(exit) = &self.exit {
            exit.exited().await;
        }
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
