//! The journal of the configs in force: what they ask for, and what is told if it is not written.

use std::path::PathBuf;

use hookgate::Engine;
use hookgate_store::{Journal, JournalSettings, JournalStatus};

use super::error::HookError;
use crate::journal::{recorded, texts};

/// The journal of a table.
#[derive(Debug, Default)]
pub(super) struct Recording {
    journal: Option<Journal>,
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
        let files = settings.files();
        match Journal::open(settings) {
            Ok(journal) => Ok(Self { journal: Some(journal), files, problem: None }),
            Err(error) if is_required => Err(HookError::Journal(error.to_string())),
            Err(error) => Ok(Self { journal: None, files, problem: Some(error.to_string()) }),
        }
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

    /// Returns what to tell the user: there is no journal, or records are lost.
    pub(super) fn problem(&self) -> Option<String> {
        let lost = self.journal.as_ref().map(Journal::status).and_then(|status| match status {
            JournalStatus { lost: 0, .. } => None,
            JournalStatus { lost, problem, .. } => {
                Some(format!("{lost} records are lost: {}", problem.unwrap_or_default()))
            }
        });
        let problem = self.problem.clone().or(lost)?;
        Some(format!("hookgate: the journal is not written: {problem}"))
    }
}
