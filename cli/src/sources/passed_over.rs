//! What lies where configs are looked for and has nearly the name of one: nobody reads it, so its guards are not in
//! force, and its author believes that they are.

use std::fmt;
use std::path::{Path, PathBuf};

use super::found::is_found;
use super::{DROP_INS, FILE_NAME, LOCAL, OF_PROJECT, OWN_FOLDER, TEST, is_config};
use crate::terminal::sanitize::line;

/// How names of configs end, and of what people take for one.
const ENDINGS: [&str; 8] = ["toml", "tml", "yaml", "yml", "json", "conf", "cfg", "ini"];

/// What editors and people put behind the name of a copy.
const COPIES: [&str; 6] = ["~", ".bak", ".old", ".orig", ".save", ".swp"];

/// How many entries of a folder are looked at.
const MOST: usize = 1000;

/// A file or folder that is passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassedOver {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What to do about it.
    pub(crate) cure: String,
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = line(&self.path.display().to_string());
        write!(f, "`{path}` is not read, so no hook in it is in force: {}", self.cure)
    }
}

/// Returns what is passed over in the folder of a config that holds nothing else, and in that of its drop-ins.
/// `has_local` tells whether a config of one person is read there.
pub(super) fn beside(config: &Path, has_local: bool) -> Vec<PassedOver> {
    let Some(folder) = config.parent() else { return Vec::new() };
    let is_read = |name: &str| {
        name == FILE_NAME || name == DROP_INS || (has_local && LOCAL.ends_with(&format!("/{name}")))
    };
    // A copy beside the config is no sign of a mistake; alone it is what is left of it.
    let is_alone = !is_found(config);
    let is_copy = |name: &str| {
        let added = name.strip_prefix(FILE_NAME).unwrap_or_default();
        is_alone && COPIES.contains(&added)
    };
    let is_meant = |path: &PathBuf| {
        let name = name_of(path);
        // A folder for scripts may well be called so.
        let is_folder = is_stem(&name.to_lowercase()) && path.is_dir();
        (is_near(&name) || is_copy(&name)) && !is_read(&name) && !is_folder
    };
    let near = entries(folder).into_iter().filter(is_meant);
    let cure = format!("name it `{FILE_NAME}`, or move it to `{DROP_INS}`");
    let mut found: Vec<PassedOver> =
        near.map(|path| PassedOver { path, cure: cure.clone() }).collect();
    let drop_ins = entries(&folder.join(DROP_INS));
    let odd = drop_ins.into_iter().filter(|path| path.is_dir() || !is_config(path));
    found.extend(odd.filter(|path| is_odd(path)).map(|path| {
        let cure = match path.is_dir() {
            true => "move its files to the folder above".to_owned(),
            false => format!("files in `{DROP_INS}` end in `.toml`, `.json` or `.yaml`"),
        };
        PassedOver { path, cure }
    }));
    found
}

/// Returns what is passed over in the folder of a session and in that of its project, where anything may lie: only
/// the names that are meant for nothing else.
pub(super) fn in_project(cwd: &Path, config: Option<&Path>) -> Vec<PassedOver> {
    let of_config = config.and_then(Path::parent);
    let own = of_config.filter(|folder| folder.ends_with(OWN_FOLDER));
    let root = own.map_or(of_config, Path::parent);
    let mut folders = vec![cwd];
    folders.extend(root.filter(|root| *root != cwd));
    let mut found = Vec::new();
    for folder in folders {
        let plain = folder.join(FILE_NAME);
        // Where letter case does not count in names, that very file would be found by the others.
        if is_found(&plain) {
            if config == Some(&folder.join(OF_PROJECT[0])) {
                let cure = format!("`{}` is read instead, so join them", OF_PROJECT[0]);
                found.push(PassedOver { path: plain, cure });
            }
            continue;
        }
        let near =
            ["Hooks.toml", "HOOKS.toml", "HOOKS.TOML", "hooks.TOML", "Hooks.TOML", "hook.toml"];
        let near = near.into_iter().map(|name| folder.join(name)).filter(|path| is_found(path));
        found.extend(near.map(|path| PassedOver { path, cure: format!("name it `{FILE_NAME}`") }));
    }
    found
}

/// Returns the entries of a folder, by their names. A folder that cannot be read is told elsewhere.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Tells whether a name is nearly `hooks.toml`, `hooks.local.toml` or `hooks.d`.
fn is_near(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = without_addition(&name);
    let Some((stem, ending)) = name.rsplit_once('.') else { return is_stem(name) };
    let stem = stem.strip_suffix(".local").unwrap_or(stem);
    let is_config = stem == "config" && ending == "toml";
    is_config || (is_stem(stem) && (ending == "d" || ENDINGS.contains(&ending)))
}

fn is_stem(name: &str) -> bool {
    name == "hooks" || name == "hook"
}

/// Takes off what a program has put behind a name: `hooks.toml.txt`.
fn without_addition(name: &str) -> &str {
    name.strip_suffix(".txt").unwrap_or(name)
}

/// Tells whether what lies among drop-ins and is none may be meant as one. Notes, scripts and what hooks read may lie
/// there, and copies of editors.
fn is_odd(path: &Path) -> bool {
    let name = name_of(path);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if name.starts_with('.') || stem.ends_with(TEST) {
        return false;
    }
    if path.is_dir() {
        // Data for scripts is often in JSON. A folder with the name of a config is told when it is read.
        let is_meant = |path: &PathBuf| is_config(path) && !name_of(path).ends_with(".json");
        return !is_config(path) && entries(path).iter().any(is_meant);
    }
    // A name that an editor has changed: the file is the copy of one, or has lost its own.
    let plain = name.strip_suffix('~').or_else(|| name.strip_suffix(".txt"));
    if let Some(plain) = plain.map(|plain| path.with_file_name(plain)) {
        return is_config(&plain) && !is_found(&plain);
    }
    match path.extension() {
        Some(ending) => ENDINGS.contains(&ending.to_string_lossy().to_lowercase().as_str()),
        None => name.chars().any(char::is_lowercase),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_right_names_are_told_from_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in [
            "hooks.toml",
            "hooks.TOML",
            "Hooks.toml",
            "hook.toml",
            "hooks.yaml",
            "hooks_test.toml",
            "guard.py",
            "hooks.toml.bak",
            "hooks.toml.txt",
            "hooks",
            "config.toml",
            "README.md",
            "policy.rego",
            "notes.txt",
            "hooks.d/a.toml~",
            "hooks.d/lost.toml~",
            "hooks.d/b.toml.txt",
            "hooks.d/b.tml",
            "hooks.d/notes.txt",
            "hooks.local.toml",
            "notes.md",
            "hooks.d/a.toml",
            "hooks.d/guard.TOML",
            "hooks.d/a.YAML",
            "hooks.d/guard.conf",
            "hooks.d/guard",
            "hooks.d/sub/a.yaml",
            "hooks.d/README",
            "hooks.d/a_test.toml",
            "hooks.d/check.sh",
            "hooks.d/data/a.json",
            "hooks.d/.a.swp",
        ] {
            let file = at(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, "").expect("a file");
        }
        let names = |has_local| -> Vec<String> {
            let found = beside(&at("hooks.toml"), has_local);
            let short = |found: &PassedOver| {
                found.path.strip_prefix(folder.path()).expect("below").display().to_string()
            };
            found.iter().map(short).collect()
        };
        let all = [
            "Hooks.toml",
            "config.toml",
            "hook.toml",
            "hooks",
            "hooks.TOML",
            "hooks.local.toml",
            "hooks.toml.txt",
            "hooks.yaml",
            "hooks.d/a.YAML",
            "hooks.d/b.tml",
            "hooks.d/b.toml.txt",
            "hooks.d/guard",
            "hooks.d/guard.TOML",
            "hooks.d/guard.conf",
            "hooks.d/lost.toml~",
            "hooks.d/sub",
        ];
        assert_eq!(names(false), all);
        let without_local: Vec<_> =
            all.iter().filter(|name| **name != "hooks.local.toml").copied().collect();
        assert_eq!(names(true), without_local);
        std::fs::remove_file(at("hooks")).expect("a file");
        std::fs::create_dir(at("hooks")).expect("a folder");
        assert!(!names(false).contains(&"hooks".to_owned()), "a folder for scripts");
        std::fs::remove_file(at("hooks.toml")).expect("a file");
        assert!(names(false).contains(&"hooks.toml.bak".to_owned()), "it is alone");
    }
}
