//! Folders that only their user can write to.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

/// Tells whether a file belongs to the user of this process, and nobody else can write to it.
pub(crate) fn is_private(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0
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
