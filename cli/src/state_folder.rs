//! Where what this program keeps for its user is.

use std::path::{Path, PathBuf};

/// The trusted projects, in the folder of what programs keep.
const TRUST: &str = "hookgate/trust";

/// What this program keeps, in the folder of what programs keep.
const OWN: &str = "hookgate";

/// The folder of what programs keep, in that of the user.
const IN_HOME: &str = ".local/state";

/// Returns the folder of what programs keep: `XDG_STATE_HOME`, or else `.local/state` in that of the user.
/// `None` if neither is known.
pub(crate) fn state_folder() -> Option<PathBuf> {
    moved().or_else(|| Some(home()?.join(IN_HOME)))
}

/// Returns the folder of the user, if it is known: Windows seldom sets `HOME`, and knows the folder all the same.
pub(crate) fn home() -> Option<PathBuf> {
    let set = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    if cfg!(windows) { set.or_else(std::env::home_dir) } else { set }
}

/// Returns the folder of what programs keep, if the folder of the user is known.
pub(crate) fn state_folder_of(home: &Path) -> PathBuf {
    moved().unwrap_or_else(|| home.join(IN_HOME))
}

fn moved() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    folder.filter(|folder| folder.is_absolute())
}

/// Returns the folder in which hooks keep what they count and remember of sessions.
pub(crate) fn sessions_folder() -> Option<PathBuf> {
    state_folder().map(|folder| folder.join(OWN))
}

/// Returns the folder with the list of projects that the user trusts.
pub(crate) fn trust_folder() -> Option<PathBuf> {
    state_folder().map(|folder| folder.join(TRUST))
}
