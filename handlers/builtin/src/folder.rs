//! The folder of a session.

use std::path::Path;

use hookgate_contract::Invocation;

/// Returns the folder that the session works in, if it is known. A relative one would mean another
/// folder in each process.
pub(crate) fn session_folder<'a>(invocation: &Invocation<'a>) -> Option<&'a Path> {
    invocation.context().cwd.map(Path::new).filter(|folder| folder.is_absolute())
}

/// Returns the nearest folder, upwards from this one, that holds a git repository.
pub(crate) fn repository(folder: &Path) -> Option<&Path> {
    // A work tree has a file of this name.
    folder.ancestors().find(|folder| folder.join(".git").exists())
}
