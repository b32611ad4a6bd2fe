//! Recorded sessions, which lie beside the repository.

use std::path::{Path, PathBuf};

use crate::needs;

/// The folder of the sessions, or a file in it. Where the folder is absent the test says that it is
/// ignored; in CI (`CI=true`) that is a failure.
pub fn corpus(repository: &Path, name: &str) -> Option<PathBuf> {
    let folder = repository.join("../shared/corpus");
    needs::path(&folder).then(|| folder.join(name))
}
