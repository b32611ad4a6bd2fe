//! Runs are claimed.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use super::backoff::LONGEST;
use super::claimed::{Claim, Refusal};
use super::queue::millis;
use super::record::{COLUMNS, Run};
use super::state::RunState;
use super::{RunError, RunStore, input};
use crate::key_file::Key;

/// What is said of a run whose input is not what was sealed.
const UNREADABLE: &str =
    "what it is to be done with was changed, is gone, or was sealed by another key";

/// How many runs one transaction looks at.
const BATCH: usize = 256;

/// Which runs are claimed.
pub(super) struct Wanted<'w> {
    /// So many at most.
    pub(super) most: usize,
    /// The config in force; any, if it is empty.
    pub(super) config: &'w str,
    /// When that was read, in milliseconds since 1970. What another config has queued later is of a newer one, which this
    /// process does not know yet: it is left.
    pub(super) config_read: Option<u64>,
    /// Whether the last attempt of a run that has failed is left to others.
    pub(super) leaves_last: bool,
    /// Whether there is a handler.
    pub(super) handles: &'w dyn Fn(&Run) -> bool,
}

/// What became of runs that were due.
#[derive(Default)]
pub(super) struct Claimed {
    pub(super) claims: Vec<Claim>,
    /// Those that have ended, since they are not to be done here.
    pub(super) refused: Vec<u64>,
}

impl RunStore {
    /// Claims the run that is due for the longest time, for a config of this hash (any, if it is empty). What another
    /// config of this scope has queued is superseded, and a run that `handles` does not know has no handler here: they
    /// end as that.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn claim(
        &self,
        config: &str,
        handles: &dyn Fn(&Run) -> bool,
    ) -> Result<Option<Claim>, RunError> {
        Ok(self.claim_up_to(1, config, handles)?.pop())
    }

    /// Claims so many runs at most, as [`claim`](Self::claim) does, in one transaction.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn claim_up_to(
        &self,
        most: usize,
        config: &str,
        handles: &dyn Fn(&Run) -> bool,
    ) -> Result<Vec<Claim>, RunError> {
        let wanted = Wanted { most, config, config_read: None, leaves_last: false, handles };
        Ok(self.claim_wanted(&wanted)?.claims)
    }

    /// Claims runs in one transaction, and ends those that are not to be done here.
    pub(super) fn claim_wanted(&self, wanted: &Wanted<'_>) -> Result<Claimed, RunError> {
        let mut found = Claimed::default();
        // Who only looks whether something is due holds up nobody.
        if !self.read(|database| Ok(!self.due(database, wanted, 1)?.is_empty()))? {
            return Ok(found);
        }
        let holder = self.holder()?;
        let done = self.write(|write, key| {
            let mut looked = 0;
            while found.claims.len() < wanted.most && looked < BATCH {
                // What is refused is not due any more: the next look finds others.
                let due = self.due(write, wanted, wanted.most - found.claims.len())?;
                if due.is_empty() {
                    break;
                }
                looked += due.len();
                for run in due {
                    if let Some((refusal, why)) = refusal(&run, wanted) {
                        self.refuse(write, &run, refusal, why)?;
                        found.refused.push(run.id);
                        continue;
                    }
                    match self.input_of(write, key, &run)? {
                        Some(input) => found.claims.push(self.begin(write, run, input, &holder)?),
                        None => {
                            self.refuse(write, &run, Refusal::Unreadable, UNREADABLE)?;
                            found.refused.push(run.id);
                        }
                    }
                }
            }
            Ok(())
        });
        if let Err(error) = done {
            // Nothing of it was written: these are no claims.
            found.claims.iter_mut().for_each(Claim::unwritten);
            return Err(error);
        }
        Ok(found)
    }

    /// Ends a run that was not claimed.
    fn refuse(
        &self,
        write: &Connection,
        run: &Run,
        refusal: Refusal,
        why: &str,
    ) -> Result<(), RunError> {
        self.end(write, run.id, run.state, refusal.state(), Some((refusal.class(), why)))
    }

    /// Returns the runs that are due, those that are it for the longest time first.
    fn due(
        &self,
        database: &Connection,
        wanted: &Wanted<'_>,
        most: usize,
    ) -> Result<Vec<Run>, RunError> {
        let now = self.now();
        // None waits longer than this. What is due later was queued before the clock was set back.
        let never = now.saturating_add(millis(LONGEST));
        let query = format!(
            "SELECT {COLUMNS} FROM run WHERE state = 'queued' AND scope = ?1 AND (due <= ?2 OR due > ?3) \
             AND (?5 IS NULL OR queued <= ?5 OR config IN ('', ?6)) \
             AND (NOT ?7 OR attempts = 0 OR attempts + 1 < max_attempts) \
             ORDER BY due, id LIMIT ?4"
        );
        let runs = database.prepare_cached(&query).and_then(|mut select| {
            let values = params![
                self.settings().scope,
                now,
                never,
                most as u64,
                wanted.config_read,
                wanted.config,
                wanted.leaves_last
            ];
            select.query_map(values, Run::of)?.collect()
        });
        runs.map_err(|error| self.refused(error))
    }

    fn input_of(
        &self,
        database: &Connection,
        key: &Key,
        run: &Run,
    ) -> Result<Option<Value>, RunError> {
        let sealed: Option<Vec<u8>> = database
            .prepare_cached("SELECT sealed FROM input WHERE run = ?1")
            .and_then(|mut select| select.query_row([run.id], |row| row.get(0)).optional())
            .map_err(|error| self.refused(error))?;
        let text = sealed.and_then(|sealed| input::open(key, &run.key, &sealed));
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    /// Writes that a run is claimed: one more attempt, before the work begins.
    fn begin(
        &self,
        write: &Connection,
        mut run: Run,
        input: Value,
        holder: &str,
    ) -> Result<Claim, RunError> {
        let now = self.now();
        let until = now.saturating_add(millis(self.settings().lease));
        let sql = |error| self.refused(error);
        let (attempts, epoch, timeout_ms): (u32, u64, u64) = write
            .prepare_cached(
                "UPDATE run SET state = 'running', attempts = attempts + 1, epoch = epoch + 1, started = ?2, holder = ?3, \
                 until = ?4 WHERE id = ?1 AND state = 'queued' RETURNING attempts, epoch, timeout_ms",
            )
            .and_then(|mut update| {
                let values = params![run.id, now, holder, until];
                update.query_row(values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            })
            .map_err(sql)?;
        write
            .prepare_cached(
                "INSERT INTO attempt(run, number, epoch, holder, started) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut insert| insert.execute(params![run.id, attempts, epoch, holder, now]))
            .map_err(sql)?;
        self.note(write, run.id, "claimed", Some(holder))?;
        run.state = RunState::Running;
        (run.attempts, run.epoch) = (attempts, epoch);
        (run.started, run.until) = (Some(now), Some(until));
        run.holder = Some(holder.to_owned());
        self.held().claims.insert((run.id, run.epoch));
        Ok(Claim::new(self.clone(), run, input, Duration::from_millis(timeout_ms)))
    }

    /// Says that this process is still there, and returns what it holds: run, epoch, and whether it is to stop. Nothing
    /// else may be worked on.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn heartbeat(&self) -> Result<Vec<(u64, u64, bool)>, RunError> {
        let holder = self.holder()?;
        let until = self.now().saturating_add(millis(self.settings().lease));
        self.write(|write, _| {
            let held = write
                .prepare_cached(
                    "UPDATE run SET beat = beat + 1, until = ?2 WHERE holder = ?1 AND state = 'running' \
                     RETURNING id, epoch, stop",
                )
                .and_then(|mut update| {
                    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
                    update.query_map(params![holder, until], row)?.collect()
                });
            held.map_err(|error| self.refused(error))
        })
    }
}

/// Returns why a run is not to be done here, if it is not.
fn refusal(run: &Run, wanted: &Wanted<'_>) -> Option<(Refusal, &'static str)> {
    let config = wanted.config;
    let of_other = !config.is_empty() && !run.config.is_empty() && run.config != config;
    if of_other {
        return Some((Refusal::Superseded, "another config is in force"));
    }
    (!(wanted.handles)(run))
        .then_some((Refusal::HandlerMissing, "this program has no handler for it"))
}
