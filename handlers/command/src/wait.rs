//! Children of this process: listing them, waiting for them, reaping them, killing them.
//!
//! A child that has exited keeps its pid until its parent *reaps* it (`waitid`). As long as it is not
//! reaped, no other process can get that pid, so a signal to it can hit no stranger. All code of this
//! crate relies on that: it signals first and reaps last.
//!
//! The functions are thin over `/proc` and `waitid`, and hold no state.

use std::fs;
use std::os::fd::OwnedFd;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, pidfd_open, waitid,
};

/// Returns the pids of all children of this process, also of adopted ones and of those that have
/// exited and are not reaped.
pub(crate) fn own_children() -> Vec<Pid> {
    children_in("/proc/self/task")
}

/// Returns the pids of the children of another process.
pub(crate) fn children_of(pid: Pid) -> Vec<Pid> {
    children_in(&format!("/proc/{}/task", pid.as_raw_nonzero()))
}

/// Reads the `children` file of each thread: the kernel lists a child with the thread that made it.
fn children_in(tasks: &str) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(tasks) else { return Vec::new() };
    let mut children = Vec::new();
    for thread in threads.flatten() {
        let listed = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children
            .extend(listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)));
    }
    children
}

/// Returns the environment that a process was started with, as `NAME=value` with a zero byte after
/// each; empty for a process that has exited.
pub(crate) fn environment_of(pid: Pid) -> Vec<u8> {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default()
}

/// Opens a file descriptor that becomes readable when a process exits.
pub(crate) fn exit_descriptor(pid: Pid) -> rustix::io::Result<OwnedFd> {
    pidfd_open(pid, PidfdFlags::empty())
}

/// Returns whether a child has exited. The child is not reaped, so its pid stays its own.
pub(crate) fn has_exited(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

/// Reaps a child if it has exited, and returns how it did; `Ok(None)` if it still runs.
///
/// # Errors
/// If it is not a child of this process, or is reaped already.
pub(crate) fn reap(pid: Pid) -> rustix::io::Result<Option<WaitIdStatus>> {
    waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG)
}

/// Kills a process. One that has exited already is no error.
pub(crate) fn kill(pid: Pid) {
    let _ = kill_process(pid, Signal::KILL);
}
