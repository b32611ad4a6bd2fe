//! What is checked out: the `HEAD` of a repository.

use std::fs;
use std::path::Path;

use hookgate_contract::{Head, file};

/// How long a `HEAD` may be.
const LIMIT: u64 = 4 << 10;

/// The folder in which refs of branches are.
pub(crate) const BRANCHES: &str = "refs/heads/";

/// Reads the `HEAD` in the folder of a repository's files.
pub(super) fn read(git_dir: &Path) -> Head {
    let path = git_dir.join("HEAD");
    // Old versions of git made HEAD a link to the file of the branch.
    if let Ok(target) = fs::read_link(&path)
        && let Some(name) = target.to_str().and_then(|target| target.strip_prefix(BRANCHES))
    {
        return Head::Branch(name.to_owned());
    }
    let text = match file::read_text(&path, LIMIT) {
        Ok(text) => text,
        Err(error) => {
            return Head::Unreadable(format!("{} cannot be read: {error}", path.display()));
        }
    };
    let text = text.trim_end();
    let Some(name) = text.strip_prefix("ref:").map(str::trim) else {
        let is_commit =
            matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
        return match is_commit {
            true => Head::Detached(text.chars().take(12).collect()),
            false => Head::Unreadable(format!("{} is neither a ref nor a commit", path.display())),
        };
    };
    match name.strip_prefix(BRANCHES) {
        // What stands in HEAD when the refs are in a table in another format.
        Some(".invalid") => {
            Head::Unreadable(format!("{} keeps its refs in a table (reftable)", git_dir.display()))
        }
        Some(branch) if !branch.is_empty() => Head::Branch(branch.to_owned()),
        _ => Head::Detached(name.to_owned()),
    }
}
