//! Pins: the identity of each file that a hook runs, as it was when the table was built.
//!
//! A path says where a program is, not what it is. An agent that can write to the file of a guard
//! could replace the guard and keep its path. So each file is pinned, and the pin is compared before
//! each start; another content is a failure of class `untrusted` until the config is loaded again.
//!
//! # How files are compared
//! | file | identity |
//! |---|---|
//! | of the hook: its scripts, programs beside the config | SHA-256 of the content |
//! | of the system, up to 1 MiB | SHA-256 of the content |
//! | of the system, larger | device, inode, size, times of content and of status |
//!
//! Before a start only the status of the file is read (about 2 µs for each file). The content is read
//! again only if the status has changed, so a `touch` or a checkout with the same content is not a
//! change.
//!
//! # Limits
//! * Between the comparison and the moment at which the program (or its interpreter) opens the file, some
//!   milliseconds, a process that can write there may replace it. What ran then does not count: once the
//!   program has answered, each file must still be the one that was compared, with the same times of content and
//!   of status, which every replacement changes, also one that is undone. What another program may have *done* in
//!   that time cannot be taken back.
//! * A write that keeps size, times and inode (only a privileged process can set the status time back)
//!   is not seen.
//! * Modules and libraries that a script loads itself are not pinned.
//! * On Windows the status is size, time of content and time of creation, all of which a program can set.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hookgate_contract::{Failure, FailureClass};

/// The largest file outside the config that is hashed, in bytes. Interpreters of many megabytes would
/// make each build of a table slow; any change of their status counts as another content.
const LARGEST_HASHED: u64 = 1 << 20;

/// A file that is run, as it was when the table was built.
#[derive(Debug)]
pub(crate) struct ProgramPin {
    path: PathBuf,
    digest: Option<[u8; 32]>,
    /// The status of the file when the content was last found to be the same.
    seen: Mutex<Option<FileStatus>>,
}

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStatus {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

#[cfg(windows)]
impl From<&Metadata> for FileStatus {
    /// Windows tells neither which file it is nor when its status changed, but when it was made.
    fn from(found: &Metadata) -> Self {
        use std::os::windows::fs::MetadataExt as _;

        let parts = |ticks: u64| (i64::try_from(ticks).unwrap_or(i64::MAX), 0);
        Self {
            device: 0,
            inode: 0,
            size: found.file_size(),
            modified: parts(found.last_write_time()),
            changed: parts(found.creation_time()),
        }
    }
}

#[cfg(unix)]
impl From<&Metadata> for FileStatus {
    fn from(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;

        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

impl ProgramPin {
    /// Pins a file of the hook, which is hashed whatever its size.
    pub(crate) fn of_hook(path: &Path) -> Self {
        Self::new(path, u64::MAX)
    }

    /// Pins a file of the system.
    pub(crate) fn of_system(path: &Path) -> Self {
        Self::new(path, LARGEST_HASHED)
    }

    fn new(path: &Path, largest_hashed: u64) -> Self {
        // The status comes first: a change in between is seen at the first start.
        let found = path.metadata().ok().filter(Metadata::is_file);
        let is_hashed = found.as_ref().is_some_and(|found| found.len() <= largest_hashed);
        let digest = if is_hashed { digest_of(path).ok() } else { None };
        let seen = Mutex::new(found.as_ref().map(FileStatus::from));
        Self { path: path.to_owned(), digest, seen }
    }

    /// Returns the content's digest, for the identity of a handler.
    pub(crate) fn fingerprint(&self) -> Vec<u8> {
        match self.digest {
            Some(digest) => digest.to_vec(),
            // A file that may be run need not be readable. Then the time of its last change must do,
            // and only here the identity is not the same on another machine.
            None => match self.status() {
                Some(FileStatus { modified: (seconds, nanoseconds), .. }) => {
                    format!("modified {seconds}.{nanoseconds:09}").into_bytes()
                }
                None => b"missing".to_vec(),
            },
        }
    }

    fn status(&self) -> Option<FileStatus> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether the file is exactly the one that was compared before a start.
    ///
    /// # Errors
    /// Of class `untrusted` if anything of it has changed since.
    pub(crate) fn is_still(&self, compared: FileStatus) -> Result<(), Failure> {
        let now = self.path.metadata().ok();
        if now.is_some_and(|now| FileStatus::from(&now) == compared) {
            return Ok(());
        }
        let path = self.path.display();
        let detail =
            format!("`{path}` has changed while it was run, so what it says does not count");
        Err(Failure::new(FailureClass::Untrusted, detail))
    }

    /// Compares the file with what it was, and returns its status.
    ///
    /// # Errors
    /// Of class `spawn` if the file is gone or cannot be read, of class `untrusted` if it is another.
    pub(crate) fn check(&self) -> Result<FileStatus, Failure> {
        let found = self.path.metadata().map_err(|error| self.unreadable(&error))?;
        let (status, seen) = (FileStatus::from(&found), self.status());
        if Some(status) == seen {
            return Ok(status);
        }
        let may_be_the_same = found.is_file() && seen.is_some_and(|seen| seen.size == status.size);
        if may_be_the_same && self.digest.is_some() && self.digest == digest_of(&self.path).ok() {
            *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
            return Ok(status);
        }
        Err(Failure::new(
            FailureClass::Untrusted,
            format!(
                "`{}` is not what it was when the config was loaded: look at it, and reload the \
                 config if it is meant",
                self.path.display()
            ),
        ))
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        let path = self.path.display();
        let detail = if error.kind() == io::ErrorKind::NotFound {
            format!("`{path}` is not there any more")
        } else {
            format!("`{path}` cannot be looked at: {error}")
        };
        Failure::new(FailureClass::Spawn, detail)
    }

    /// Returns how often this process has found another content at this path.
    ///
    /// It is a part of the revision of a handler, so that a reload does not keep a handler that pins
    /// the old content. It is not a part of the identity: the same config is the same on machines with other versions of the system. The count is process-wide because it compares
    /// tables of the past, which no engine owns.
    pub(crate) fn revision(&self) -> u32 {
        type Known = (Option<[u8; 32]>, Option<FileStatus>, u32);
        static KNOWN: Mutex<BTreeMap<PathBuf, Known>> = Mutex::new(BTreeMap::new());
        let status = if self.digest.is_some() { None } else { self.status() };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let last = known.entry(self.path.clone()).or_insert((self.digest, status, 0));
        if (last.0, last.1) != (self.digest, status) {
            *last = (self.digest, status, last.2.saturating_add(1));
        }
        last.2
    }
}

fn digest_of(path: &Path) -> io::Result<[u8; 32]> {
    let mut hash = hmac_sha256::Hash::new();
    hash.update(std::fs::read(path)?);
    Ok(hash.finalize())
}
