//! An index of git beside that of the user.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use hookgate_contract::{Failure, FailureClass};

/// Counts the indexes of this process.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// A file that is deleted when this is dropped.
#[derive(Debug)]
pub(super) struct TemporaryIndex {
    path: PathBuf,
}

impl TemporaryIndex {
    /// Names an index that is not there yet.
    pub(super) fn empty(git_folder: &Path) -> Self {
        // ORDERING: only the uniqueness of the number matters, no other memory.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hookgate-index-{}-{number}", process::id());
        Self { path: git_folder.join(name) }
    }

    /// Copies the index of the user, if there is one.
    pub(super) fn copied(git_folder: &Path) -> Result<Self, Failure> {
        let index = Self::empty(git_folder);
        match fs::copy(git_folder.join("index"), &index.path) {
            Ok(_) => Ok(index),
            // Nothing was ever added.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(index),
            Err(error) => Err(Failure::new(
                FailureClass::Exit,
                format!("the index of git cannot be copied: {error}"),
            )),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryIndex {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        // A git that was killed leaves its lock.
        let _ = fs::remove_file(self.path.with_extension("lock"));
    }
}
