//! A path that is not wholly known before a call runs: `src/*.rs`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most files of a place that are looked at; one with more may hold any.
const MOST_FILES: usize = 512;

/// A path of which only a pattern is known: the shell puts names of files in its place.
#[derive(Clone)]
pub struct OpenPath {
    written: String,
    folder: PathBuf,
    may_be: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
}

impl OpenPath {
    /// Says that a path as it is `written`, somewhere below `folder`, is changed, and whether that may be a place, or
    /// hold it.
    pub fn new(
        written: impl Into<String>,
        folder: impl Into<PathBuf>,
        may_be: impl Fn(&Path) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { written: written.into(), folder: folder.into(), may_be: Arc::new(may_be) }
    }

    /// The path as the call has it.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The last folder of it that is known.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether it may be this place, or hold it, or be a file in it. A pattern means files that are there.
    #[must_use]
    pub fn may_be(&self, place: &Path) -> bool {
        (self.may_be)(place) || self.may_be_in(place, &mut { MOST_FILES })
    }

    fn may_be_in(&self, folder: &Path, left: &mut usize) -> bool {
        let Ok(files) = folder.read_dir() else {
            return folder.is_dir();
        };
        files.into_iter().any(|file| {
            *left = left.saturating_sub(1);
            let Ok(file) = file else { return true };
            *left == 0
                || (self.may_be)(&file.path())
                || file.file_type().is_ok_and(|kind| kind.is_dir())
                    && self.may_be_in(&file.path(), left)
        })
    }
}

impl fmt::Debug for OpenPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenPath").field(&self.written).finish()
    }
}

impl PartialEq for OpenPath {
    fn eq(&self, other: &Self) -> bool {
        (&self.written, &self.folder) == (&other.written, &other.folder)
    }
}

impl Eq for OpenPath {}
