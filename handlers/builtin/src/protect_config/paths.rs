//! The paths that a config protects beside its own: what they may begin with, and whether they are there.

use std::path::{Component, Path, PathBuf};

use hookgate_contract::suggest::Suggestion;

/// Reads a path from the folder of the config, `~`, `$config` or `$project`.
///
/// # Errors
/// What is wrong with it, and what to write.
pub(super) fn read(base: &Path, home: Option<&Path>, text: &str) -> Result<PathBuf, String> {
    if text.trim().is_empty() {
        return Err("an empty path would be the folder of the config".to_owned());
    }
    let (start, rest) = text.split_once('/').unwrap_or((text, ""));
    let folder = match start {
        "~" => home.ok_or("`~` is not known here: no home folder is set")?.to_owned(),
        "$config" => base.to_owned(),
        "$project" => project(base).ok_or(
            "`$project` is not known here: no folder above the config has `.git` or `.hookgate`",
        )?,
        _ if start.starts_with('$') => {
            return Err(format!(
                "`{start}` is not replaced here; write the path from the folder of the config, or with `~`, \
                 `$project` or `$config`"
            ));
        }
        _ => base.join(text),
    };
    let whole = match start {
        "~" | "$config" | "$project" => folder.join(rest),
        _ => folder,
    };
    let path = without_dots(&whole);
    let is_there = path.symlink_metadata().is_ok();
    if let Some(glob) =
        text.split('/').position(|name| name.contains(['*', '?', '['])).filter(|_| !is_there)
    {
        let above: Vec<&str> = text.split('/').take(glob).collect();
        let above = match above.join("/") {
            above if above.is_empty() => ".".to_owned(),
            above => above,
        };
        return Err(format!(
            "`{text}` is a glob, and these are paths; a folder protects all that is in it: write `{above}`, or ask \
             by `writes` and `deletes` for patterns"
        ));
    }
    Ok(path)
}

/// Returns what is doubtful about a path as it is written: nothing is there.
pub(super) fn doubt(text: &str, path: &Path) -> Option<String> {
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let beside = path.parent().and_then(|folder| folder.read_dir().ok());
    let names: Vec<String> = beside
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let near = Suggestion::nearest(name, &names);
    Some(format!("`paths`: nothing is at `{text}`, which is {}{near}", path.display()))
}

/// Returns the nearest folder with a repository or hooks, from that of the config upwards.
fn project(base: &Path) -> Option<PathBuf> {
    let is_project =
        |folder: &&Path| [".git", ".hookgate"].iter().any(|name| folder.join(name).exists());
    base.ancestors().find(is_project).map(Path::to_owned)
}

/// Removes `.` and `..`, as the paths of a call have none.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
