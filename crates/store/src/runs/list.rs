//! Runs are found and shown.

use std::path::{Path, PathBuf};

use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use super::record::{Attempt, AuditRow, COLUMNS, Run, RunHistory, Visibility};
use super::state::RunState;
use super::{RUNS, RunError, RunStore};
use crate::database;

/// Which runs are asked for: those for which all of it holds.
///
/// ```
/// use hookgate_store::{RunFilter, RunState};
///
/// let filter = RunFilter::default().states([RunState::DeadLettered, RunState::Orphaned]).newest(20);
/// # let _ = filter;
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFilter {
    states: Vec<RunState>,
    conditions: Vec<(&'static str, SqlValue)>,
    newest: Option<u64>,
}

impl RunFilter {
    /// Only those in one of these states.
    #[must_use]
    pub fn states(mut self, states: impl IntoIterator<Item = RunState>) -> Self {
        self.states.extend(states);
        self
    }

    /// Only those of this hook.
    #[must_use]
    pub fn hook(self, hook: &str) -> Self {
        self.with("hook = ?", hook)
    }

    /// Only those of this session.
    #[must_use]
    pub fn session(self, session: &str) -> Self {
        self.with("session = ?", session)
    }

    /// Only those of these configs: see [`RunSettings::scope`](super::RunSettings::scope).
    #[must_use]
    pub fn scope(self, scope: &str) -> Self {
        self.with("scope = ?", scope)
    }

    /// Only those of other configs than these.
    #[must_use]
    pub fn not_scope(self, scope: &str) -> Self {
        self.with("scope <> ?", scope)
    }

    /// Only those that are of interest to these.
    #[must_use]
    pub fn visibility(self, visibility: Visibility) -> Self {
        self.with("visibility = ?", visibility.name())
    }

    /// Only so many, those that were queued last.
    #[must_use]
    pub const fn newest(mut self, count: u64) -> Self {
        self.newest = Some(count);
        self
    }

    fn with(mut self, condition: &'static str, value: &str) -> Self {
        self.conditions.push((condition, value.to_owned().into()));
        self
    }

    fn query(&self) -> (String, Vec<SqlValue>) {
        let mut conditions: Vec<String> =
            self.conditions.iter().map(|(condition, _)| (*condition).to_owned()).collect();
        let mut values: Vec<SqlValue> =
            self.conditions.iter().map(|(_, value)| value.clone()).collect();
        if !self.states.is_empty() {
            let places = vec!["?"; self.states.len()].join(", ");
            conditions.push(format!("state IN ({places})"));
            values.extend(self.states.iter().map(|state| SqlValue::from(state.name().to_owned())));
        }
        let of = match conditions.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", conditions.join(" AND ")),
        };
        let newest = self.newest.map(|count| format!(" LIMIT {count}")).unwrap_or_default();
        let inner = format!("SELECT {COLUMNS} FROM run{of} ORDER BY id DESC{newest}");
        (format!("SELECT * FROM ({inner}) ORDER BY id"), values)
    }
}

/// Runs that are read, also while processes do them.
#[derive(Debug)]
pub struct RunReader {
    file: PathBuf,
    database: Connection,
}

impl RunReader {
    /// Opens a file that is there.
    ///
    /// # Errors
    /// The file is not there, cannot be read, has no runs or those of a newer hookgate.
    pub fn open(file: &Path) -> Result<Self, RunError> {
        let database = database::open_to_read(file, &RUNS);
        let database = database.map_err(|error| RunError::not_opened(file, error))?;
        Ok(Self { file: file.to_owned(), database })
    }

    /// Returns the runs that are asked for, in the order in which they were queued.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn list(&self, filter: &RunFilter) -> Result<Vec<Run>, RunError> {
        list(&self.database, filter).map_err(|error| RunError::sqlite(&self.file, error))
    }

    /// Returns a run with all that is recorded of it.
    ///
    /// # Errors
    /// There is no such run, or the file cannot be read.
    pub fn show(&self, id: u64) -> Result<RunHistory, RunError> {
        let shown = show(&self.database, id);
        shown.map_err(|error| RunError::sqlite(&self.file, error))?.ok_or(RunError::Unknown(id))
    }
}

impl RunStore {
    /// Returns the runs that are asked for, in the order in which they were queued.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn list(&self, filter: &RunFilter) -> Result<Vec<Run>, RunError> {
        self.read(|database| list(database, filter).map_err(|error| self.refused(error)))
    }

    /// Returns a run with all that is recorded of it.
    ///
    /// # Errors
    /// There is no such run, or the file cannot be read.
    pub fn show(&self, id: u64) -> Result<RunHistory, RunError> {
        let shown = self.read(|database| show(database, id).map_err(|error| self.refused(error)));
        shown?.ok_or(RunError::Unknown(id))
    }

    /// Returns a run.
    ///
    /// # Errors
    /// There is no such run, or the file cannot be read.
    pub fn run(&self, id: u64) -> Result<Run, RunError> {
        let found = self.read(|database| run(database, id).map_err(|error| self.refused(error)));
        found?.ok_or(RunError::Unknown(id))
    }
}

fn list(database: &Connection, filter: &RunFilter) -> rusqlite::Result<Vec<Run>> {
    let (query, values) = filter.query();
    database.prepare(&query)?.query_map(params_from_iter(values), Run::of)?.collect()
}

fn run(database: &Connection, id: u64) -> rusqlite::Result<Option<Run>> {
    let query = format!("SELECT {COLUMNS} FROM run WHERE id = ?1");
    database.prepare_cached(&query)?.query_row([id], Run::of).optional()
}

fn show(database: &Connection, id: u64) -> rusqlite::Result<Option<RunHistory>> {
    let Some(run) = run(database, id)? else { return Ok(None) };
    let attempts = database
        .prepare(
            "SELECT number, epoch, holder, started, took_us, outcome, class, why FROM attempt WHERE run = ?1 ORDER BY epoch",
        )?
        .query_map([id], |row| {
            Ok(Attempt {
                number: row.get(0)?,
                epoch: row.get(1)?,
                holder: row.get(2)?,
                started: row.get(3)?,
                took_us: row.get(4)?,
                outcome: row.get(5)?,
                class: row.get(6)?,
                why: row.get(7)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    let audit = database
        .prepare("SELECT time, what, detail FROM audit WHERE run = ?1 ORDER BY id")?
        .query_map([id], |row| {
            Ok(AuditRow { time: row.get(0)?, what: row.get(1)?, detail: row.get(2)? })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Some(RunHistory { run, attempts, audit }))
}
