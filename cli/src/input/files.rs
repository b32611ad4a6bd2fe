//! The files that a verb reads steps from: those that are named, and those in folders that are named.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::abort::Abort;

/// How a file of steps in a folder ends.
const EXTENSION: &str = "jsonl";

/// Returns the files in the order in which they are named, `-` for stdin; of a folder all `*.jsonl` in it
/// and in the folders below, in the order of their names. Links to folders are not followed.
///
/// # Errors
/// One is not there or cannot be read, or a folder has no such file.
pub(crate) fn expand(given: &[PathBuf]) -> Result<Vec<PathBuf>, Abort> {
    if given.is_empty() {
        return Ok(vec![PathBuf::from("-")]);
    }
    let mut files = Vec::new();
    for path in given {
        let cannot = |error: io::Error| {
            Abort::file("read", path, &error).help(
                "name a file of envelopes, one JSON object a line, a folder of such files, or `-` for \
                 stdin",
            )
        };
        if path == Path::new("-") {
            files.push(path.clone());
        } else if fs::metadata(path).map_err(cannot)?.is_dir() {
            let before = files.len();
            add_folder(path, &mut files).map_err(cannot)?;
            if files.len() == before {
                let message = format!("there is no *.{EXTENSION} in `{}`", path.display());
                return Err(Abort::failure(message));
            }
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn add_folder(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
    let mut entries = entries?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            add_folder(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file()
        {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns how many bytes files have together, or `None` if that is not known.
pub(crate) fn length(files: &[PathBuf]) -> Option<u64> {
    let sizes = files
        .iter()
        .map(|path| path.metadata().ok().filter(fs::Metadata::is_file).map(|found| found.len()));
    sizes.sum()
}
