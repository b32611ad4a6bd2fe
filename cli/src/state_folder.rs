//! Where what this program keeps for its user is.

use std::path::PathBuf;

/// The trusted projects, in the folder of what programs keep.
const TRUST: &str = "hookgate/trust";

/// Returns the folder of what programs keep: `XDG_STATE_HOME`, or else `.local/state` in that of the user.
/// `None` if neither is known.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_STATE_HOME").filter(|folder| folder.is_absolute());
    folder.or_else(|| Some(set("HOME")?.join(".local/state")))
}

/// Returns the folder with the list of projects that the user trusts.
pub(crate) fn trust_folder() -> Option<PathBuf> {
    state_folder().map(|folder| folder.join(TRUST))
}
