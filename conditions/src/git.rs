//! The branch of a folder, read from the files of its repository. No process is started.

mod head;
mod repository;

pub(crate) use head::Head;

use std::path::Path;

/// Returns what is checked out in a folder.
pub(crate) fn head_of(folder: &Path) -> Head {
    match repository::find(folder) {
        Ok(Some(git_dir)) => head::read(&git_dir),
        Ok(None) => Head::NoRepository,
        Err(why) => Head::Unreadable(why),
    }
}
