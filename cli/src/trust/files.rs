//! The files that the hooks of a project are made of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookgate::HookSpec;
use hookgate::config::base_of;
use hookgate::effects::{Effects, Manifests, PathEffect, Run, Word};
use serde_json::{Value, json};

use super::describe::word;
use super::folder_of_programs::{files_below, matching, run_folder};
use crate::kinds::surroundings;

/// The kinds of handlers whose settings are command lines.
const COMMAND_LINES: [&str; 2] = ["command", "mcp"];

/// The settings that are command lines; of others only the words count.
const KEYS: [&str; 4] = ["shell", "command", "argv", "args"];

/// The settings with variables for a program.
const VARIABLES: [&str; 2] = ["set_env", "env"];

/// Variables with the folder of the project, as agents and shells set them.
const PROJECT: [&str; 8] = [
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "QWEN_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "FACTORY_PROJECT_DIR",
    "CODEBUDDY_PROJECT_DIR",
    "PWD",
];

/// The variable with the folder of the config.
const CONFIG_FOLDER: &str = "HOOKGATE_CONFIG_DIR";

/// What a hook runs, as far as it can be told.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// The files.
    pub(crate) files: BTreeSet<PathBuf>,
    /// What would run that cannot be resolved to a file, as sentences: it could be changed unseen.
    pub(crate) unresolved: Vec<String>,
}

/// Returns the files that a hook names: those that its handler has read or will run, and every file that a word
/// of its command line leads to. What a shell runs cannot be told for sure, so each word counts, unless it is
/// only written to.
pub(crate) fn files_of(hook: &HookSpec, config: &Path, root: &Path) -> Named {
    let declared = hook.files().iter().chain(hook.sources());
    let mut named = Named {
        files: declared.filter_map(|file| std::path::absolute(file).ok()).collect(),
        unresolved: Vec::new(),
    };
    if COMMAND_LINES.contains(&hook.kind()) {
        let base = base_of(config);
        let mut lines = Lines::default();
        lines.collect(hook.settings(), None);
        for (line, is_command) in &lines.texts {
            let line = lines.filled(line, &base, root);
            // A program is started in the folder of the session, which mostly is that of the project.
            let in_base = named_in(&line, &base, root, *is_command);
            let in_root = named_in(&line, root, root, *is_command);
            named.files.extend(in_base.files.into_iter().chain(in_root.files));
            named.unresolved.extend(in_root.unresolved);
        }
    }
    let id = hook.id();
    for problem in &mut named.unresolved {
        *problem = format!("the hook `{id}` {problem}: name the file that it runs by its path");
    }
    named
}

/// The texts of settings that may be command lines.
#[derive(Debug, Default)]
struct Lines {
    /// Each with whether it is one for sure.
    texts: Vec<(String, bool)>,
    variables: BTreeMap<String, String>,
}

impl Lines {
    /// Adds all texts as command lines; a list of texts is one.
    fn collect(&mut self, settings: &Value, key: Option<&str>) {
        let is_command = key.is_none_or(|key| KEYS.contains(&key));
        match settings {
            Value::String(text) => self.texts.push((text.clone(), is_command)),
            Value::Array(words) if words.iter().all(Value::is_string) => {
                let line = words.iter().map(word).collect::<Vec<_>>().join(" ");
                self.texts.push((line, is_command));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, key)),
            Value::Object(keys) if key.is_some_and(|key| VARIABLES.contains(&key)) => {
                let texts = keys.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
                let texts = texts.map(|(name, value)| (name.clone(), value.to_owned()));
                self.variables.extend(texts);
                keys.values().for_each(|value| self.collect(value, Some("")));
            }
            Value::Object(keys) => {
                keys.iter().for_each(|(key, value)| self.collect(value, Some(key)));
            }
            _ => {}
        }
    }

    /// Puts in what is known of the variables of a line: those of the hook, of its agent and of hookgate.
    fn filled(&self, line: &str, base: &Path, root: &Path) -> String {
        let (base, root) = (base.to_string_lossy(), root.to_string_lossy());
        let of_project = PROJECT.iter().map(|name| (*name, root.as_ref()));
        let of_hook = self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let all = of_project.chain([(CONFIG_FOLDER, base.as_ref())]).chain(of_hook);
        all.fold(line.to_owned(), |line, (name, value)| {
            let line = line.replace(&format!("${{{name}}}"), value);
            replace_variable(&line, name, value)
        })
    }
}

/// Replaces `$NAME` where the name ends there.
fn replace_variable(line: &str, name: &str, value: &str) -> String {
    let written = format!("${name}");
    let mut parts = line.split(written.as_str());
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        filled.push_str(if goes_on { &written } else { value });
        filled.push_str(part);
    }
    filled
}

/// Returns what a command line names, if it is run in a folder.
fn named_in(line: &str, folder: &Path, root: &Path, is_command: bool) -> Named {
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
    let files = words.map(|word| file_of(word, folder)).chain(read.iter().cloned());
    let mut named = Named {
        files: files
            .filter(|file| file.is_file() && (!written.contains(file) || read.contains(file)))
            .collect(),
        unresolved: Vec::new(),
    };
    for run in effects.runs.iter().filter(|_| is_command) {
        of_run(run, folder, root, &mut named);
    }
    named
}

/// Adds what one program runs.
fn of_run(run: &Run, folder: &Path, root: &Path, named: &mut Named) {
    let here = run.cwd.as_deref().map_or(folder, Path::new);
    let Some(program) = run.program.known() else {
        named
            .unresolved
            .push(format!("runs `{}`, which is not known before", run.program.written()));
        return;
    };
    if program.contains('/') {
        let program = here.join(&*program);
        named.files.extend(Some(program).filter(|program| program.is_file()));
    }
    if let Some(script) = &run.script {
        of_script(script, here, root, named);
    } else if run.code_from.is_some() {
        named.unresolved.push(format!("lets `{program}` run what another program writes"));
    }
    match run_folder(run, here) {
        Some(Ok(below)) if below.starts_with(root) && below != root => {
            add_folder(&below, &program, named);
        }
        Some(Ok(_)) => {}
        Some(Err(what)) => named.unresolved.push(format!("lets `{program}` run {what}")),
        None => {}
    }
}

/// Adds a script. That of a pattern, or of a search, is any file of its folder.
fn of_script(script: &Word, here: &Path, root: &Path, named: &mut Named) {
    if let Some(known) = script.known() {
        named.files.extend(Some(here.join(&*known)).filter(|file| file.is_file()));
        return;
    }
    let written = script.written();
    let is_search = written.ends_with("{}");
    if !is_search && script.has_unknown() {
        named.unresolved.push(format!("runs `{written}`, which is not known before"));
        return;
    }
    let prefix = here.join(script.known_prefix());
    let is_folder = script.known_prefix().ends_with('/');
    let below = if is_folder { prefix.as_path() } else { prefix.parent().unwrap_or(here) };
    if is_search && below.starts_with(root) && below != root {
        add_folder(below, "find", named);
    } else if is_search {
        named.unresolved.push("runs whatever a search finds in the project".to_owned());
    } else {
        match matching(&here.join(&written)) {
            Some(files) => named.files.extend(files),
            None => {
                named.unresolved.push(format!("runs `{written}`, and its files cannot be listed"))
            }
        }
    }
}

fn add_folder(folder: &Path, program: &str, named: &mut Named) {
    match files_below(folder) {
        Some(files) => named.files.extend(files),
        None => named.unresolved.push(format!(
            "lets `{program}` run files of `{}`, which are too many or cannot be listed",
            folder.display()
        )),
    }
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
