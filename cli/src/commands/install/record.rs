//! What was put into a file, so that it can be made what it was, byte for byte.
//!
//! Only places and check sums are kept, no text: a config may hold secrets.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use crate::agents::draft::without;

/// What was put into one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The file.
    path: PathBuf,
    /// The check sum of the file as it was; `None` if there was none.
    before: Option<String>,
    /// The check sum of the file as it was written.
    after: String,
    /// What was put in, as bytes from its start.
    added: Vec<Range<usize>>,
    /// Folders that were made for it, the outermost first.
    pub(super) folders: Vec<PathBuf>,
}

/// What the file of a record was before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Before {
    /// There was no file.
    Nothing,
    /// It had this text.
    Text(String),
}

impl Record {
    /// Makes a record.
    pub(super) fn new(
        path: &Path,
        before: Option<&str>,
        after: &str,
        added: Vec<Range<usize>>,
    ) -> Self {
        Self {
            path: path.to_owned(),
            before: before.map(sum),
            after: sum(after),
            added,
            folders: Vec::new(),
        }
    }

    /// Returns what the file was before, if it is as it was written.
    pub(super) fn undo(&self, now: &str) -> Option<Before> {
        if sum(now) != self.after {
            return None;
        }
        let Some(before) = &self.before else { return Some(Before::Nothing) };
        without(now, &self.added).filter(|text| sum(text) == *before).map(Before::Text)
    }

    /// Tells whether there was no file before.
    pub(super) const fn made_the_file(&self) -> bool {
        self.before.is_none()
    }

    /// Reads the record of a file. A record that cannot be read is none.
    pub(super) fn read(state: &Path, path: &Path) -> Option<Self> {
        let text = fs::read_to_string(file(state, path)).ok()?;
        serde_json::from_str(&text).ok().filter(|record: &Self| record.path == path)
    }

    /// Writes it.
    pub(super) fn write(&self, state: &Path) -> io::Result<()> {
        fs::create_dir_all(state)?;
        fs::write(file(state, &self.path), serde_json::to_vec(self)?)
    }

    /// Forgets the record of a file.
    pub(super) fn forget(state: &Path, path: &Path) -> io::Result<()> {
        match fs::remove_file(file(state, path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn file(state: &Path, path: &Path) -> PathBuf {
    state.join(format!("{}.json", sum(&path.to_string_lossy())))
}

fn sum(text: &str) -> String {
    Hash::hash(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_nobody_edited_is_made_what_it_was() {
        let record =
            Record::new(Path::new("/f"), Some("ab"), "a-b", std::iter::once(1..2).collect());
        assert_eq!(record.undo("a-b"), Some(Before::Text("ab".to_owned())));
        assert_eq!(record.undo("a-b\n"), None);
        let record = Record::new(Path::new("/f"), None, "a-b", Vec::new());
        assert_eq!(record.undo("a-b"), Some(Before::Nothing));
    }
}
