//! Counts in sessions, each as a process of its own has them, and folders to look into.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate_contract::{Kept, StateError, StateScope};
use hookgate_store::StateDatabase;
use rusqlite::Connection;
use tempfile::TempDir;

/// Counts in a session, as a process of its own does.
pub(crate) fn count(folder: &Path, session: &str) -> Result<u64, StateError> {
    count_in(&StateDatabase::new(folder), session)
}

pub(crate) fn count_in(database: &StateDatabase, session: &str) -> Result<u64, StateError> {
    kept(database).update(StateScope::Session(session), "hook", |count| {
        *count += 1;
        *count
    })
}

pub(crate) fn look(folder: &Path, session: &str) -> Result<Option<u64>, StateError> {
    let scope = StateScope::Session(session);
    kept(&StateDatabase::new(folder)).look(scope, "hook", |count| count.copied())
}

fn kept(database: &StateDatabase) -> Kept<u64> {
    Kept::new("calls", 1).in_home(Some(Arc::new(database.part("sessions"))))
}

/// The database, as another program opens it.
pub(crate) fn sqlite(folder: &Path) -> Connection {
    Connection::open(folder.join("state.db")).unwrap()
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let to = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(file, to).unwrap();
    }
}

/// A folder with two sessions, and an earlier copy of it: what was counted since is one of `s`.
pub(crate) fn folder_and_copy() -> (TempDir, TempDir) {
    let (folder, earlier) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for session in ["s", "t"] {
        count(folder.path(), session).unwrap();
    }
    copy(folder.path(), earlier.path());
    assert_eq!(count(folder.path(), "s"), Ok(2));
    (folder, earlier)
}
