//! What is written when a run gets into another state.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::backoff::Backoff;
use super::queue::millis;
use super::state::RunState;
use super::{RunError, RunStore};

/// What is said of a run whose process is gone.
const GONE: &str = "the process that had it is gone";

impl RunStore {
    /// Writes that a run has ended, deletes what it was done with unless it can be tried again, and notes it.
    pub(super) fn end(
        &self,
        write: &Connection,
        id: u64,
        from: RunState,
        to: RunState,
        failure: Option<(&str, &str)>,
    ) -> Result<(), RunError> {
        debug_assert!(from.may_become(to) && to.is_end(), "{from} to {to}");
        let sql = |error| self.refused(error);
        let (class, why) = failure.unzip();
        write
            .prepare_cached(
                "UPDATE run SET state = ?2, ended = ?3, holder = NULL, until = NULL, stop = 0, \
                 class = coalesce(?4, class), why = coalesce(?5, why) WHERE id = ?1",
            )
            .and_then(|mut update| update.execute(params![id, to, self.now(), class, why]))
            .map_err(sql)?;
        if !to.can_be_retried() {
            write
                .prepare_cached("DELETE FROM input WHERE run = ?1")
                .and_then(|mut delete| delete.execute([id]))
                .map_err(sql)?;
        }
        self.note(write, id, to.name(), why)
    }

    /// Gives a run back that nobody works on any more: it is queued again, or has ended if no attempt is left. Returns
    /// what it became; `None` if somebody else has done that.
    pub(super) fn release(
        &self,
        write: &Connection,
        id: u64,
        epoch: u64,
    ) -> Result<Option<RunState>, RunError> {
        let sql = |error| self.refused(error);
        let held = write
            .prepare_cached(
                "SELECT attempts, max_attempts, backoff, stop FROM run WHERE id = ?1 AND epoch = ?2 AND state = 'running'",
            )
            .and_then(|mut select| {
                let row = |row: &rusqlite::Row<'_>| {
                    let (attempts, most): (u32, u32) = (row.get(0)?, row.get(1)?);
                    let (backoff, stop): (Backoff, bool) = (row.get(2)?, row.get(3)?);
                    Ok((attempts, most, backoff, stop))
                };
                select.query_row(params![id, epoch], row).optional()
            })
            .map_err(sql)?;
        let Some((attempts, most, backoff, stop)) = held else { return Ok(None) };
        let next = match (stop, attempts < most) {
            (true, _) => RunState::Cancelled,
            (false, true) => RunState::Queued,
            (false, false) => RunState::Orphaned,
        };
        self.end_attempt(write, id, epoch, next, None, Some(("gone", GONE)))?;
        if next == RunState::Queued {
            self.requeue(write, id, backoff.after(attempts), ("gone", GONE))?;
        } else {
            self.end(write, id, RunState::Running, next, Some(("gone", GONE)))?;
        }
        Ok(Some(next))
    }

    /// Returns whether somebody has cancelled a run that is under way.
    pub(super) fn is_to_stop(&self, write: &Connection, id: u64) -> Result<bool, RunError> {
        write
            .query_row("SELECT stop FROM run WHERE id = ?1", [id], |row| row.get(0))
            .map_err(|error| self.refused(error))
    }

    /// Writes what came of a claim.
    pub(super) fn end_attempt(
        &self,
        write: &Connection,
        id: u64,
        epoch: u64,
        outcome: RunState,
        took: Option<Duration>,
        failure: Option<(&str, &str)>,
    ) -> Result<(), RunError> {
        let took = took.map(|took| u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        let outcome = match outcome {
            RunState::Queued => "retried",
            outcome => outcome.name(),
        };
        let (class, why) = failure.unzip();
        write
            .prepare_cached(
                "UPDATE attempt SET outcome = ?3, took_us = ?4, class = ?5, why = ?6 WHERE run = ?1 AND epoch = ?2",
            )
            .and_then(|mut update| update.execute(params![id, epoch, outcome, took, class, why]))
            .map(drop)
            .map_err(|error| self.refused(error))
    }

    /// Writes that a run is to be tried again.
    pub(super) fn requeue(
        &self,
        write: &Connection,
        id: u64,
        wait: Duration,
        (class, why): (&str, &str),
    ) -> Result<(), RunError> {
        let due = self.now().saturating_add(millis(wait));
        write
            .prepare_cached(
                "UPDATE run SET state = 'queued', due = ?2, holder = NULL, until = NULL, class = ?3, why = ?4 WHERE id = ?1",
            )
            .and_then(|mut update| update.execute(params![id, due, class, why]))
            .map_err(|error| self.refused(error))?;
        self.note(write, id, "queued_again", Some(why))
    }
}
