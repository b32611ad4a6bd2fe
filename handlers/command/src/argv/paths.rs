//! Texts that are paths: which of them name a file beside the config, and where in an argument a
//! path begins.

use std::path::{Component, Path, PathBuf};

/// Returns whether a path means stdin.
pub(super) fn is_stdin(arg: &str) -> bool {
    matches!(arg, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// Returns whether a path is made of `.` and `..` only.
pub(super) fn is_dots(text: &str) -> bool {
    Path::new(text)
        .components()
        .all(|part| matches!(part, Component::CurDir | Component::ParentDir))
}

/// Returns the file of the config's folder that a relative path names.
///
/// A folder counts only if the argument cannot mean anything else: it has a `/`, or it follows an
/// option. A word such as `production` may name a folder by accident.
pub(super) fn beside_config(text: &str, base: &Path, after_option: bool) -> Option<PathBuf> {
    if text.is_empty() || text.starts_with('/') || text.contains("://") || is_dots(text) {
        return None;
    }
    let path = base.join(text);
    let found = path.metadata().ok()?;
    let is_meant = found.is_file() || found.is_dir() && (text.contains('/') || after_option);
    // Without `./` in the middle: the path appears in messages.
    is_meant.then(|| path.components().collect())
}

/// Returns where the value in a word begins: behind `--option=`, `name=` and `-f`.
pub(super) fn value_start(arg: &str) -> usize {
    if let Some((name, _)) = arg.split_once('=')
        && !name.contains(['/', ' '])
    {
        return name.len() + 1;
    }
    let mut letters = arg.chars();
    let is_glued = letters.next() == Some('-')
        && letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.as_str().contains(['/', '.']);
    if is_glued { 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_an_option_begins_behind_its_name() {
        for (arg, value) in [
            ("--config=lib/x.js", "lib/x.js"),
            ("name=a", "a"),
            ("-f./x", "./x"),
            ("-xyz", "-xyz"),
            ("a/b=c", "a/b=c"),
            ("guard.py", "guard.py"),
        ] {
            assert_eq!(arg.get(value_start(arg)..), Some(value), "{arg}");
        }
    }
}
