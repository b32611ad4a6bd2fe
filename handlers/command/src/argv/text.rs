//! Relative paths in program text: nobody can tell for certain, so they are warned of.

use std::path::Path;

/// What scripts are called.
const EXTENSIONS: &[&str] = &[
    "awk", "bash", "cjs", "jq", "js", "ksh", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "rb",
    "rego", "sh", "ts", "zsh",
];

/// Whether a path is called like a script, or was written like a path.
pub(super) fn is_script_name(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// The first word of a text that is a relative path to a script, or to a file beside the config.
pub(crate) fn relative_path(text: &str, base: &Path) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || "\"'`;|&()<>{}=,:".contains(c);
    let mut before = "";
    for word in text.split(ends).filter(|word| !word.is_empty()) {
        let path = Path::new(word);
        let sourced = (before == "." || before == "source") && base.join(word).is_file();
        before = word;
        if word.starts_with(['/', '$', '~', '-', '*', '#']) || word.contains('$') {
            continue;
        }
        let written = word.starts_with("./") && word.len() > 2
            || word.starts_with("../") && !super::names::is_dots(word);
        let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
        let named = is_script_name(path) && !word.starts_with('.') && word.chars().all(is_plain);
        let beside = !super::names::is_dots(word) && base.join(word).is_file();
        if sourced || written || named || beside {
            return Some(word.to_owned());
        }
    }
    None
}

/// What to do about such a path.
pub(crate) fn warning(what: &str, path: &str) -> String {
    let bare = path.trim_start_matches("./");
    format!(
        "`{what}` names `{path}`, which means the folder of the session: write \
         `$HOOKGATE_CONFIG_DIR/{bare}` for the one beside the config"
    )
}
