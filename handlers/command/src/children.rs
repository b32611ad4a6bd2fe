//! The children of this process, also those that it adopted.

use std::fs;
use std::os::fd::OwnedFd;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, pidfd_open, waitid,
};

/// The numbers of all children, dead ones that nobody buried included.
pub(crate) fn all() -> Vec<Pid> {
    listed("/proc/self/task")
}

/// The numbers of the children of another process.
pub(crate) fn of(pid: Pid) -> Vec<Pid> {
    listed(&format!("/proc/{}/task", pid.as_raw_nonzero()))
}

fn listed(tasks: &str) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(tasks) else { return Vec::new() };
    let mut children = Vec::new();
    for thread in threads.flatten() {
        let listed = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children
            .extend(listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)));
    }
    children
}

/// The environment that a process was started with; nothing for a dead one.
pub(crate) fn environ(pid: Pid) -> Vec<u8> {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default()
}

/// A file descriptor that becomes readable when a child ends.
pub(crate) fn exit_of(pid: Pid) -> rustix::io::Result<OwnedFd> {
    pidfd_open(pid, PidfdFlags::empty())
}

/// Whether a child has ended. It is not buried: nobody else gets its number.
pub(crate) fn has_ended(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

/// Buries a child if it has ended, and tells how. An error says that it is no child (any more).
pub(crate) fn bury(pid: Pid) -> rustix::io::Result<Option<WaitIdStatus>> {
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG)
}

/// Kills a process. That it has gone already is as good.
pub(crate) fn kill(pid: Pid) {
    let _ = kill_process(pid, Signal::KILL);
}
