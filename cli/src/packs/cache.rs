//! The cache of the user: the packs that were fetched, and the files of all that were opened.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hookgate::contract::file;

use super::archive::{Archive, PackedFile};
use super::{ENDING, hash_of};
use crate::state_folder::home;
use crate::{executable, private_folder};

/// The folder of the packs, in that of what can be made again.
const PACKS: &str = "hookgate/packs";

/// How many digits of a hash stand in the name of a folder.
const SHOWN: usize = 32;

/// Why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    /// Nobody knows where it is.
    #[error("there is no folder to unpack it in: set HOME or XDG_CACHE_HOME")]
    NoFolder,
    /// Somebody else could write to it.
    #[error("`{}` must belong to you, and nobody else may write to it: look at it, then `chmod go-w` it, or remove it", .0.display())]
    NotPrivate(PathBuf),
    /// It cannot be read or written.
    #[error("`{}`: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// Returns the folder of the packs; it need not be there. `None` if nobody knows where it is.
pub(crate) fn packs_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
    Some(folder.or_else(|| Some(home()?.join(".cache")))?.join(PACKS))
}

/// The cache.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Finds the cache of this user, and makes its folder.
    ///
    /// # Errors
    /// It cannot be used.
    pub(super) fn of_user() -> Result<Self, CacheError> {
        let folder = packs_folder().ok_or(CacheError::NoFolder)?;
        let cache = Self { folder };
        private_folder::make(&cache.folder).map_err(|error| cache.failed(error))?;
        let found = fs::symlink_metadata(&cache.folder).map_err(|error| cache.failed(error))?;
        match found.is_dir() && private_folder::is_private(&found) {
            true => Ok(cache),
            false => Err(CacheError::NotPrivate(cache.folder)),
        }
    }

    fn failed(&self, error: io::Error) -> CacheError {
        CacheError::Io { path: self.folder.clone(), error }
    }

    /// Returns where a pack is kept that was fetched.
    pub(super) fn fetched(&self, hash: &str) -> PathBuf {
        self.folder.join(hash).with_extension(ENDING)
    }

    /// Keeps a pack that was fetched.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn keep(&self, bytes: &[u8]) -> Result<PathBuf, CacheError> {
        let file = self.fetched(&hash_of(bytes));
        let write = || -> io::Result<()> {
            let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
            new.write_all(bytes)?;
            new.as_file().sync_all()?;
            new.persist(&file)?;
            Ok(())
        };
        write().map_err(|error| CacheError::Io { path: file.clone(), error })?;
        Ok(file)
    }

    /// Returns the folder with the files of a pack, exactly these: if one is missing, another, or too much, they
    /// are all written anew.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn unpack(&self, archive: &Archive, hash: &str) -> Result<PathBuf, CacheError> {
        let shown = hash.get(..SHOWN).unwrap_or(hash);
        let folder = self.folder.join(format!("{}-{shown}", archive.name));
        if is_same(&folder, archive) {
            return Ok(folder);
        }
        let replaced = self.replace(&folder, archive);
        // Another process may do the same at this moment.
        match replaced {
            Err(_) if is_same(&folder, archive) => Ok(folder),
            Err(error) => Err(CacheError::Io { path: folder, error }),
            Ok(()) => Ok(folder),
        }
    }

    fn replace(&self, folder: &Path, archive: &Archive) -> io::Result<()> {
        // Nobody sees half of it: it is written beside, and moved.
        let beside = tempfile::Builder::new().prefix(".new-").tempdir_in(&self.folder)?;
        let new = beside.path().join("new");
        fs::create_dir(&new)?;
        for (path, PackedFile { content, is_executable }) in &archive.files {
            let file = new.join(path);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&file, content)?;
            only_read(&file, *is_executable)?;
        }
        if fs::symlink_metadata(folder).is_ok() {
            fs::rename(folder, beside.path().join("old"))?;
        }
        fs::rename(&new, folder)
    }
}

/// Lets nobody write to a file of a pack.
#[cfg(unix)]
fn only_read(file: &Path, is_executable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = if is_executable { 0o500 } else { 0o400 };
    fs::set_permissions(file, fs::Permissions::from_mode(mode))
}

/// On Windows a file that is only to be read could not be removed either.
#[cfg(not(unix))]
fn only_read(_file: &Path, _is_executable: bool) -> io::Result<()> {
    Ok(())
}

/// Tells whether a folder has exactly the files of a pack, none of them a link.
fn is_same(folder: &Path, archive: &Archive) -> bool {
    let mut found = BTreeSet::new();
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    if !is_folder || list(folder, folder, archive, &mut found).is_none() {
        return false;
    }
    found.len() == archive.files.len()
}

/// Compares the files of a folder with those of a pack, and notes them. `None` if one is another.
fn list(
    folder: &Path,
    root: &Path,
    archive: &Archive,
    found: &mut BTreeSet<PathBuf>,
) -> Option<()> {
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        let kind = fs::symlink_metadata(&path).ok()?;
        if kind.is_dir() {
            list(&path, root, archive, found)?;
            continue;
        }
        let name = path.strip_prefix(root).ok()?;
        let PackedFile { content, is_executable } = archive.files.get(name.to_str()?)?;
        let is_same = kind.is_file()
            && private_folder::is_private(&kind)
            && (cfg!(not(unix)) || executable::is_executable(&kind, content) == *is_executable)
            && file::read(&path, file::LIMIT).is_ok_and(|bytes| bytes == *content);
        if !is_same {
            return None;
        }
        found.insert(path);
    }
    Some(())
}
