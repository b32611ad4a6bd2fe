//! What differs between two versions of a file, without reading it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    /// The path behind all links.
    real: Option<PathBuf>,
    metadata: Result<FileMetadata, ErrorKind>,
}

/// What the system says about a file. The time of change and the inode differ even if the size and
/// the time of modification are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileMetadata {
    device: u64,
    inode: u64,
    mode: u32,
    owner: (u32, u32),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl From<&Metadata> for FileMetadata {
    #[cfg(unix)]
    fn from(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;

        Self {
            device: found.dev(),
            inode: found.ino(),
            mode: found.mode(),
            owner: (found.uid(), found.gid()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// Windows tells when a file was made and when its content changed, and no more.
    #[cfg(not(unix))]
    fn from(found: &Metadata) -> Self {
        let at = |time: std::io::Result<SystemTime>| {
            let time = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let time = time.unwrap_or_default();
            (i64::try_from(time.as_secs()).unwrap_or_default(), i64::from(time.subsec_nanos()))
        };
        let (made_s, made_ns) = at(found.created());
        Self {
            device: made_s.unsigned_abs(),
            inode: made_ns.unsigned_abs(),
            mode: u32::from(found.permissions().readonly()),
            owner: (0, 0),
            size: found.len(),
            modified: at(found.modified()),
            changed: at(found.modified()),
        }
    }
}

impl Stamp {
    fn read(path: &Path) -> Self {
        let found = path.metadata().map_err(|error| error.kind());
        let metadata = found.map(|found| FileMetadata::from(&found));
        Self { real: path.canonicalize().ok(), metadata }
    }

    /// Returns how many bytes the file has; 0 if there is no file.
    fn size(&self) -> u64 {
        self.metadata.as_ref().map_or(0, |metadata| metadata.size)
    }
}

/// What files lead to, at one moment: two of them differ if one of the files has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamps(BTreeMap<PathBuf, Stamp>);

impl Stamps {
    /// Looks at files, without reading them.
    #[must_use]
    pub fn read(files: &BTreeSet<PathBuf>) -> Self {
        Self(files.iter().map(|file| (file.clone(), Stamp::read(file))).collect())
    }

    /// Returns whether each file is there, and none has changed since a time.
    #[must_use]
    pub fn are_older_than(&self, time: SystemTime) -> bool {
        let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let time =
            (i64::try_from(time.as_secs()).unwrap_or_default(), i64::from(time.subsec_nanos()));
        self.0.values().all(|stamp| stamp.metadata.as_ref().is_ok_and(|file| file.changed < time))
    }

    /// Whether a file has fewer bytes than it had: it may be in the middle of a write.
    pub(super) fn shrank_since(&self, earlier: &Self) -> bool {
        self.0.iter().any(|(path, stamp)| {
            earlier.0.get(path).is_some_and(|earlier| stamp.size() < earlier.size())
        })
    }
}
