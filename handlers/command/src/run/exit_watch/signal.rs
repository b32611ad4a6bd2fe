//! By the signal of a child.

use std::io;

use rustix::process::Pid;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Mutex;

use crate::wait;

/// The end of a child, to be waited for.
pub(in crate::run) struct ExitWatch {
    pid: Pid,
    signals: Mutex<Signal>,
}

impl ExitWatch {
    /// Watches a child.
    ///
    /// # Errors
    /// If the signal cannot be handled.
    ///
    /// # Panics
    /// Outside a tokio runtime with I/O.
    pub(in crate::run) fn new(pid: Pid) -> io::Result<Self> {
        Ok(Self { pid, signals: Mutex::new(signal(SignalKind::child())?) })
    }

    /// Waits until it has exited.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(in crate::run) async fn exited(&self) {
        let mut signals = self.signals.lock().await;
        // A signal since the last look is kept, so none is missed between the look and the wait.
        while !wait::has_exited(self.pid) {
            if signals.recv().await.is_none() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn start(script: &str) -> (std::process::Child, Pid) {
        // What reads from it waits, whatever the stdin of this test is.
        let mut command = Command::new("sh");
        let child = command.args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        (child, pid)
    }

    #[tokio::test]
    async fn the_end_of_a_child_is_seen_and_the_child_is_left_to_be_reaped() {
        let (mut child, pid) = start("read line");
        let watch = ExitWatch::new(pid).unwrap();
        // It runs, and another child that ends is not taken for it.
        let (mut other, other_pid) = start("exit 0");
        ExitWatch::new(other_pid).unwrap().exited().await;
        assert!(timeout(Duration::from_millis(20), watch.exited()).await.is_err());
        child.kill().unwrap();
        timeout(Duration::from_secs(20), watch.exited()).await.unwrap();
        // One that has exited before it is waited for, too.
        timeout(Duration::from_secs(20), watch.exited()).await.unwrap();
        assert!(wait::reap(pid).unwrap().is_some());
        assert!(other.wait().unwrap().success());
    }
}
