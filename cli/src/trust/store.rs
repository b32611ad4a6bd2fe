//! The list of trusted projects: one file for each, in a folder that only its user can write to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use hookgate::contract::file;
use serde::{Deserialize, Serialize};

use super::content::{Content, TrustedFile};
use super::describe::Described;
use super::sum::sum;
use crate::private_folder::{self, is_private};
use crate::state_folder::trust_folder;

/// The version of the form of a record.
const VERSION: u32 = 1;

/// How the name of a record ends.
const RECORD: &str = "json";

/// The file that who writes holds.
const LOCK: &str = "lock";

/// A project as it was when it was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    /// The folder, without links.
    pub(crate) root: PathBuf,
    /// The hash of its content.
    pub(crate) hash: String,
    /// When it was trusted.
    pub(crate) trusted_at: String,
    /// The files.
    pub(crate) files: Vec<TrustedFile>,
    /// What the hooks did.
    pub(crate) hooks: Vec<Described>,
}

impl Record {
    /// Makes a record of a content, of this moment.
    pub(crate) fn new(content: &Content) -> Self {
        Self {
            version: VERSION,
            root: content.root.clone(),
            hash: content.hash.clone(),
            trusted_at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            files: content.files.clone(),
            hooks: content.hooks.clone(),
        }
    }
}

/// Why the list cannot be used. Nothing is trusted then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoreError {
    /// Nobody knows where it is.
    #[error("there is no folder for the list of trusted projects: set HOME or XDG_STATE_HOME")]
    NoFolder,
    /// Somebody else could have written it.
    #[error(
        "`{}` must belong to you, and nobody else may write to it: look at it, then `chmod go-w` it, or remove it", .0.display()
    )]
    NotPrivate(PathBuf),
    /// It cannot be read or written.
    #[error("`{}`: {problem}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        problem: String,
    },
    /// It is not what this program has written.
    #[error("`{}` is not a record of `hookgate trust`: remove it, and trust the project again", .0.display())]
    Broken(PathBuf),
}

impl StoreError {
    fn io(file: &Path, error: &io::Error) -> Self {
        Self::Io { file: file.to_owned(), problem: error.to_string() }
    }
}

/// The list of trusted projects.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// Finds the list of this user. It need not be there.
    ///
    /// # Errors
    /// [`StoreError::NoFolder`].
    pub(crate) fn of_user() -> Result<Self, StoreError> {
        trust_folder().map(|folder| Self { folder }).ok_or(StoreError::NoFolder)
    }

    /// Reads the record of a folder; `None` if it was never trusted.
    ///
    /// # Errors
    /// The list cannot be used.
    pub(crate) fn read(&self, root: &Path) -> Result<Option<Record>, StoreError> {
        let file = self.file(root);
        let Some(record) = self.read_file(&file)? else { return Ok(None) };
        if record.root == root { Ok(Some(record)) } else { Err(StoreError::Broken(file)) }
    }

    /// Reads all records, each as far as it can be read.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub(crate) fn all(&self) -> Result<Vec<Result<Record, StoreError>>, StoreError> {
        if !self.is_there()? {
            return Ok(Vec::new());
        }
        let entries =
            fs::read_dir(&self.folder).map_err(|error| StoreError::io(&self.folder, &error))?;
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|file| file.extension().is_some_and(|end| end == RECORD))
            .collect();
        files.sort();
        let read = |file: &PathBuf| match self.read_file(file) {
            Ok(Some(record)) if self.file(&record.root) == *file => Some(Ok(record)),
            Ok(Some(_)) => Some(Err(StoreError::Broken(file.clone()))),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        };
        Ok(files.iter().filter_map(read).collect())
    }

    /// Keeps a record, in place of an earlier one. It is written beside and moved: nobody reads half of it.
    ///
    /// # Errors
    /// The list cannot be used.
    pub(crate) fn write(&self, record: &Record) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let file = self.file(&record.root);
        let write = || -> io::Result<()> {
            // Only its user can read what is made like this, where there are modes.
            let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
            new.write_all(&serde_json::to_vec_pretty(record)?)?;
            new.as_file().sync_all()?;
            new.persist(&file)?;
            Ok(())
        };
        write().map_err(|error| StoreError::io(&file, &error))
    }

    /// Removes the record of a folder, also one that cannot be read. Returns whether there was one.
    ///
    /// # Errors
    /// The list cannot be used.
    pub(crate) fn remove(&self, root: &Path) -> Result<bool, StoreError> {
        if !self.is_there()? {
            return Ok(false);
        }
        let _lock = self.lock()?;
        let file = self.file(root);
        match fs::remove_file(&file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io(&file, &error)),
        }
    }

    fn file(&self, root: &Path) -> PathBuf {
        let name = sum(root.as_os_str().as_encoded_bytes());
        let name = name.trim_start_matches("sha256:");
        self.folder.join(name).with_extension(RECORD)
    }

    /// Tells whether the folder is there.
    fn is_there(&self) -> Result<bool, StoreError> {
        match fs::symlink_metadata(&self.folder) {
            Ok(found) if found.is_dir() && is_private(&found) => Ok(true),
            Ok(_) => Err(StoreError::NotPrivate(self.folder.clone())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io(&self.folder, &error)),
        }
    }

    fn read_file(&self, file: &Path) -> Result<Option<Record>, StoreError> {
        if !self.is_there()? {
            return Ok(None);
        }
        match fs::symlink_metadata(file) {
            Ok(found) if found.is_file() && is_private(&found) => {}
            Ok(_) => return Err(StoreError::NotPrivate(file.to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(file, &error)),
        }
        let bytes = file::read(file, file::LIMIT).map_err(|error| StoreError::io(file, &error))?;
        let record: Option<Record> = serde_json::from_slice(&bytes).ok();
        let record = record.filter(|record| record.version == VERSION);
        record.map(Some).ok_or_else(|| StoreError::Broken(file.to_owned()))
    }

    /// Makes the folder, and waits until nobody else writes. The lock is given back when the file is dropped.
    fn lock(&self) -> Result<File, StoreError> {
        let failed = |error: io::Error| StoreError::io(&self.folder, &error);
        if !self.is_there()? {
            private_folder::make(&self.folder).map_err(failed)?;
            self.is_there()?;
        }
        let file = self.folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(&file).map_err(|error| StoreError::io(&file, &error))?;
        lock.lock().map_err(|error| StoreError::io(&file, &error))?;
        Ok(lock)
    }
}
