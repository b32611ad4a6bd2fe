//! The program of hookgate, under whatever name.

use std::env;
use std::path::{Path, PathBuf};

use super::OWN_NAME;

/// The programs that a hook of an agent is started with: who puts another one before them in the `PATH` answers for
/// hookgate.
const STARTED: [&str; 3] = [OWN_NAME, "hookgate-call", "timeout"];

/// Returns where the program is, and where one of its name would be found before it.
pub(super) fn places() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    let named = folders.flat_map(|folder| STARTED.map(|name| folder.join(name)));
    named.chain(env::current_exe()).collect()
}

/// Tells whether a path is this program, a link to it or a copy of it.
pub(super) fn is_at(path: &Path) -> bool {
    let (Ok(own), Ok(other)) = (env::current_exe(), path.canonicalize()) else { return false };
    if own.canonicalize().is_ok_and(|own| own == other) {
        return true;
    }
    let length = |path: &Path| path.metadata().map(|found| found.len()).ok();
    length(&own).is_some() && length(&own) == length(&other)
}
