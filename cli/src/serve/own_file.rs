//! A file that this process has made, and that is to go when it does.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A file that is removed when this is dropped, unless somebody has put another one in its place.
pub(super) struct OwnFile {
    path: PathBuf,
    made: (u64, u64),
}

impl OwnFile {
    /// Takes over a file that was just made.
    ///
    /// # Errors
    /// It is gone.
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        let made = identity(&path)?;
        Ok(Self { path, made })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.made) {
            // It may be gone already.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns the device and the number of a file, of a link itself.
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()))
}
