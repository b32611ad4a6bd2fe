//! Folders that only their user can write to.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Tells whether a file belongs to the user of this process, and nobody else can write to it. On Windows it is not looked
/// at: there the folder of a user belongs to him and the administrators, unless somebody has changed that.
#[cfg(not(unix))]
pub(crate) fn is_private(_found: &Metadata) -> bool {
    true
}

/// Tells whether a file belongs to the user of this process, and nobody else can write to it.
#[cfg(unix)]
pub(crate) fn is_private(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

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
    create(folder).or_else(|error| match error.kind() {
        ErrorKind::AlreadyExists => Ok(()),
        _ => Err(error),
    })
}

#[cfg(unix)]
fn create(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
}
