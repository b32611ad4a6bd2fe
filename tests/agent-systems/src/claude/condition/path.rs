//! Rules about files: patterns as in `.gitignore`, from a folder that the pattern itself chooses.

use std::path::{Component, Path, PathBuf};

use regex::Regex;

use crate::foreign::{ForeignHook, Host};

/// Tells whether a rule is about a file. Relative paths, and rules that begin nowhere, begin in `cwd`.
pub(super) fn holds(
    rule: &str,
    file: &str,
    (hook, host, cwd): (&ForeignHook, &Host, &Path),
) -> bool {
    let home = || PathBuf::from(host.var("HOME").unwrap_or_default());
    let (base, pattern, is_anchored) = if let Some(rest) = rule.strip_prefix("//") {
        (PathBuf::from("/"), rest, true)
    } else if let Some(rest) = rule.strip_prefix("~/") {
        (home(), rest, true)
    } else if let Some(rest) = rule.strip_prefix('/') {
        (source_folder(hook, host), rest, true)
    } else if let Some(rest) = rule.strip_prefix("./") {
        (cwd.to_owned(), rest, true)
    } else {
        (cwd.to_owned(), rule, false)
    };
    let file = match file.strip_prefix("~/") {
        Some(rest) => home().join(rest),
        None => cwd.join(file),
    };
    let (file, base) = (normal(&file), normal(&base));
    let Ok(relative) = file.strip_prefix(&base) else { return false };
    is_like(pattern, &relative.to_string_lossy(), is_anchored)
}

/// Returns the folder from which rules of a settings file begin with `/`.
fn source_folder(hook: &ForeignHook, host: &Host) -> PathBuf {
    match hook.layer.as_str() {
        "project" | "local" | "cli" => host.project.clone(),
        _ => Path::new(&hook.file).parent().map_or_else(PathBuf::new, Path::to_owned),
    }
}

/// Resolves `.` and `..` without looking at the disk.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Compares a path with a pattern of `.gitignore`. A pattern that is no regex after all is about
/// everything: then the hook runs.
fn is_like(pattern: &str, path: &str, is_anchored: bool) -> bool {
    let (pattern, is_folder) = match pattern.strip_suffix('/') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    // A slash inside ties a pattern to its folder; without one it is about a name, at any depth.
    let start = if is_anchored || pattern.contains('/') { "^" } else { "^(?:.*/)?" };
    let end = if is_folder { "/.*$" } else { "(?:/.*)?$" };
    let regex = format!("(?s){start}{}{end}", to_regex(pattern));
    Regex::new(&regex).map_or(true, |regex| regex.is_match(path))
}

fn to_regex(pattern: &str) -> String {
    let mut regex = String::new();
    let mut rest = pattern;
    while let Some(sign) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            regex.push_str("(?:.*/)?");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**") {
            regex.push_str(".*");
            rest = after;
        } else if let Some((class, after)) = class(rest) {
            regex.push_str(&class);
            rest = after;
        } else {
            match sign {
                '*' => regex.push_str("[^/]*"),
                '?' => regex.push_str("[^/]"),
                sign => regex.push_str(&regex::escape(&sign.to_string())),
            }
            rest = rest.get(sign.len_utf8()..).unwrap_or_default();
        }
    }
    regex
}

/// Takes a class of signs, such as `[!a-z]`.
fn class(text: &str) -> Option<(String, &str)> {
    let (signs, after) = text.strip_prefix('[')?.split_once(']')?;
    let (not, signs) = match signs.strip_prefix(['!', '^']) {
        Some(signs) => ("^", signs),
        None => ("", signs),
    };
    let is_plain = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let is_class = !signs.is_empty() && signs.chars().all(is_plain);
    is_class.then(|| (format!("[{not}{signs}]"), after))
}
