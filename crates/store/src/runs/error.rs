//! What can be wrong with the runs.

use std::io;
use std::path::{Path, PathBuf};

use super::state::RunState;
use crate::error::StoreError;

/// The runs cannot be opened, read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The file, its folder, or one beside it, cannot be used.
    #[error("the runs `{}` cannot be used: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is on a network file system, on which processes cannot share it safely.
    #[error(
        "the runs `{}` are on a network file system ({system}), where several processes would damage them: name a file \
         on a local disk as `[journal] file`, beside which they are",
        file.display()
    )]
    Network {
        /// The file.
        file: PathBuf,
        /// The kind of file system.
        system: &'static str,
    },
    /// The file is something else.
    #[error("`{}` is no file of runs: move it away, or name another `[journal] file`", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The file is there, and no run was ever queued.
    #[error("no run was ever queued in `{}`", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// The file was written by a newer hookgate.
    #[error(
        "the runs `{}` have the schema {found}, and this hookgate knows those up to {known}: use the newer hookgate, or \
         name another `[journal] file`",
        file.display()
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// The version of its schema.
        found: i64,
        /// The newest version that is known here.
        known: i64,
    },
    /// The file with the key of the inputs is not what was written.
    #[error(
        "`{}` is not the key that was written: remove it, and the runs that still need it end as unreadable",
        file.display()
    )]
    Key {
        /// The file.
        file: PathBuf,
    },
    /// SQLite refuses.
    #[error("the runs `{}`: {error}", file.display())]
    Sqlite {
        /// The file.
        file: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
    /// There is no such run.
    #[error("there is no run {0}: `hookgate runs list` shows those that are there")]
    Unknown(u64),
    /// The run is in a state in which this cannot be done.
    #[error("the run {run} is {state}: {why}")]
    State {
        /// Its number.
        run: u64,
        /// Its state.
        state: RunState,
        /// What could be done.
        why: &'static str,
    },
    /// What the run was to be done with was deleted.
    #[error(
        "the run {0} cannot be tried again: what it was to be done with was deleted, since it ended long ago"
    )]
    NoInput(u64),
    /// The run was taken over, or cancelled, since it was claimed: what came of it does not count.
    #[error(
        "the run {run} is not held by this process any more: what came of attempt {epoch} does not count"
    )]
    Lost {
        /// Its number.
        run: u64,
        /// The claim.
        epoch: u64,
    },
}

impl RunError {
    /// Returns the error of a file that cannot be used.
    pub(super) fn file(file: &Path, error: io::Error) -> Self {
        Self::File { file: file.to_owned(), error }
    }

    /// Returns the error of a database that SQLite refuses.
    pub(super) fn sqlite(file: &Path, error: rusqlite::Error) -> Self {
        match crate::database::refused(file, error) {
            StoreError::Sqlite { file, error } => Self::Sqlite { file, error },
            _ => Self::Foreign { file: file.to_owned() },
        }
    }

    /// Returns the error of a database that cannot be opened.
    pub(super) fn not_opened(place: &Path, error: StoreError) -> Self {
        match error {
            StoreError::File { file, error } => Self::File { file, error },
            StoreError::Network { file, system } => Self::Network { file, system },
            StoreError::Newer { file, found, known } => Self::Newer { file, found, known },
            StoreError::Sqlite { file, error } => Self::Sqlite { file, error },
            StoreError::Empty { file } => Self::Empty { file },
            _ => Self::Foreign { file: place.to_owned() },
        }
    }

    /// Returns whether it may go away by itself: another process holds the file.
    pub(super) fn is_busy(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
        let Self::Sqlite { error, .. } = self else { return false };
        matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
    }
}
