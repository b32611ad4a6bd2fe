//! Whole results, in files of a folder.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::hash::hex_hash;

/// How the names of the files end; other files in the folder are left alone.
const ENDING: &str = ".result.txt";

/// A folder of whole results, named after their content.
#[derive(Debug)]
pub(super) struct FullTexts {
    folder: PathBuf,
    keep: usize,
}

impl FullTexts {
    pub(super) const fn new(folder: PathBuf, keep: usize) -> Self {
        Self { folder, keep }
    }

    /// Writes a text, unless it is there, and returns the path.
    pub(super) fn write(&self, text: &[u8]) -> io::Result<PathBuf> {
        make_folder(&self.folder)?;
        let name: String = hex_hash(text).chars().take(32).collect();
        let path = self.folder.join(format!("{name}{ENDING}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(mut file) => {
                let written = file.write_all(text);
                if written.is_err() {
                    // A part of it would be taken for the whole later.
                    let _ = fs::remove_file(&path);
                }
                written?;
                self.forget_oldest(&path);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        Ok(path)
    }

    /// Deletes the oldest files beyond those that are kept; one that cannot be deleted stays.
    fn forget_oldest(&self, written: &Path) {
        let Ok(entries) = self.folder.read_dir() else { return };
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path != written && path.to_string_lossy().ends_with(ENDING))
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        files.sort();
        let too_many = (files.len() + 1).saturating_sub(self.keep);
        for (_, path) in files.into_iter().take(too_many) {
            let _ = fs::remove_file(path);
        }
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
