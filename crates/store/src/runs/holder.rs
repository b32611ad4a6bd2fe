//! Who holds a run: a process that has the lock of a file of its own.
//!
//! The system gives the lock back when the process ends, however it ends, and not before. So whether a holder is still
//! there is asked of the system, and no clock has a say: not one that jumps, nor one that stood still while the process
//! was stopped.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use crate::place::{self, Identity};

/// How often a file is made anew that somebody has cleaned away before its lock was taken.
const TRIES: u32 = 8;

/// A process that can hold runs. It is one as long as this lives.
#[derive(Debug)]
pub(super) struct Holder {
    name: String,
    file: PathBuf,
    _lock: File,
}

/// Whether a holder is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// It has its lock.
    Holds,
    /// It has ended.
    Gone,
    /// Its file was taken away, or cannot be asked.
    Unknown,
}

impl Holder {
    /// Makes one in a folder.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        place::make_folder(folder)?;
        for _ in 0..TRIES {
            let mut random = [0; 8];
            getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
            let name = format!("{}-{}", std::process::id(), HEXLOWER.encode(&random));
            let file = folder.join(&name);
            let mut options = OpenOptions::new();
            options.create_new(true).write(true);
            place::for_owner_alone(&mut options);
            let lock = options.open(&file)?;
            lock.lock()?;
            // Another process may have taken it for one that was left behind.
            if Identity::of(&file).is_some() {
                return Ok(Self { name, file, _lock: lock });
            }
        }
        Err(io::Error::other("its files are removed as soon as they are made"))
    }

    /// Returns its name: the number of the process, and a number of its own.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Takes its file away, once it holds nothing.
    pub(super) fn remove(self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Asks whether a holder is still there.
pub(super) fn life(folder: &Path, name: &str) -> Life {
    // A name comes from the database, and is no path.
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Life::Unknown;
    }
    let Ok(file) = File::open(folder.join(name)) else { return Life::Unknown };
    // Shared, so that two that ask at the same time do not take each other for the holder.
    match file.try_lock_shared() {
        Ok(()) => Life::Gone,
        Err(TryLockError::WouldBlock) => Life::Holds,
        Err(TryLockError::Error(_)) => Life::Unknown,
    }
}

/// Removes the files of holders that are gone and that nothing names any more.
pub(super) fn clean(folder: &Path, is_named: impl Fn(&str) -> bool) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    for entry in files.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !is_named(name)) else { continue };
        let Ok(file) = File::open(folder.join(name)) else { continue };
        // Alone, so that who has just made the file and waits for its lock finds it gone.
        if file.try_lock().is_ok() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_there_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let holder = Holder::new(folder.path()).unwrap();
        let name = holder.name().to_owned();
        assert_eq!(life(folder.path(), &name), Life::Holds);
        clean(folder.path(), |_| false);
        assert_eq!(life(folder.path(), &name), Life::Holds, "it is not cleaned away");
        drop(holder);
        assert_eq!(life(folder.path(), &name), Life::Gone);
        clean(folder.path(), |named| named == name);
        assert_eq!(life(folder.path(), &name), Life::Gone, "it is named");
        clean(folder.path(), |_| false);
        assert_eq!(life(folder.path(), &name), Life::Unknown);
        assert_eq!(life(folder.path(), "../other"), Life::Unknown);
    }
}
