//! Recorded sessions, which lie beside the repository.

use std::path::{Path, PathBuf};

/// The folder of the sessions, or a file in it. Where the folder is absent the test says that it is
/// ignored; in CI (`CI=true`) that is a failure.
pub fn corpus(repository: &Path, name: &str) -> Option<PathBuf> {
    let folder = repository.join("../shared/corpus");
    if folder.is_dir() {
        return Some(folder.join(name));
    }
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!ci, "{} is not there, and CI=true", folder.display());
    eprintln!("ignored: {} is not there", folder.display());
    None
}
