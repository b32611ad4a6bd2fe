//! The text of a config, as it is on disk.

use std::path::{Path, PathBuf};

use hookgate_contract::file;

use super::error::{ConfigError, ConfigErrors};
use super::problem::ConfigProblem;
use super::source::Source;

/// Reads the text of a config.
///
/// # Errors
/// The file cannot be read, is too large, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, ConfigErrors> {
    let name = path.display().to_string();
    let wrong = |text: &str, at, problem| {
        let error = ConfigError::new(&Source::new(&name, text), at..at, problem);
        ConfigErrors::new(vec![error])
    };
    let bytes = file::read(path, file::LIMIT)
        .map_err(|error| wrong("", 0, ConfigProblem::Read(error.kind(), error.to_string())))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        wrong(&String::from_utf8_lossy(error.as_bytes()), at, ConfigProblem::Utf8)
    })
}

/// Returns the folder at which relative paths in a config begin. It is absolute, so that nothing depends
/// on the current folder of the process later.
#[must_use]
pub fn base_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let base = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    base.canonicalize().unwrap_or(base)
}
