//! The folder of the state, and the errors that name what is in it.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use hookgate_contract::StateError;
use rusqlite::ErrorCode;

use crate::error::StoreError;

/// The file of the key.
pub(super) const KEY: &str = "state.key";

/// The database.
pub(super) const DATABASE: &str = "state.db";

/// Where the files are.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(root: PathBuf) -> Self {
        Self(root)
    }

    pub(super) fn root(&self) -> &Path {
        &self.0
    }

    /// Returns the place of a file; that of the folder itself if it has no name.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.0.clone() } else { self.0.join(name) }
    }

    pub(super) fn altered(&self, name: &str) -> StateError {
        StateError::Altered { place: self.path(name), folder: self.0.clone() }
    }

    pub(super) fn lost(&self, name: &str) -> StateError {
        StateError::Lost { place: self.path(name), folder: self.0.clone() }
    }

    pub(super) fn full(&self, problem: &'static str) -> StateError {
        StateError::Full { place: self.path(DATABASE), problem }
    }

    /// Returns the error of a file that cannot be used.
    pub(super) fn unusable(&self, name: &str, error: &dyn Display) -> StateError {
        StateError::Unusable { place: self.path(name), problem: error.to_string() }
    }

    /// Returns the error of a database that SQLite refuses.
    pub(super) fn refused(&self, error: &rusqlite::Error) -> StateError {
        use ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
        match error.sqlite_error_code() {
            // Without a code it is a row of another form; unknown is a schema of another form.
            None | Some(DatabaseCorrupt | NotADatabase | Unknown) => self.altered(DATABASE),
            Some(_) => self.unusable(DATABASE, error),
        }
    }

    /// Returns the error of a database that cannot be opened.
    pub(super) fn not_opened(&self, error: StoreError) -> StateError {
        let file = self.path(DATABASE);
        match error {
            StoreError::File { error, .. } => self.unusable(DATABASE, &error),
            StoreError::Sqlite { error, .. } => self.refused(&error),
            StoreError::Network { system, .. } => StateError::Other(format!(
                "`{}` is on a network file system ({system}), where several processes would damage it: set \
                 XDG_STATE_HOME to a folder on a local disk",
                file.display()
            )),
            StoreError::Newer { found, known, .. } => StateError::Other(format!(
                "`{}` has the schema {found}, and this hookgate knows those up to {known}: use the newer hookgate",
                file.display()
            )),
            _ => self.altered(DATABASE),
        }
    }
}
