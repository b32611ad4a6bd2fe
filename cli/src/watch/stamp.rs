//! What tells one version of a file from the next.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What a path leads to, without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    /// The path behind all links.
    real: Option<PathBuf>,
    found: Result<Found, ErrorKind>,
}

/// What the system says about a file. The time of change and the inode tell apart what was written
/// with the same size and the same time of modification.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    device: u64,
    inode: u64,
    mode: u32,
    owner: (u32, u32),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Self {
        let found = path.metadata().map_err(|error| error.kind()).map(|found| Found {
            device: found.dev(),
            inode: found.ino(),
            mode: found.mode(),
            owner: (found.uid(), found.gid()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        });
        Self { real: path.canonicalize().ok(), found }
    }

    /// How many bytes are there; none where there is no file.
    fn size(&self) -> u64 {
        self.found.as_ref().map_or(0, |found| found.size)
    }
}

/// What all files of a table lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamps(BTreeMap<PathBuf, Stamp>);

impl Stamps {
    /// Looks at files.
    pub(super) fn of(files: &BTreeSet<PathBuf>) -> Self {
        Self(files.iter().map(|file| (file.clone(), Stamp::of(file))).collect())
    }

    /// Whether a file has fewer bytes than it had: it may be about to be written.
    pub(super) fn shrank_since(&self, earlier: &Self) -> bool {
        self.0.iter().any(|(path, stamp)| {
            earlier.0.get(path).is_some_and(|earlier| stamp.size() < earlier.size())
        })
    }
}
