//! Whether anything is at a path.

use std::fs::{metadata, symlink_metadata};
use std::io::ErrorKind;
use std::path::Path;

/// Tells whether anything is at a path, be it a file that can be read or not. Only "not found" is nothing: what may
/// not be looked at could be there, and a link that leads nowhere is there.
pub(super) fn is_found(path: &Path) -> bool {
    match symlink_metadata(path) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => has_broken_folder(path),
        Err(_) => true,
    }
}

/// Tells whether a folder of a path is a link that leads nowhere: the system says "not found" of what is in it.
fn has_broken_folder(path: &Path) -> bool {
    let nearest = path.ancestors().skip(1).find(|folder| symlink_metadata(folder).is_ok());
    nearest.is_some_and(|folder| metadata(folder).is_err())
}
