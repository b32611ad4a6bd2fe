//! The change of one file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hookgate::contract::file;

use super::record::Record;
use crate::abort::Abort;
use crate::replace_file::replace;
use crate::terminal::stderr;

/// What happens to one file.
#[derive(Debug)]
pub(super) struct Change {
    /// The file itself, not a link to it.
    pub(super) path: PathBuf,
    /// Its text now; `None` if it is not there.
    pub(super) before: Option<String>,
    /// Its text then; `None` if it goes.
    pub(super) after: Option<String>,
    /// Whether it is a program.
    pub(super) executable: bool,
    /// What is remembered of it; `None` if it is to be forgotten.
    pub(super) record: Option<Record>,
    /// Folders that go with it if they are empty, the outermost first.
    pub(super) folders: Vec<PathBuf>,
}

impl Change {
    /// Leaves a file with this text as it is.
    pub(super) fn none(path: PathBuf, text: String) -> Self {
        let (before, after) = (Some(text.clone()), Some(text));
        Self { path, before, after, executable: false, record: None, folders: Vec::new() }
    }

    /// Tells whether the file stays as it is.
    pub(super) fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// Makes the change, unless the file has changed since it was looked at.
    pub(super) fn make(&self, state: &Path) -> Result<(), Abort> {
        let path = &self.path;
        if self.is_nothing() {
            return Ok(());
        }
        if read(path).map_err(|error| Abort::file("read", path, &error))? != self.before {
            return Err(Abort::failure(format!("`{}` has changed meanwhile", path.display()))
                .help("do it again"));
        }
        // What is not remembered could not be undone, so that comes first.
        let made = missing_folders(path);
        let remembered = match &self.record {
            Some(record) => {
                let mut record = record.clone();
                record.folders.extend(made);
                record.write(state)
            }
            None => Ok(()),
        };
        remembered.map_err(|error| {
            Abort::failure(format!("cannot remember what is installed: {error}"))
                .help("set XDG_STATE_HOME to a folder that can be written to")
        })?;
        match &self.after {
            Some(text) => {
                // The system takes away what the user's mask says.
                if fs::metadata(path).is_ok_and(|found| found.permissions().readonly()) {
                    let path = path.display();
                    stderr::warning(&format!("`{path}` is read-only: it is changed, and stays so"));
                }
                let mode = if self.executable { 0o777 } else { 0o666 };
                replace(path, text, mode).map_err(|error| Abort::file("write", path, &error))?;
            }
            None => fs::remove_file(path).map_err(|error| Abort::file("remove", path, &error))?,
        }
        if self.record.is_none() {
            Record::forget(state, path).map_err(|error| Abort::file("forget", path, &error))?;
        }
        Ok(())
    }
}

/// Removes the folders that were made for files that are gone now.
pub(super) fn remove_folders(changes: &[Change]) {
    let gone = changes.iter().filter(|change| change.after.is_none());
    let mut folders: Vec<&PathBuf> = gone.flat_map(|change| &change.folders).collect();
    folders.sort_unstable();
    for folder in folders.into_iter().rev() {
        // One with something in it stays.
        let _ = fs::remove_dir(folder);
    }
}

/// Reads a file. `None` if it is not there.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    match file::read_text(path, file::LIMIT) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the folders of a path that are not there, the outermost first.
fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = |folder: &&Path| folder.symlink_metadata().is_err();
    let mut folders: Vec<PathBuf> =
        path.ancestors().skip(1).take_while(missing).map(Path::to_owned).collect();
    folders.reverse();
    folders
}
