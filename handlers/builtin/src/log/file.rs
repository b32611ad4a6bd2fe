//! A file that lines are appended to, and that is put aside when it is large.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that lines are appended to.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    max_bytes: u64,
    keep: usize,
    open: Option<File>,
}

impl LogFile {
    pub(super) fn new(path: PathBuf, max_bytes: usize, keep: usize) -> Self {
        Self { path, max_bytes: u64::try_from(max_bytes).unwrap_or(u64::MAX), keep, open: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn into_path(self) -> PathBuf {
        self.path
    }

    /// Appends a line with one call of the system, so that lines of several writers do not mix.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let present = self.present_bytes();
        if present.is_none() {
            // It was moved, deleted, or put aside by another process.
            self.open = None;
        }
        let bytes = match present {
            Some(bytes) => bytes,
            None => fs::metadata(&self.path).map_or(0, |file| file.len()),
        };
        if bytes > 0 && bytes.saturating_add(length) > self.max_bytes {
            self.open = None;
            self.put_aside()?;
        }
        let file = match &mut self.open {
            Some(file) => file,
            closed => closed.insert(open(&self.path)?),
        };
        let written = file.write_all(line);
        if written.is_err() {
            self.open = None;
        }
        written
    }

    /// Returns the size of the file if the path still leads to the one that is open.
    fn present_bytes(&self) -> Option<u64> {
        let open = self.open.as_ref()?.metadata().ok()?;
        let present = fs::metadata(&self.path).ok()?;
        same_file(&open, &present).then_some(present.len())
    }

    /// Renames `FILE` to `FILE.1`, `FILE.1` to `FILE.2` and so on.
    fn put_aside(&self) -> io::Result<()> {
        if self.keep == 0 {
            return fs::remove_file(&self.path);
        }
        for number in (1..self.keep).rev() {
            let from = self.numbered(number);
            if from.exists() {
                fs::rename(from, self.numbered(number + 1))?;
            }
        }
        fs::rename(&self.path, self.numbered(1))
    }

    fn numbered(&self, number: usize) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

fn open(path: &Path) -> io::Result<File> {
    // A pipe without a reader would block for ever.
    if fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    one.ino() == other.ino() && one.dev() == other.dev()
}

#[cfg(not(unix))]
fn same_file(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    // An open file can be neither moved nor deleted.
    true
}
