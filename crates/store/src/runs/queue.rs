//! Runs are queued, cancelled and tried again.

use hmac_sha256::Hash;
use hookgate::jobs::{Job, JobQueue, JobRefused};
use hookgate_contract::json::canonical;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::backoff::LONGEST;
use super::record::{NewRun, RunKind, Visibility};
use super::state::RunState;
use super::{RunError, RunStore, input};
use crate::key_file::Key;

/// What was said of a run when it was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Enqueued {
    /// The run of this key.
    pub id: u64,
    /// Whether it was queued now. If not, it was before, and this changed nothing.
    pub is_new: bool,
    /// Its state.
    pub state: RunState,
}

impl RunStore {
    /// Queues a run, unless there is one of its key: then that is returned as it is, whatever it has become. It is on the
    /// disk when this returns.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn enqueue(&self, run: &NewRun) -> Result<Enqueued, RunError> {
        let text = canonical(&run.input);
        let queued = self.write(|write, key| self.insert(write, key, run, &text))?;
        if queued.is_new {
            self.shared.queued.notify_waiters();
        }
        Ok(queued)
    }

    /// Queues several runs in one transaction, each as [`enqueue`](Self::enqueue) does.
    ///
    /// # Errors
    /// The file cannot be used: none is queued.
    pub fn enqueue_all(&self, runs: &[NewRun]) -> Result<Vec<Enqueued>, RunError> {
        let texts: Vec<_> = runs.iter().map(|run| (run, canonical(&run.input))).collect();
        let queued = self.write(|write, key| {
            texts.iter().map(|(run, text)| self.insert(write, key, run, text)).collect()
        })?;
        self.shared.queued.notify_waiters();
        Ok(queued)
    }

    fn insert(
        &self,
        write: &Connection,
        key: &Key,
        run: &NewRun,
        text: &str,
    ) -> Result<Enqueued, RunError> {
        let sql = |error| self.refused(error);
        let known = "SELECT id, state FROM run WHERE key = ?1";
        let known = write.prepare_cached(known).map_err(sql)?.query_row([&run.key], |row| {
            Ok(Enqueued { id: row.get(0)?, is_new: false, state: row.get(1)? })
        });
        if let Some(known) = known.optional().map_err(sql)? {
            return Ok(known);
        }
        let hash = data_encoding::HEXLOWER.encode(&Hash::hash(text.as_bytes()));
        let now = self.now();
        let values = params![
            run.key,
            run.kind.name(),
            run.visibility.name(),
            self.settings().scope,
            self.cleaned(&run.session),
            self.cleaned(&run.step),
            run.event,
            run.hook,
            run.hook_hash,
            run.config,
            run.max_attempts,
            run.backoff,
            millis(run.timeout),
            now,
            now.saturating_add(millis(run.delay.min(LONGEST))),
            format!("sha256:{hash}"),
        ];
        let id = write
            .prepare_cached(
                "INSERT INTO run(key, kind, visibility, scope, session, step, event, hook, hook_hash, config, state, \
                 allowed, max_attempts, backoff, timeout_ms, queued, due, input_hash) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'queued', ?11, ?11, ?12, ?13, ?14, ?15, ?16)",
            )
            .and_then(|mut insert| insert.insert(values))
            .map_err(sql)?;
        let id = u64::try_from(id).unwrap_or_default();
        let sealed = input::seal(key, &run.key, text.as_bytes())
            .map_err(|error| RunError::file(&self.settings().file, error))?;
        write
            .prepare_cached("INSERT INTO input(run, sealed) VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute(params![id, sealed]))
            .map_err(sql)?;
        self.note(write, id, "queued", None)?;
        Ok(Enqueued { id, is_new: true, state: RunState::Queued })
    }

    /// Cancels a run: one that waits at once, one that a process does as soon as that gives its next sign of life.
    /// Returns its state: `running` for the latter.
    ///
    /// # Errors
    /// There is no such run, it has ended, or the file cannot be used.
    pub fn cancel(&self, id: u64) -> Result<RunState, RunError> {
        self.write(|write, _| match self.state(write, id)? {
            RunState::Queued => {
                self.end(write, id, RunState::Queued, RunState::Cancelled, None)?;
                Ok(RunState::Cancelled)
            }
            RunState::Running => {
                write
                    .execute("UPDATE run SET stop = 1 WHERE id = ?1", [id])
                    .map_err(|error| self.refused(error))?;
                self.note(write, id, "cancel_asked", None)?;
                Ok(RunState::Running)
            }
            state => Err(RunError::State { run: id, state, why: "it has ended already" }),
        })
    }

    /// Has a run that has failed tried again, as often as it was to be tried at first.
    ///
    /// # Errors
    /// There is no such run, it is in no state from which it can be tried again, what it was to be done with was
    /// deleted, or the file cannot be used.
    pub fn retry(&self, id: u64) -> Result<(), RunError> {
        let now = self.now();
        self.write(|write, _| {
            let state = self.state(write, id)?;
            if !state.may_become(RunState::Queued) || !state.is_end() {
                let why = match state {
                    RunState::Queued | RunState::Running => "it is on its way",
                    RunState::Superseded => "the config that queued it is not in force any more",
                    _ => "only what has failed can be tried again",
                };
                return Err(RunError::State { run: id, state, why });
            }
            let sql = |error| self.refused(error);
            let has_input = "SELECT 1 FROM input WHERE run = ?1";
            if write.query_row(has_input, [id], |_| Ok(())).optional().map_err(sql)?.is_none() {
                return Err(RunError::NoInput(id));
            }
            let again = "UPDATE run SET state = 'queued', due = ?2, ended = NULL, class = NULL, why = NULL, \
                         max_attempts = attempts + allowed WHERE id = ?1";
            write.execute(again, params![id, now]).map_err(sql)?;
            self.note(write, id, "retried", None)
        })?;
        self.shared.queued.notify_waiters();
        Ok(())
    }

    /// Returns the state of a run.
    pub(super) fn state(&self, database: &Connection, id: u64) -> Result<RunState, RunError> {
        let state = database
            .prepare_cached("SELECT state FROM run WHERE id = ?1")
            .and_then(|mut select| select.query_row([id], |row| row.get(0)).optional());
        state.map_err(|error| self.refused(error))?.ok_or(RunError::Unknown(id))
    }
}

impl JobQueue for RunStore {
    /// Queues the call of a hook, or the job that it has contributed. It waits for the disk.
    fn submit(&self, job: Job) -> Result<(), JobRefused> {
        let not_kept = |why: String| JobRefused::NotKept(why);
        let event = job.envelope.get("hook_event_name").and_then(serde_json::Value::as_str);
        let event = event.unwrap_or_default().to_owned();
        let kind = if job.contributed.is_some() { RunKind::Job } else { RunKind::Hook };
        let visibility = match job.visible_to_user {
            true => Visibility::User,
            false => Visibility::Operator,
        };
        let input = serde_json::to_value(&job).map_err(|error| not_kept(error.to_string()))?;
        let run = NewRun::new(kind, job.idempotency_key, job.hook_id.as_str(), input)
            .visibility(visibility)
            .session(job.session_id)
            .step(job.step_id, event)
            .of_config(job.hook_hash.to_string(), job.config_hash.to_string());
        self.enqueue(&run).map(drop).map_err(|error| not_kept(error.to_string()))
    }
}

pub(super) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
