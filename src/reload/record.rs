//! What a recorder gets of a reload.

use super::reloaded::Reloaded;
use super::status::ReloadFailure;
use crate::recorder::{ReloadEvent, ReloadRecord};
use crate::table::HandlerTable;

/// Returns the record of a reload that has put a table in force, or has found that it is in force again.
pub(super) fn of_success(reloaded: &Reloaded, time: u64) -> ReloadRecord {
    ReloadRecord {
        time,
        event: ReloadEvent::Reload,
        generation: reloaded.generation,
        config_hash: reloaded.config_hash,
        added: reloaded.changes.added.clone(),
        removed: reloaded.changes.removed.clone(),
        changed: reloaded.changes.changed.clone(),
        error: None,
        failing_since: None,
    }
}

/// Returns the record of a reload that was refused.
pub(super) fn of_failure(
    failure: &ReloadFailure,
    in_force: &HandlerTable,
    time: u64,
) -> ReloadRecord {
    ReloadRecord {
        time,
        event: ReloadEvent::ReloadFailed,
        generation: in_force.generation(),
        config_hash: in_force.config_hash(),
        added: Vec::new(),
        removed: Vec::new(),
        changed: Vec::new(),
        error: Some(failure.error.to_string()),
        failing_since: Some(failure.since),
    }
}
