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

/// Tells whether a path is a folder of this user, which nobody else can enter. On Windows it is not looked at whose it is:
/// see [`is_private`].
pub(crate) fn is_closed(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir() && is_own_alone(&found))
}

#[cfg(unix)]
fn is_own_alone(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0
}

#[cfg(not(unix))]
const fn is_own_alone(_found: &Metadata) -> bool {
    true
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
