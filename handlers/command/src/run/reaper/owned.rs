//! The pids of the leaders that this crate reaps itself.
//!
//! A process that adopts orphans has children which no code knows. They have to be reaped, or their
//! pids are lost; but a child that other code waits for must be left to that code. The set tells the
//! two apart.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

/// Made when first needed.
static OWNED: Mutex<Option<HashSet<Pid>>> = Mutex::new(None);

fn with_owned<T>(change: impl FnOnce(&mut HashSet<Pid>) -> T) -> T {
    change(OWNED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Notes that a child will be reaped by this crate.
pub(in crate::run) fn take_ownership(pid: Pid) {
    with_owned(|owned| owned.insert(pid));
}

/// Notes that a child was reaped.
pub(in crate::run) fn release_ownership(pid: Pid) {
    with_owned(|owned| owned.remove(&pid));
}

/// Returns all pids that are owned.
pub(super) fn owned_pids() -> HashSet<Pid> {
    with_owned(|owned| owned.clone())
}
