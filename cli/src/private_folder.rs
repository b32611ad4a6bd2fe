//! Folders that only their user can write to.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

/// Tells whether a file belongs to the user of this process, and nobody else can write to it.
pub(crate) fn is_private(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0
}

/// Tells whether a path is a folder of this user, which nobody else can enter.
pub(crate) fn is_closed(folder: &Path) -> bool {
    let is_own = |found: &Metadata| found.uid() == rustix::process::geteuid().as_raw();
    fs::symlink_metadata(folder)
        .is_ok_and(|found| found.is_dir() && is_own(&found) && found.mode() & 0o077 == 0)
}

/// Makes a folder that nobody else can enter, with those above it.
///
/// # Errors
/// It cannot be made, or is there and open to others.
pub(crate) fn prepare_closed(folder: &Path) -> io::Result<()> {
    make(folder)?;
    if is_closed(folder) {
        return Ok(());
    }
    let folder = folder.display();
    Err(io::Error::other(format!("`{folder}` must be a folder of this user with mode 0700")))
}

/// Makes a folder that nobody else can look into, with those above it. One that is there stays as it is.
///
/// # Errors
/// That of the system.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    DirBuilder::new().mode(0o700).create(folder).or_else(|error| match error.kind() {
        ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    })
}
