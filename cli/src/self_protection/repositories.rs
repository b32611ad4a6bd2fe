//! Repositories that hold the configs of a user: what git checks out there, puts other hooks in force.

use std::path::{Path, PathBuf};

use hookgate::effects::{Effects, GitPlace, Run};

use super::places;

/// The commands of git that write, replace or remove files which are checked out.
const CHANGE_FILES: &[&str] = &[
    "checkout",
    "switch",
    "restore",
    "reset",
    "stash",
    "pull",
    "merge",
    "rebase",
    "cherry-pick",
    "revert",
    "clean",
    "apply",
    "am",
    "read-tree",
    "checkout-index",
];

/// Returns the folders of repositories in which a call changes files, and below which a protected place of the user
/// lies: `git -C ~ stash`. The repository of a project has none.
pub(crate) fn changed(effects: &Effects) -> Vec<PathBuf> {
    let of_git = effects.runs.iter().filter(|run| run.name().as_deref() == Some("git"));
    let roots = of_git.filter(|run| changes_files(run)).filter_map(root);
    roots.filter(|root| places().iter().any(|place| place.starts_with(root))).collect()
}

fn changes_files(run: &Run) -> bool {
    run.args.iter().any(|word| CHANGE_FILES.contains(&word.written().as_str()))
}

/// Returns the folder in which the files of a repository are checked out.
fn root(run: &Run) -> Option<PathBuf> {
    let folder = GitPlace::of(run).folder?;
    let root = Path::new(&folder).ancestors().find(|folder| folder.join(".git").exists())?;
    Some(root.to_owned())
}
