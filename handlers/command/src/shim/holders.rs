//! Who holds the stdout of the shim.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use crate::children;

/// Whether a process that was started under this one holds its stdout.
pub(super) fn are_left() -> bool {
    let Ok(stdout) = fs::read_link("/proc/self/fd/1") else { return false };
    // Who forks and ends in the middle of a look is seen in the next, through the child that was
    // adopted.
    look(&stdout) || look(&stdout)
}

fn look(stdout: &Path) -> bool {
    let mut open: Vec<Pid> = children::all();
    let mut seen = BTreeSet::new();
    while let Some(pid) = open.pop() {
        // The dead hold nothing.
        if !seen.insert(pid.as_raw_nonzero()) || matches!(children::bury(pid), Ok(Some(_))) {
            continue;
        }
        if holds(pid, stdout).unwrap_or_else(|| !is_dead(pid)) {
            return true;
        }
        open.extend(children::of(pid));
    }
    false
}

/// Whether a process has this file open; none where that cannot be told.
fn holds(pid: Pid, stdout: &Path) -> Option<bool> {
    let folder = PathBuf::from(format!("/proc/{}/fd", pid.as_raw_nonzero()));
    let open = fs::read_dir(folder).ok()?;
    Some(open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|path| path == stdout)))
}

/// Whether a process has ended, buried or not.
fn is_dead(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| {
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
        matches!(state, Some('Z' | 'X'))
    })
}
