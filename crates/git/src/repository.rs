//! Where the repository of a folder keeps its files.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hookgate_contract::{Head, file};

use crate::{head, may_read, refs};

/// How many folders are looked at on the way up.
const LEVELS: usize = 256;

/// How long a `.git` file may be.
const LIMIT: u64 = 16 << 10;

/// A repository: where its files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The folder with its `HEAD`: each worktree has one of its own.
    own: PathBuf,
    /// The folder with refs and settings, which all its worktrees share.
    shared: PathBuf,
}

impl Repository {
    /// Finds the repository that a folder is in.
    ///
    /// # Errors
    /// Something on the way cannot be read, or nothing [is to be](crate::read_none).
    pub fn find(folder: &Path) -> Result<Option<Self>, String> {
        may_read()?;
        find(folder)?.map(Self::of).transpose()
    }

    /// Opens the repository whose files are in a folder, or in the one that a file `.git` names.
    ///
    /// # Errors
    /// Something cannot be read.
    pub fn at(git_dir: &Path) -> Result<Option<Self>, String> {
        may_read()?;
        if git_dir.is_file() {
            return named_by(git_dir)?.map(Self::of).transpose();
        }
        if !git_dir.join("HEAD").exists() {
            return Ok(None);
        }
        Self::of(git_dir.canonicalize().unwrap_or_else(|_| git_dir.to_owned())).map(Some)
    }

    fn of(own: PathBuf) -> Result<Self, String> {
        let link = own.join("commondir");
        let shared = match file::read_text(&link, LIMIT) {
            Ok(text) => own.join(text.trim_end_matches(['\n', '\r'])),
            Err(error) if is_absent(&error) => own.clone(),
            Err(error) => return Err(format!("{} cannot be read: {error}", link.display())),
        };
        Ok(Self { own, shared })
    }

    /// Returns what is checked out.
    #[must_use]
    pub fn head(&self) -> Head {
        head::read(&self.own)
    }

    /// Returns the folder with its `HEAD`.
    #[must_use]
    pub fn own_folder(&self) -> &Path {
        &self.own
    }

    /// Returns the folder with refs and settings.
    #[must_use]
    pub fn shared_folder(&self) -> &Path {
        &self.shared
    }

    /// Returns the commit or ref that a ref such as `refs/heads/main` holds; `None` if there is no such ref.
    ///
    /// # Errors
    /// It cannot be told.
    pub fn reference(&self, name: &str) -> Result<Option<String>, String> {
        refs::read(&self.shared, name)
    }

    /// Returns the names of all refs below a folder such as `refs/remotes/`, without it.
    ///
    /// # Errors
    /// They cannot be told.
    pub fn references(&self, below: &str) -> Result<Vec<String>, String> {
        refs::all(&self.shared, below)
    }

    /// Returns whether a merge, rebase, pick or bisection is under way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        const SIGNS: [&str; 7] = [
            "MERGE_HEAD",
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "BISECT_LOG",
            "rebase-merge",
            "rebase-apply",
            "index.lock",
        ];
        SIGNS.iter().any(|sign| self.own.join(sign).exists())
    }

    /// Returns whether another working folder of it has a branch checked out, or may have.
    #[must_use]
    pub fn is_used_elsewhere(&self, branch: &str) -> bool {
        let mut folders = vec![self.shared.clone()];
        if let Ok(worktrees) = fs::read_dir(self.shared.join("worktrees")) {
            folders.extend(worktrees.flatten().map(|entry| entry.path()));
        }
        let own = self.own.canonicalize().ok();
        folders
            .iter()
            .filter(|folder| folder.canonicalize().ok() != own)
            .any(|folder| head::read(folder).branch() == Some(branch))
    }
}

/// Finds the folder that has the `HEAD` of a working folder: `.git` in it or above it, what a file
/// `.git` points to (worktrees, submodules), or a bare repository.
///
/// # Errors
/// Something on the way cannot be read.
fn find(folder: &Path) -> Result<Option<PathBuf>, String> {
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
    named_by(&git)
}

/// Returns the folder that a file `.git` names.
fn named_by(git: &Path) -> Result<Option<PathBuf>, String> {
    let text = file::read_text(git, LIMIT)
        .map_err(|error| format!("{} cannot be read: {error}", git.display()))?;
    let Some(named) = text.strip_prefix("gitdir:") else {
        return Err(format!("{} does not name a folder", git.display()));
    };
    let folder = git.parent().unwrap_or(Path::new("/"));
    Ok(Some(folder.join(named.trim_matches([' ', '\n', '\r']))))
}

fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
