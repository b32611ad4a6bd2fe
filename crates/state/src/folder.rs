//! The folder: reading and changing what is in it, one process at a time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookgate_contract::{StateChange, StateError, StateHome, StateKey};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::{Document, file_name};
use crate::files::{self, Lock};
use crate::ledger::Ledger;
use crate::seal::{self, Key};

const KEY: &str = "state.key";
const LOCK: &str = "state.lock";
const LEDGER: &str = "state.ledger";

/// How many files are kept; those that were not written for the longest time are removed.
const FILES: usize = 1024;

/// What was written within this time is not removed.
const YOUNG: Duration = Duration::from_secs(24 * 3600);

/// How many files there are at most: there may be many that are young.
const MOST_FILES: usize = 16 * 1024;

/// How many bytes a file may have.
const BYTES: u64 = 1 << 20;

/// How many bytes the ledger may have.
const LEDGER_BYTES: u64 = 8 << 20;

/// A folder in which hooks keep what they count and remember: see the [crate](crate). Nothing is read or
/// written before something is asked for.
#[derive(Debug, Clone)]
pub struct StateFolder {
    root: PathBuf,
    files: usize,
    young: Duration,
}

impl StateFolder {
    /// Makes one in a folder, which is created when something is kept. Nobody else should be able to read or
    /// write it. It has to be on a file system of this machine: one of another may know no locks.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), files: FILES, young: YOUNG }
    }

    /// Sets how many files are kept, and for how long one is kept at least after it was written. The default
    /// is 1,024 and a day.
    #[must_use]
    pub fn limits(self, files: usize, young: Duration) -> Self {
        Self { files, young, ..self }
    }

    /// Returns the home of hooks that have nothing in common with those of other parts. Its name is a path of
    /// plain words, such as `projects/one`.
    #[must_use]
    pub fn part(&self, name: impl Into<String>) -> StatePart {
        StatePart { folder: self.clone(), name: name.into() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Waits for the lock, and reads what is known of all files.
    fn open(&self) -> Result<Open<'_>, StateError> {
        let at = |name: &str| self.path(name);
        files::make_folder(&self.root).map_err(|error| unusable(&self.root, &error))?;
        let lock = Lock::wait(&at(LOCK)).map_err(|error| unusable(&at(LOCK), &error))?;
        let key = Key::read(&at(KEY)).map_err(|error| unusable(&at(KEY), &error))?;
        let ledger = self.read_bytes(LEDGER, LEDGER_BYTES)?;
        let (key, ledger) = match (key, ledger) {
            (Some(key), Some(sealed)) => {
                let ledger = self.parse(&key, LEDGER, &sealed)?;
                (key, ledger)
            }
            // Files without the ledger that knows them: somebody has taken it away, with the key.
            (None, None) if self.has_sealed_files()? => return Err(self.lost(LEDGER)),
            (None, None) => {
                let key = Key::draw().map_err(|error| unusable(&at(KEY), &error))?;
                let open = Open { folder: self, key, ledger: Ledger::default(), _lock: lock };
                // A ledger without a key is found out, and a key without a ledger as well.
                open.write_ledger()?;
                open.key.write(&at(KEY)).map_err(|error| unusable(&at(KEY), &error))?;
                return Ok(open);
            }
            (Some(_), None) => return Err(self.lost(LEDGER)),
            (None, Some(_)) => return Err(self.lost(KEY)),
        };
        Ok(Open { folder: self, key, ledger, _lock: lock })
    }

    /// Tells whether a sealed file is here, of whatever part. It is asked only where key and ledger are missing.
    fn has_sealed_files(&self) -> Result<bool, StateError> {
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            let problem = |error: io::Error| unusable(&folder, &error);
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(problem(error)),
            };
            for entry in entries {
                let entry = entry.map_err(problem)?;
                let kind = entry.file_type().map_err(problem)?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() && seal::is_sealed(&entry.path()).map_err(problem)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Tells whether anything was ever kept here.
    fn is_new(&self) -> Result<bool, StateError> {
        for name in [KEY, LEDGER] {
            match fs::symlink_metadata(self.path(name)) {
                Ok(_) => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unusable(&self.path(name), &error)),
            }
        }
        Ok(true)
    }

    fn read_bytes(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, StateError> {
        files::read(&self.path(name), limit).map_err(|error| unusable(&self.path(name), &error))
    }

    fn parse<T: DeserializeOwned>(
        &self,
        key: &Key,
        name: &str,
        sealed: &[u8],
    ) -> Result<T, StateError> {
        let content = key.open(name, sealed);
        let parsed = content.and_then(|content| serde_json::from_slice(content).ok());
        parsed.ok_or_else(|| self.altered(name))
    }

    fn altered(&self, name: &str) -> StateError {
        StateError::Altered { place: self.path(name), folder: self.root.clone() }
    }

    fn lost(&self, name: &str) -> StateError {
        StateError::Lost { place: self.path(name), folder: self.root.clone() }
    }
}

/// A folder whose lock this process holds.
struct Open<'a> {
    folder: &'a StateFolder,
    key: Key,
    ledger: Ledger,
    _lock: Lock,
}

impl Open<'_> {
    /// Reads a file; an empty one if it was never written.
    fn document(&self, name: &str) -> Result<Document, StateError> {
        let known = self.ledger.version(name);
        let Some(sealed) = self.folder.read_bytes(name, BYTES)? else {
            return if known == 0 { Ok(Document::default()) } else { Err(self.folder.lost(name)) };
        };
        let document: Document = self.folder.parse(&self.key, name, &sealed)?;
        if document.version < known { Err(self.folder.lost(name)) } else { Ok(document) }
    }

    /// Keeps a file, and then that it was written.
    fn keep(mut self, name: &str, mut document: Document) -> Result<(), StateError> {
        let path = self.folder.path(name);
        document.version += 1;
        let bytes =
            serde_json::to_vec(&document).map_err(|error| StateError::Other(error.to_string()))?;
        let sealed = self.key.seal(name, &bytes);
        if sealed.len() as u64 > BYTES {
            return Err(StateError::Full { place: path, problem: "1 MiB is the most" });
        }
        if self.ledger.version(name) == 0 && self.ledger.len() >= MOST_FILES {
            let problem = "so many sessions were begun today; remove the folder if they are over";
            return Err(StateError::Full { place: self.folder.root.clone(), problem });
        }
        let parent = path.parent().unwrap_or(&self.folder.root);
        files::make_folder(parent).map_err(|error| unusable(parent, &error))?;
        files::replace(&path, &sealed).map_err(|error| unusable(&path, &error))?;
        let now = SystemTime::now();
        self.ledger.note(name, document.version, now);
        let old = self.ledger.forget_old(self.folder.files, self.folder.young, now);
        self.write_ledger()?;
        for name in old {
            // One that stays is no harm: it is not older than what the ledger knows of it, nothing.
            let _ = fs::remove_file(self.folder.path(&name));
        }
        Ok(())
    }

    fn write_ledger(&self) -> Result<(), StateError> {
        let bytes = serde_json::to_vec(&self.ledger)
            .map_err(|error| StateError::Other(error.to_string()))?;
        let path = self.folder.path(LEDGER);
        files::replace(&path, &self.key.seal(LEDGER, &bytes))
            .map_err(|error| unusable(&path, &error))
    }
}

/// A part of a [`StateFolder`]: the home of hooks that have nothing in common with those of other parts.
#[derive(Debug, Clone)]
pub struct StatePart {
    folder: StateFolder,
    name: String,
}

impl StatePart {
    fn name_of(&self, key: &StateKey<'_>) -> String {
        format!("{}/{}", self.name, file_name(key))
    }
}

impl StateHome for StatePart {
    fn read(&self, key: &StateKey<'_>) -> Result<Option<Value>, StateError> {
        let name = self.name_of(key);
        // Whoever only asks leaves nothing behind.
        let is_there = self.folder.read_bytes(&name, BYTES)?.is_some();
        if self.folder.is_new()? && !is_there && !self.folder.has_sealed_files()? {
            return Ok(None);
        }
        let document = self.folder.open()?.document(&name)?;
        Ok(document.value(key).cloned())
    }

    fn update(&self, key: &StateKey<'_>, change: &mut StateChange<'_>) -> Result<(), StateError> {
        let name = self.name_of(key);
        let open = self.folder.open()?;
        let mut document = open.document(&name)?;
        let mut value = document.take(key);
        if !change(&mut value)? {
            return Ok(());
        }
        document.put(key, value);
        open.keep(&name, document)
    }
}

fn unusable(place: &Path, error: &io::Error) -> StateError {
    StateError::Unusable { place: place.to_owned(), problem: error.to_string() }
}
