//! Files whose content is known: what is started is what the table was built with.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hookgate_contract::{Failure, FailureClass};

/// Files that are no part of the config are hashed up to this size. Of larger ones every change of
/// the file counts as another content.
const HASHED: u64 = 1 << 20;

/// A file that is run, as it was when the table was built.
#[derive(Debug)]
pub(crate) struct Pin {
    path: PathBuf,
    digest: Option<[u8; 32]>,
    /// The state of the file in which the content was last found to be the same.
    seen: Mutex<Option<State>>,
}

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl State {
    fn of(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

impl Pin {
    /// A file of the config, which is hashed whatever its size.
    pub(crate) fn own(path: &Path) -> Self {
        Self::new(path, u64::MAX)
    }

    /// A file of the system.
    pub(crate) fn foreign(path: &Path) -> Self {
        Self::new(path, HASHED)
    }

    fn new(path: &Path, hashed: u64) -> Self {
        // The state comes first: a change in between is seen at the first start.
        let found = path.metadata().ok().filter(Metadata::is_file);
        let small = found.as_ref().is_some_and(|found| found.size() <= hashed);
        let digest = if small { digest(path).ok() } else { None };
        let seen = Mutex::new(found.as_ref().map(State::of));
        Self { path: path.to_owned(), digest, seen }
    }

    /// The content, for the identity of a handler.
    pub(crate) fn fingerprint(&self) -> Vec<u8> {
        match self.digest {
            Some(digest) => digest.to_vec(),
            // A file that may be run need not be readable. Then the time of its last change must do,
            // and only here the identity is not the same on another machine.
            None => match self.state() {
                Some(State { modified: (seconds, nanoseconds), .. }) => {
                    format!("modified {seconds}.{nanoseconds:09}").into_bytes()
                }
                None => b"missing".to_vec(),
            },
        }
    }

    fn state(&self) -> Option<State> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the file with what it was.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let found = match self.path.metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let detail = format!("`{}` is not there any more", self.path.display());
                return Err(Failure::new(FailureClass::Spawn, detail));
            }
            Err(error) => {
                let detail = format!("`{}` cannot be looked at: {error}", self.path.display());
                return Err(Failure::new(FailureClass::Spawn, detail));
            }
        };
        let (state, seen) = (State::of(&found), self.state());
        if Some(state) == seen {
            return Ok(());
        }
        let may_be_the_same = found.is_file() && seen.is_some_and(|seen| seen.size == state.size);
        if may_be_the_same && self.digest.is_some() && self.digest == digest(&self.path).ok() {
            *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
            return Ok(());
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

    /// How often this process has found another content here. It is a part of the revision of a
    /// handler, so that a reload does not keep one that knows the old content. It is not a part of the
    /// identity: the same config is the same on machines with other versions of the system.
    pub(crate) fn revision(&self) -> u32 {
        type Known = (Option<[u8; 32]>, Option<State>, u32);
        static KNOWN: Mutex<BTreeMap<PathBuf, Known>> = Mutex::new(BTreeMap::new());
        let state = if self.digest.is_some() { None } else { self.state() };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry(self.path.clone()).or_insert((self.digest, state, 0));
        if (entry.0, entry.1) != (self.digest, state) {
            *entry = (self.digest, state, entry.2.saturating_add(1));
        }
        entry.2
    }
}

fn digest(path: &Path) -> io::Result<[u8; 32]> {
    let mut hash = hmac_sha256::Hash::new();
    hash.update(std::fs::read(path)?);
    Ok(hash.finalize())
}
