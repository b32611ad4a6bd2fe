//! Where the repository of a folder keeps its files.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hookgate_contract::file;

/// How many folders are looked at on the way up.
const LEVELS: usize = 256;

/// How long a `.git` file may be.
const LIMIT: u64 = 16 << 10;

/// Finds the folder that has the `HEAD` of a working folder: `.git` in it or above it, what a file
/// `.git` points to (worktrees, submodules), or a bare repository.
///
/// # Errors
/// Something on the way cannot be read.
pub(super) fn find(folder: &Path) -> Result<Option<PathBuf>, String> {
    // As git does: through links, the repository is the one of the real folder.
    let real = match fs::canonicalize(folder) {
        Ok(real) => real,
        Err(error) if is_absent(&error) => folder.to_owned(),
        Err(error) => return Err(format!("{} cannot be read: {error}", folder.display())),
    };
    for (level, above) in real.ancestors().enumerate() {
        if level == LEVELS {
            return Err(format!("{} is more than {LEVELS} folders deep", folder.display()));
        }
        if let Some(found) = git_dir_in(above)? {
            return Ok(Some(found));
        }
        if is_bare(above) {
            return Ok(Some(above.to_owned()));
        }
    }
    Ok(None)
}

/// Returns the folder that `.git` in a folder is or names.
fn git_dir_in(folder: &Path) -> Result<Option<PathBuf>, String> {
    let git = folder.join(".git");
    let unreadable = |error: io::Error| format!("{} cannot be read: {error}", git.display());
    let found = match fs::metadata(&git) {
        Ok(found) => found,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    if found.is_dir() {
        // A folder without HEAD is no repository, and git goes on upwards.
        return match fs::symlink_metadata(git.join("HEAD")) {
            Ok(_) => Ok(Some(git)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(unreadable(error)),
        };
    }
    let text = file::read_text(&git, LIMIT).map_err(unreadable)?;
    let Some(named) = text.strip_prefix("gitdir:") else {
        return Err(format!("{} does not name a folder", git.display()));
    };
    Ok(Some(folder.join(named.trim_matches([' ', '\n', '\r']))))
}

fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
