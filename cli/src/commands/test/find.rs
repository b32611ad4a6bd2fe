//! The test files of configs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::abort::Abort;
use crate::config::Configs;

/// How the name of a test file ends, before its ending.
const MARK: &str = "_test";

/// The endings of test files.
const ENDINGS: [&str; 4] = ["toml", "yaml", "yml", "json"];

/// The folder beside the config in which test files are looked for, too.
const FOLDER: &str = "tests";

/// Returns the test files: those that are named, those of a folder that is named, or those beside the
/// configs and in the folder `tests` there.
///
/// # Errors
/// A path that is named leads nowhere.
pub(super) fn find(configs: &Configs, named: &[PathBuf]) -> Result<Vec<PathBuf>, Abort> {
    let mut files = Vec::new();
    if named.is_empty() {
        let mut folders = BTreeSet::new();
        for config in configs.files() {
            let beside = config.parent().filter(|folder| !folder.as_os_str().is_empty());
            folders.insert(beside.unwrap_or(Path::new(".")));
        }
        for beside in folders {
            files.extend(in_folder(beside));
            files.extend(in_folder(&beside.join(FOLDER)));
        }
    }
    for path in named {
        match path.metadata() {
            Ok(found) if found.is_dir() => {
                files.extend(in_folder(path));
                files.extend(in_folder(&path.join(FOLDER)));
            }
            Ok(_) => files.push(path.clone()),
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                return Err(
                    Abort::invalid_config(message).help("name a test file, or a folder of them")
                );
            }
        }
    }
    files.dedup();
    Ok(files)
}

/// Returns the test files in a folder by their names; a folder that is not there has none.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| is_test(path)).collect();
    files.sort();
    // `./hooks_test.toml` reads worse than `hooks_test.toml`.
    files
        .into_iter()
        .map(|path| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path))
        .collect()
}

/// Whether a path is that of a test file.
pub(super) fn is_test(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    ENDINGS.contains(&ending) && stem.ends_with(MARK) && path.is_file()
}
