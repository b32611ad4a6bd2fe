//! Runs whose process is gone are queued again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use rusqlite::params;

use super::holder::{self, Life};
use super::queue::millis;
use super::state::RunState;
use super::{KEEP_INPUTS, RunError, RunStore};

/// How often what is too old is looked for.
const CLEAN_EVERY: Duration = Duration::from_secs(3600);

/// What was found of runs that a process has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Recovered {
    /// How many were queued again.
    pub queued: u64,
    /// How many have ended, since no attempt was left or somebody had cancelled them.
    pub ended: u64,
    /// How many are held by other processes.
    pub held: u64,
}

/// A run that is claimed.
struct Claimed {
    id: u64,
    epoch: u64,
    beat: u64,
}

impl RunStore {
    /// Looks for runs whose process is gone, whatever scope they are of: they are queued again, or have ended if no attempt
    /// is left. Also deletes what is older than is kept.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn recover(&self) -> Result<Recovered, RunError> {
        let mut found = Recovered::default();
        for state in self.give_back_dropped()? {
            found.count(state);
        }
        let claimed = self.claimed()?;
        let own = self.own_name();
        let folder = self.settings().holders();
        let mut free = Vec::new();
        {
            let mut held = self.held();
            let mut watched = HashMap::new();
            for (name, runs) in &claimed {
                let life = match own.as_ref() == Some(name) {
                    true => Life::Holds,
                    false => holder::life(&folder, name),
                };
                for run in runs {
                    let is_free = match life {
                        // This process holds what it knows of, and nothing else.
                        Life::Holds if own.as_ref() == Some(name) => {
                            !held.claims.contains(&(run.id, run.epoch))
                        }
                        Life::Holds => false,
                        Life::Gone => true,
                        Life::Unknown => {
                            let sign = (run.epoch, run.beat);
                            let seen = held.watched.get(&run.id).copied();
                            let seen = seen.filter(|(sign_then, _)| *sign_then == sign);
                            let since = seen.map_or_else(Instant::now, |(_, since)| since);
                            watched.insert(run.id, (sign, since));
                            since.elapsed() >= self.settings().lease && seen.is_some()
                        }
                    };
                    match is_free {
                        true => free.push((run.id, run.epoch)),
                        false => found.held += 1,
                    }
                }
            }
            held.watched = watched;
        }
        for state in self.release_all(&free)? {
            found.count(state);
        }
        self.clean(&folder)?;
        Ok(found)
    }

    /// Gives back the claims that were dropped without an end.
    pub(super) fn give_back_dropped(&self) -> Result<Vec<RunState>, RunError> {
        let dropped = std::mem::take(&mut self.held().dropped);
        let released = self.release_all(&dropped);
        let mut held = self.held();
        match &released {
            Ok(_) => held.claims.retain(|claim| !dropped.contains(claim)),
            Err(_) => held.dropped.extend(dropped),
        }
        released
    }

    fn release_all(&self, runs: &[(u64, u64)]) -> Result<Vec<RunState>, RunError> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let released = self.write(|write, _| {
            let released = runs.iter().map(|(id, epoch)| self.release(write, *id, *epoch));
            released.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()
        })?;
        self.shared.queued.notify_waiters();
        Ok(released)
    }

    /// Returns the runs that are claimed, by their holders.
    fn claimed(&self) -> Result<BTreeMap<String, Vec<Claimed>>, RunError> {
        self.read(|database| {
            let rows = database
                .prepare_cached("SELECT holder, id, epoch, beat FROM run WHERE state = 'running'")
                .and_then(|mut select| {
                    let row = |row: &rusqlite::Row<'_>| {
                        let holder: Option<String> = row.get(0)?;
                        let run =
                            Claimed { id: row.get(1)?, epoch: row.get(2)?, beat: row.get(3)? };
                        Ok((holder.unwrap_or_default(), run))
                    };
                    select.query_map((), row)?.collect::<Result<Vec<_>, _>>()
                });
            let mut claimed = BTreeMap::<String, Vec<Claimed>>::new();
            for (holder, run) in rows.map_err(|error| self.refused(error))? {
                claimed.entry(holder).or_default().push(run);
            }
            Ok(claimed)
        })
    }

    /// Deletes what is older than is kept, and the files of holders that are gone, once in a while.
    fn clean(&self, folder: &std::path::Path) -> Result<(), RunError> {
        let is_due = |last: Option<Instant>| last.is_none_or(|last| last.elapsed() >= CLEAN_EVERY);
        if !is_due(self.held().cleaned) {
            return Ok(());
        }
        self.held().cleaned = Some(Instant::now());
        let named: BTreeSet<String> = self.claimed()?.into_keys().collect();
        holder::clean(folder, |name| named.contains(name));
        let before = |keep| self.now().saturating_sub(millis(keep));
        let (inputs, runs) = (before(KEEP_INPUTS), self.settings().keep.map(before));
        self.write(|write, _| {
            let sql = |error| self.refused(error);
            let old = "SELECT id FROM run WHERE ended < ?1";
            write
                .execute(&format!("DELETE FROM input WHERE run IN ({old})"), params![inputs])
                .map_err(sql)?;
            let Some(runs) = runs else { return Ok(()) };
            for (table, column) in
                [("input", "run"), ("attempt", "run"), ("audit", "run"), ("run", "id")]
            {
                let delete = format!("DELETE FROM {table} WHERE {column} IN ({old})");
                write.execute(&delete, params![runs]).map_err(sql)?;
            }
            Ok(())
        })
    }
}

impl Recovered {
    const fn count(&mut self, state: RunState) {
        match state {
            RunState::Queued => self.queued += 1,
            _ => self.ended += 1,
        }
    }
}
