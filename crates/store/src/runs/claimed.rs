//! A run that is claimed, and how it ends.

use std::fmt;
use std::time::{Duration, Instant};

use hmac_sha256::Hash;
use hookgate_contract::json::canonical;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::backoff::Backoff;
use super::record::Run;
use super::state::RunState;
use super::{RunError, RunStore};

/// Why a run is not done, whatever the number of attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Another config is in force than the one that queued it.
    Superseded,
    /// What it is to be done with cannot be read.
    Unreadable,
    /// There is no handler for it.
    HandlerMissing,
}

impl Refusal {
    pub(super) const fn state(self) -> RunState {
        match self {
            Self::Superseded => RunState::Superseded,
            Self::Unreadable => RunState::Unreadable,
            Self::HandlerMissing => RunState::HandlerMissing,
        }
    }

    /// Returns the class under which it is recorded.
    pub(super) const fn class(self) -> &'static str {
        self.state().name()
    }
}

/// A run that this process has claimed, and what it is to be done with. Dropped without an end it is given back: it can
/// be claimed again, if an attempt is left.
pub struct Claim {
    store: RunStore,
    run: Run,
    input: Value,
    timeout: Duration,
    began: Instant,
    has_ended: bool,
}

impl Claim {
    pub(super) fn new(store: RunStore, run: Run, input: Value, timeout: Duration) -> Self {
        Self { store, run, input, timeout, began: Instant::now(), has_ended: false }
    }

    /// Says that it is none: it was not written.
    pub(super) const fn unwritten(&mut self) {
        self.has_ended = true;
    }

    /// Returns where it is kept.
    pub(super) const fn store(&self) -> &RunStore {
        &self.store
    }

    /// Returns the run.
    #[must_use]
    pub const fn run(&self) -> &Run {
        &self.run
    }

    /// Returns what it is to be done with.
    #[must_use]
    pub const fn input(&self) -> &Value {
        &self.input
    }

    /// Returns how long this attempt may take.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Records that it is done: the hashes of what came of it, and what it says for the audit, without secrets.
    ///
    /// # Errors
    /// The run was taken over or the file cannot be used: it does not count as done. It can be recorded again.
    pub fn succeed(&mut self, contributions: &[Value], audit: &[Value]) -> Result<(), RunError> {
        let hash = |value: &Value| {
            let hash = Hash::hash(canonical(value).as_bytes());
            format!("sha256:{}", data_encoding::HEXLOWER.encode(&hash))
        };
        let hashes: Vec<String> = contributions.iter().map(hash).collect();
        let store = self.store.clone();
        self.finish(|write, run| {
            store.end_attempt(
                write,
                run.id,
                run.epoch,
                RunState::Succeeded,
                Some(run.took),
                None,
            )?;
            write
                .execute(
                    "UPDATE run SET contributions = ?2, class = NULL, why = NULL WHERE id = ?1",
                    params![run.id, hashes.join("\n")],
                )
                .map_err(|error| store.refused(error))?;
            for said in audit {
                let redacted = store.shared.redactor.redact_value(said);
                let said = redacted.map_or_else(|| said.clone(), |(said, _)| said);
                store.note(write, run.id, "audit", Some(&store.cleaned(&said.to_string())))?;
            }
            store.end(write, run.id, RunState::Running, RunState::Succeeded, None)
        })
    }

    /// Records that there was nothing to do, and why.
    ///
    /// # Errors
    /// As [`succeed`](Self::succeed).
    pub fn skip(&mut self, why: &str) -> Result<(), RunError> {
        self.end_as(RunState::Skipped, "skipped", why)
    }

    /// Records that it was cancelled.
    ///
    /// # Errors
    /// As [`succeed`](Self::succeed).
    pub fn cancelled(&mut self) -> Result<(), RunError> {
        self.end_as(RunState::Cancelled, "cancelled", "somebody has cancelled it")
    }

    /// Records that it cannot be done here: it is superseded, unreadable, or has no handler.
    ///
    /// # Errors
    /// As [`succeed`](Self::succeed).
    pub fn refuse(&mut self, refusal: Refusal, why: &str) -> Result<(), RunError> {
        self.end_as(refusal.state(), refusal.class(), why)
    }

    fn end_as(&mut self, state: RunState, class: &str, why: &str) -> Result<(), RunError> {
        let store = self.store.clone();
        let why = store.cleaned(why);
        self.finish(|write, run| {
            let failure = Some((class, why.as_str()));
            store.end_attempt(write, run.id, run.epoch, state, Some(run.took), failure)?;
            store.end(write, run.id, RunState::Running, state, failure)
        })
    }

    /// Records a failure of this class. If it may go away, the run is tried again while it has attempts left. Returns what
    /// the run became.
    ///
    /// # Errors
    /// As [`succeed`](Self::succeed).
    pub fn fail(
        &mut self,
        class: &str,
        why: &str,
        may_go_away: bool,
    ) -> Result<RunState, RunError> {
        self.failed(RunState::Failed, class, why, may_go_away)
    }

    /// Records that it took too long. It is tried again while it has attempts left. Returns what the run became.
    ///
    /// # Errors
    /// As [`succeed`](Self::succeed).
    pub fn time_out(&mut self, why: &str) -> Result<RunState, RunError> {
        self.failed(RunState::TimedOut, "timeout", why, true)
    }

    fn failed(
        &mut self,
        alone: RunState,
        class: &str,
        why: &str,
        may_go_away: bool,
    ) -> Result<RunState, RunError> {
        let store = self.store.clone();
        let why = store.cleaned(why);
        let failure = (class, why.as_str());
        let (attempts, most) = (self.run.attempts, self.run.max_attempts);
        let mut next = match (may_go_away, attempts < most, attempts) {
            (true, true, _) => RunState::Queued,
            (true, false, 2..) => RunState::DeadLettered,
            _ => alone,
        };
        self.finish(|write, run| {
            let took = Some(run.took);
            // Somebody has cancelled it, and it has failed before it was told.
            if next == RunState::Queued && store.is_to_stop(write, run.id)? {
                next = RunState::Cancelled;
            }
            store.end_attempt(write, run.id, run.epoch, next, took, Some(failure))?;
            if next != RunState::Queued {
                return store.end(write, run.id, RunState::Running, next, Some(failure));
            }
            let backoff: Backoff = write
                .query_row("SELECT backoff FROM run WHERE id = ?1", [run.id], |row| row.get(0))
                .map_err(|error| store.refused(error))?;
            store.requeue(write, run.id, backoff.after(attempts), failure)
        })?;
        Ok(next)
    }

    /// Writes what came of it, if it is still held by this claim.
    fn finish(
        &mut self,
        act: impl FnOnce(&Connection, Finished) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let (id, epoch) = (self.run.id, self.run.epoch);
        let finished = Finished { id, epoch, took: self.began.elapsed() };
        let lost = || RunError::Lost { run: id, epoch };
        if self.has_ended {
            return Err(lost());
        }
        let store = &self.store;
        let done = store.write(|write, _| {
            let held = "SELECT count(*) FROM run WHERE id = ?1 AND epoch = ?2 AND state = 'running' AND holder = ?3";
            let held: bool = write
                .prepare_cached(held)
                .and_then(|mut select| {
                    select.query_row(params![id, epoch, self.run.holder], |row| row.get(0))
                })
                .map_err(|error| store.refused(error))?;
            if held { act(write, finished) } else { Err(lost()) }
        });
        if matches!(done, Ok(()) | Err(RunError::Lost { .. })) {
            self.has_ended = true;
            self.store.held().claims.remove(&(id, epoch));
        }
        done
    }
}

/// What is written at the end of a claim.
struct Finished {
    id: u64,
    epoch: u64,
    took: Duration,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What it is done with may have secrets.
        f.debug_struct("Claim").field("run", &self.run).finish_non_exhaustive()
    }
}

impl Drop for Claim {
    /// Gives the run back. If the file cannot be used now, the next recovery of this process does it, or another process
    /// once this one has ended.
    fn drop(&mut self) {
        let (id, epoch) = (self.run.id, self.run.epoch);
        if self.has_ended {
            self.store.held().claims.remove(&(id, epoch));
            return;
        }
        self.store.held().dropped.push((id, epoch));
        if let Err(error) = self.store.give_back_dropped() {
            tracing::warn!(target: "hookgate", run = id, %error, "a run could not be given back");
        }
    }
}
