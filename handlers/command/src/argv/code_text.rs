//! Relative paths in program text, as in `bash -c '. ./guard.sh'`.
//!
//! Only a parser for each language could tell for certain what a text opens, so a path that is found
//! here is a warning and never an error. The search takes words between white space, quotes and
//! operators, and reports the first that looks like a path to a script or names a file beside the
//! config.

use std::path::{Path, PathBuf};

use super::paths::is_dots;
use crate::program::is_executable;

/// Endings of the names of scripts.
const EXTENSIONS: &str = "awk bash cjs jq js ksh lua mjs mts php pl ps1 py rb rego sh ts zsh";

/// How a text begins that names a file beside the config.
const CONFIG_FOLDER: [&str; 2] = ["$HOOKGATE_CONFIG_DIR/", "${HOOKGATE_CONFIG_DIR}/"];

/// Returns whether a path has the ending of a script.
pub(super) fn is_script_name(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| EXTENSIONS.split(' ').any(|known| known == extension))
}

/// Returns the first word of a text that is a relative path to a script, or to a file beside the
/// config.
pub(crate) fn relative_path(text: &str, base: &Path) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || "\"'`;|&()<>{}=,:".contains(c);
    let mut before = "";
    for word in text.split(ends).filter(|word| !word.is_empty()) {
        let path = Path::new(word);
        let is_sourced = (before == "." || before == "source") && base.join(word).is_file();
        before = word;
        if word.starts_with(['/', '$', '~', '-', '*', '#']) || word.contains('$') {
            continue;
        }
        let is_written_as_path =
            word.starts_with("./") && word.len() > 2 || word.starts_with("../") && !is_dots(word);
        let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
        let is_script =
            is_script_name(path) && !word.starts_with('.') && word.chars().all(is_plain);
        let is_beside = !is_dots(word) && base.join(word).is_file();
        if is_sourced || is_written_as_path || is_script || is_beside {
            return Some(word.to_owned());
        }
    }
    None
}

/// Returns the scripts that a text names from the folder of the config (`"$HOOKGATE_CONFIG_DIR"/guard.sh`, or `./guard.sh` if
/// it changes to that folder), or by an absolute path. They are a part of the hook, as those that are words of their own.
pub(crate) fn named_scripts(text: &str, base: &Path) -> Vec<PathBuf> {
    let ends = |c: char| c.is_whitespace() || "`;|&()<>=,:".contains(c);
    // A quote may end within a word.
    let text = text.replace(['"', '\''], "");
    let changes_to_it =
        text.contains("cd $HOOKGATE_CONFIG_DIR") || text.contains("cd ${HOOKGATE_CONFIG_DIR}");
    let mut found = Vec::new();
    for word in text.split(ends) {
        let beside = CONFIG_FOLDER.iter().find_map(|folder| word.strip_prefix(folder));
        let path = match beside {
            Some(rest) => base.join(rest),
            None if word.starts_with('/') => PathBuf::from(word),
            None if changes_to_it && !word.is_empty() => base.join(word),
            None => continue,
        };
        // What a text writes to, such as a log, is no part of the hook.
        let is_part = is_script_name(&path) || path.starts_with(base) && is_executable(&path);
        let path: PathBuf = path.components().collect();
        if is_part && path.is_file() && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// Says what to write instead of such a path.
pub(crate) fn relative_path_warning(what: &str, path: &str) -> String {
    let bare = path.trim_start_matches("./");
    format!(
        "`{what}` names `{path}`, which means the folder of the session: write \
         `$HOOKGATE_CONFIG_DIR/{bare}` for the one beside the config"
    )
}
