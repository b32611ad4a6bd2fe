//! The journal of the configs in force: what they ask for, and what is told if it is not written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate::Engine;
use hookgate_store::{Journal, JournalSettings, StoreError};
use tokio::task::spawn_blocking;

use super::error::HookError;
use crate::journal::{note_table, open_to_write, recorded, texts};

/// How long an answer waits for the record of its step.
const WRITTEN_WITHIN: Duration = Duration::from_millis(500);

/// The journal of a table.
#[derive(Debug, Default)]
pub(super) struct Recording {
    journal: Option<Journal>,
    /// Its file, if it could be opened.
    file: Option<PathBuf>,
    /// What it is written to: no step may change that.
    files: Vec<PathBuf>,
    /// Why there is none although there should be one.
    problem: Option<String>,
}

impl Recording {
    /// Opens the journal that is asked for, if one is.
    ///
    /// # Errors
    /// It cannot be opened, and no step may go on without its record.
    pub(super) fn open(settings: Option<JournalSettings>) -> Result<Self, HookError> {
        let Some(settings) = settings else { return Ok(Self::default()) };
        let is_required = settings.required;
        let (files, file) = (settings.files(), settings.file.clone());
        match open_to_write(settings) {
            Ok(journal) => {
                Ok(Self { journal: Some(journal), file: Some(file), files, problem: None })
            }
            Err(error) if is_required => Err(HookError::Journal(error.to_string())),
            Err(error) => {
                let problem = Some(error.to_string());
                Ok(Self { journal: None, file: None, files, problem })
            }
        }
    }

    /// Returns the file of the journal that is written.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the files that are written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.files.clone()
    }

    /// Has an engine recorded, whose table is made of these files.
    pub(super) fn of(&self, engine: Engine, configs: &[PathBuf]) -> Engine {
        match &self.journal {
            None => engine,
            Some(journal) => recorded(engine, journal, texts(configs.iter().map(PathBuf::as_path))),
        }
    }

    /// Tells the journal of which files the table of an engine is made.
    pub(super) fn note(&self, engine: &Engine, configs: &[PathBuf]) {
        if let Some(journal) = &self.journal {
            note_table(engine, journal, texts(configs.iter().map(PathBuf::as_path)));
        }
    }

    /// Waits a moment for the record of the step, and returns what to tell the user: there is no journal, records are
    /// lost, or they are not there in time. The process may end with the step: nobody else would tell it.
    pub(super) async fn problem(&self) -> Option<String> {
        let written = match self.journal.clone() {
            None => None,
            Some(journal) => spawn_blocking(move || journal.flush(WRITTEN_WITHIN)).await.ok(),
        };
        let unwritten = written.and_then(Result::err);
        if let (Some(StoreError::Late | StoreError::Heads(_)), Some(journal)) =
            (&unwritten, &self.journal)
        {
            // The last one that goes would wait for the file or the service, and an agent waits for the end of the
            // process.
            std::mem::forget(journal.clone());
        }
        if let (None, Some(StoreError::Heads(_))) = (&self.problem, &unwritten) {
            return unwritten.map(|error| format!("hookgate: {error}"));
        }
        let unwritten = unwritten.map(|error| error.to_string());
        let problem = self.problem.clone().or(unwritten)?;
        Some(format!("hookgate: the journal is not written: {problem}"))
    }
}
