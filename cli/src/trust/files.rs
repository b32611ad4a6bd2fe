//! The files that the hooks of a project are made of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookgate::HookSpec;
use hookgate::config::base_of;
use hookgate::effects::{Effects, Manifests, PathEffect};
use serde_json::{Value, json};

use super::describe::word;
use crate::kinds::surroundings;

/// The kinds of handlers whose settings are command lines.
const COMMAND_LINES: [&str; 2] = ["command", "mcp"];

/// Returns the files that a hook names: those that its handler has read or will run, and every file that a word
/// of its command line leads to. What a shell runs cannot be told for sure, so each word counts, unless it is
/// only written to.
pub(crate) fn files_of(hook: &HookSpec, config: &Path, root: &Path) -> BTreeSet<PathBuf> {
    let declared = hook.files().iter().chain(hook.sources());
    let mut files: BTreeSet<PathBuf> =
        declared.filter_map(|file| std::path::absolute(file).ok()).collect();
    if COMMAND_LINES.contains(&hook.kind()) {
        let base = base_of(config);
        let mut lines = Vec::new();
        collect_lines(hook.settings(), &mut lines);
        for line in &lines {
            files.extend(named_in(line, &base));
            files.extend(named_in(line, root));
        }
    }
    files
}

/// Adds all texts as command lines; a list of texts is one.
fn collect_lines(settings: &Value, lines: &mut Vec<String>) {
    match settings {
        Value::String(text) => lines.push(text.clone()),
        Value::Array(words) if words.iter().all(Value::is_string) => {
            lines.push(words.iter().map(word).collect::<Vec<_>>().join(" "));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_lines(item, lines)),
        Value::Object(keys) => keys.values().for_each(|value| collect_lines(value, lines)),
        _ => {}
    }
}

/// Returns the files that the words of a command line lead to, if it is run in a folder.
fn named_in(line: &str, folder: &Path) -> BTreeSet<PathBuf> {
    let around = surroundings(folder.to_str());
    let input = json!({"command": line});
    let effects = Effects::of_call("Bash", &input, &around, &Manifests::default());
    let known = |effect: &PathEffect| Some(PathBuf::from(effect.path.known()?.as_ref()));
    let written: BTreeSet<PathBuf> =
        effects.writes.iter().chain(&effects.deletes).filter_map(known).collect();
    let read: BTreeSet<PathBuf> = effects.reads.iter().filter_map(known).collect();
    // Quotes and operators end a word.
    let is_end = |c: char| c.is_whitespace() || "'\"`;|&()<>=,:".contains(c);
    let words = line.split(is_end).filter(|word| !word.is_empty());
    let files = words.map(|word| file_of(word, folder));
    files
        .filter(|file| file.is_file() && (!written.contains(file) || read.contains(file)))
        .collect()
}

/// Returns the file that a word may mean.
fn file_of(word: &str, folder: &Path) -> PathBuf {
    let path = match word.split_once('/') {
        Some(("~", rest)) => std::env::home_dir().unwrap_or_default().join(rest),
        // A variable before it is mostly the folder of the project.
        Some((variable, rest)) if variable.starts_with('$') => folder.join(rest),
        _ => folder.join(word),
    };
    // Without `.` in the middle, as the paths of effects.
    path.components().collect()
}
