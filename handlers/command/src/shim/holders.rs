//! Which processes hold the stdout of the shim.
//!
//! A program may end while a process that it started still has its stdout open and is about to write
//! the answer. The shim finds out by comparing `/proc/<pid>/fd/*` of its descendants with its own
//! stdout; a pipe has a number of its own there (`pipe:[4711]`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use crate::wait;

/// Returns whether a descendant of this process holds its stdout.
pub(super) fn is_stdout_held() -> bool {
    let Ok(stdout) = fs::read_link("/proc/self/fd/1") else { return false };
    // A process that forks and exits during the first search is found in the second one, through its
    // child, which this process has adopted by then.
    any_descendant_holds(&stdout) || any_descendant_holds(&stdout)
}

fn any_descendant_holds(stdout: &Path) -> bool {
    let mut open: Vec<Pid> = wait::own_children();
    let mut seen = BTreeSet::new();
    while let Some(pid) = open.pop() {
        // A process that has exited holds nothing.
        if !seen.insert(pid.as_raw_nonzero()) || matches!(wait::reap(pid), Ok(Some(_))) {
            continue;
        }
        if holds(pid, stdout).unwrap_or_else(|| !has_died(pid)) {
            return true;
        }
        open.extend(wait::children_of(pid));
    }
    false
}

/// Returns whether a process has this file open; `None` if its descriptors cannot be listed.
fn holds(pid: Pid, stdout: &Path) -> Option<bool> {
    let folder = PathBuf::from(format!("/proc/{}/fd", pid.as_raw_nonzero()));
    let open = fs::read_dir(folder).ok()?;
    Some(open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|path| path == stdout)))
}

/// Returns whether a process has exited, reaped or not.
fn has_died(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| {
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
        matches!(state, Some('Z' | 'X'))
    })
}
