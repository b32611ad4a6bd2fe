//! Recorded sessions, which are beside the repository.

use std::path::{Path, PathBuf};

use crate::needs;

/// Returns the folder of the sessions, or a file in it. `None` if the folder is absent: then the test
/// is [ignored](needs::ignored).
///
/// # Panics
/// In CI (`CI=true`), if the folder is absent.
pub fn corpus(repository: &Path, name: &str) -> Option<PathBuf> {
    let folder = repository.join("../shared/corpus");
    needs::path(&folder).then(|| folder.join(name))
}
