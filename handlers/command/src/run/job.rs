//! A running program in a job object of its own: on Windows this takes the place of process groups, of the reaper and of
//! the shim.
//!
//! The program is started suspended, put into the job, and goes on then, so all that it ever starts is in the job. The
//! job is ended at once, with all that is in it: Windows has no signal that asks a program to end, so `grace` means
//! nothing there. When the last handle of a job is closed the system ends it, so nothing survives the host either,
//! however the host ends.

use std::io;
use std::process::Command;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::sync::Mutex;

use super::program_exit::ProgramExit;

/// A program and all that it has started. They end with this value.
pub(crate) struct Job(Mutex<Box<dyn ChildWrapper>>);

/// Starts a program in a job of its own.
pub(super) fn start(command: Command) -> io::Result<Box<dyn ChildWrapper>> {
    let mut command = CommandWrap::from(tokio::process::Command::from(command));
    command.wrap(KillOnDrop).wrap(JobObject).spawn()
}

impl Job {
    /// Takes charge of a program that was started.
    pub(super) fn new(child: Box<dyn ChildWrapper>) -> Self {
        Self(Mutex::new(child))
    }

    /// Returns whether the program has exited.
    pub(crate) fn has_exited(&self) -> bool {
        // Who holds it waits for that very exit.
        let Ok(mut child) = self.0.try_lock() else { return false };
        !matches!(child.inner_mut().try_wait(), Ok(None))
    }

    /// Waits until the program has exited, whatever it has left behind.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(crate) async fn exited(&self) {
        let mut child = self.0.lock().await;
        let _ = child.inner_mut().wait().await;
    }

    /// Ends what is left of the job of a program that has exited.
    pub(crate) fn reap(mut self) -> ProgramExit {
        // The drop ends the rest.
        let status = self.0.get_mut().inner_mut().try_wait();
        let code = status.ok().flatten().and_then(|status| status.code());
        code.map_or(ProgramExit::Unknown, ProgramExit::Status)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.0.get_mut().start_kill();
    }
}

/// On Windows nothing leaves the job of a program, so there is nothing to adopt.
///
/// # Errors
/// None.
#[allow(clippy::unnecessary_wraps, reason = "on other systems it may fail")]
pub fn become_subreaper() -> io::Result<()> {
    Ok(())
}

/// On Windows a program is ended at once, so there is nothing to wait for.
#[must_use]
pub const fn settle(_timeout: Duration) -> bool {
    true
}
