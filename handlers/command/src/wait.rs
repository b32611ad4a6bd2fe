//! Children of this process: listing them, waiting for them, reaping them, killing them.
//!
//! A child that has exited keeps its pid until its parent *reaps* it (`waitid`). As long as it is not
//! reaped, no other process can get that pid, so a signal to it can hit no stranger. All code of this
//! crate relies on that: it signals first and reaps last.
//!
//! The functions are thin over `/proc`, which only Linux has, and `waitid`, and hold no state.

#[cfg(target_os = "linux")]
use std::fs;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, pidfd_open};

/// Returns the pids of all children of this process, also of adopted ones and of those that have
/// exited and are not reaped.
#[cfg(target_os = "linux")]
pub(crate) fn own_children() -> Vec<Pid> {
    children_in("/proc/self/task")
}

/// Elsewhere no process adopts what another one leaves behind, and its own children are known to who has started them.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn own_children() -> Vec<Pid> {
    Vec::new()
}

/// Returns the pids of the children of another process.
#[cfg(target_os = "linux")]
pub(crate) fn children_of(pid: Pid) -> Vec<Pid> {
    children_in(&format!("/proc/{}/task", pid.as_raw_nonzero()))
}

/// Reads the `children` file of each thread: the kernel lists a child with the thread that made it.
#[cfg(target_os = "linux")]
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
#[cfg(target_os = "linux")]
pub(crate) fn environment_of(pid: Pid) -> Vec<u8> {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default()
}

/// Elsewhere it is not told.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn environment_of(_pid: Pid) -> Vec<u8> {
    Vec::new()
}

/// Opens a file descriptor that becomes readable when a process exits.
#[cfg(target_os = "linux")]
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
