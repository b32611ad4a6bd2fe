//! Files that are written into a folder, without loss of what is there.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::abort::Abort;

/// A file to be written.
pub(super) struct File {
    /// Its path in the folder.
    pub(super) name: Cow<'static, str>,
    text: Cow<'static, str>,
}

impl File {
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        text: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// What happens if a file is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfThere {
    /// Nothing at all is written: half of the files would be a config without its guard.
    Refuse,
    /// It stays.
    Keep,
    /// It is replaced, and kept under another name.
    Replace,
}

/// What became of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was written.
    Written,
    /// It was there with the same text.
    Same,
    /// It was there with another text, and stays.
    Kept,
    /// It was written, and the old one has another name now.
    Replaced {
        /// Where the old one is.
        backup: PathBuf,
    },
}

/// Writes files into a folder that is there.
pub(super) fn write_all(
    folder: &Path,
    files: &[File],
    if_there: IfThere,
) -> Result<Vec<Outcome>, Abort> {
    if if_there == IfThere::Refuse {
        refuse_existing(folder, files)?;
    }
    files
        .iter()
        .map(|file| {
            let path = folder.join(&*file.name);
            write(&path, &file.text, if_there).map_err(|error| Abort::file("write", &path, &error))
        })
        .collect()
}

fn refuse_existing(folder: &Path, files: &[File]) -> Result<(), Abort> {
    let paths = files.iter().map(|file| folder.join(&*file.name));
    let existing: Vec<_> = paths
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| format!("`{}`", path.display()))
        .collect();
    if existing.is_empty() {
        return Ok(());
    }
    Err(Abort::failure(format!("already there: {}", existing.join(", "))).help(
        "name another folder with --dir, or replace them with --force, which keeps the old ones",
    ))
}

fn write(path: &Path, text: &str, if_there: IfThere) -> io::Result<Outcome> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    if path.symlink_metadata().is_err() {
        // The file may have been created since: then this fails.
        create(path, text)?;
        return Ok(Outcome::Written);
    }
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(Outcome::Same);
    }
    match if_there {
        IfThere::Refuse => Err(io::ErrorKind::AlreadyExists.into()),
        IfThere::Keep => Ok(Outcome::Kept),
        IfThere::Replace => {
            let backup = move_away(path)?;
            create(path, text)?;
            Ok(Outcome::Replaced { backup })
        }
    }
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

/// Gives a file the ending `.bak`, or `.bak.2` and so on if there is such a file. Returns where it is.
fn move_away(path: &Path) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".bak");
        if number > 1 {
            name.push(format!(".{number}"));
        }
        let backup = path.with_file_name(name);
        // A file of our own is taken first, so that the move replaces nobody else's.
        match OpenOptions::new().write(true).create_new(true).open(&backup) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
        if let Err(error) = fs::rename(path, &backup) {
            // It is empty, and ours.
            let _ = fs::remove_file(&backup);
            return Err(error);
        }
        return Ok(backup);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
