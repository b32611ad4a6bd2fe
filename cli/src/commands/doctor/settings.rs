//! What an agent reads beside the hooks themselves: switches and variables in its settings of all layers, joined as
//! the agent joins them. What cannot be read is told: what the agent makes of it is not known then.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hookgate::contract::file;
use serde_json::Value;

use super::hooks::FoundHook;
use super::report::Finding;
use crate::agents::switches::{Counts, Position, Switch, VariableDoes, variable_does, variables};
use crate::agents::{Folders, Form, Profile, Scope, json, syntax::Syntax, tables};
use crate::self_protection::is_variable_of_place;

/// Variables that change how programs are found and started: a canary shows what becomes of the hooks.
const OF_PROGRAMS: [&str; 5] = ["PATH", "BASH_ENV", "ENV", "ZDOTDIR", "LD_PRELOAD"];

/// The variable of hookgate that changes nothing but what is logged.
const LOG: &str = "HOOKGATE_LOG";

/// How strong a file is: what a stronger one says counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Defaults,
    User,
    Project,
    Local,
    Machine,
}

/// A file with settings.
#[derive(Debug)]
struct File {
    path: PathBuf,
    rank: Rank,
    content: Value,
}

impl File {
    fn says(&self, switch: &Switch) -> Option<(&Self, &Value)> {
        Some((self, self.content.pointer(switch.pointer)?))
    }
}

/// A variable that an agent sets for its hooks.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    /// Its name.
    pub(super) name: String,
    /// Its value.
    pub(super) value: String,
    file: PathBuf,
}

/// The settings of an agent, the weakest first.
#[derive(Debug, Default)]
pub(super) struct Settings {
    files: Vec<File>,
    env_files: Vec<PathBuf>,
    /// What could not be read.
    unread: Vec<Finding>,
}

impl Settings {
    /// Reads those of an agent; `title` is what people call it. The files with its hooks are settings, too.
    pub(super) fn read(profile: &Profile, title: &str, folders: &Folders) -> Self {
        let mut settings = Self::default();
        let machine =
            profile.settings.machine.iter().map(|path| (PathBuf::from(path), Rank::Machine));
        let mut places: Vec<(PathBuf, Rank)> = machine.collect();
        let mut with_hooks = Vec::new();
        for (scope, rank) in [(Scope::User, Rank::User), (Scope::Project, Rank::Project)] {
            let hooks = folders.hooks(profile, scope).filter(|_| has_settings(profile.form));
            with_hooks.extend(hooks.clone());
            places.extend(hooks.map(|path| (path, rank)));
            places.extend(folders.settings(profile, scope).into_iter().map(|path| (path, rank)));
        }
        for (path, rank) in places {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rank = match rank {
                Rank::Machine if name.contains("defaults") => Rank::Defaults,
                Rank::Project | Rank::User if name.contains(".local.") => Rank::Local,
                rank => rank,
            };
            if name == ".env" {
                settings.env_files.push(path);
            } else if settings.files.iter().all(|file| file.path != path) {
                settings.add(profile, title, &path, rank);
            }
        }
        settings.files.sort_by_key(|file| file.rank);
        // Whoever reads the hooks tells what is wrong there.
        settings
            .unread
            .retain(|finding| !finding.file.iter().any(|file| with_hooks.contains(file)));
        settings
    }

    /// Reads a file, or the files in a folder.
    fn add(&mut self, profile: &Profile, title: &str, path: &Path, rank: Rank) {
        if let Some(entries) = path.read_dir().ok().filter(|_| is_folder(path)) {
            let mut inside: Vec<PathBuf> =
                entries.flatten().map(|entry| entry.path()).filter(|path| !path.is_dir()).collect();
            inside.sort();
            inside.iter().for_each(|path| self.add(profile, title, path, rank));
            return;
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let text = match file::read_text(path, file::LIMIT) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => return self.unread.push(unreadable(title, path, &error.to_string())),
        };
        let content = match ending.as_str() {
            "json" | "jsonc" => {
                json::value(&text, syntax_of(profile.form)).map_err(|e| e.to_string())
            }
            "toml" => {
                tables::table(&text).map(|table| json::to_value(&table)).map_err(|e| e.to_string())
            }
            _ => return,
        };
        match content {
            Ok(content) => self.files.push(File { path: path.to_owned(), rank, content }),
            Err(why) => self.unread.push(unreadable(title, path, &why)),
        }
    }

    /// Returns what the strongest file says that says anything at a place, and that file.
    fn strongest(&self, pointer: &str) -> Option<(&File, &Value)> {
        let mut files = self.files.iter().rev();
        files.find_map(|file| Some((file, file.content.pointer(pointer)?)))
    }

    /// Returns the files that count for a switch, with what they say.
    fn saying(&self, switch: &Switch) -> Vec<(&File, &Value)> {
        let all = self.files.iter().filter_map(|file| file.says(switch));
        match switch.counts {
            Counts::Strongest => self.strongest(switch.pointer).into_iter().collect(),
            Counts::Each => all.collect(),
            Counts::OfMachine => all.filter(|(file, _)| file.rank == Rank::Machine).collect(),
            Counts::ButUser => all.filter(|(file, _)| file.rank != Rank::User).collect(),
        }
    }

    /// Finds what switches the hooks of hookgate off, and what may do so.
    pub(super) fn switches(
        &self,
        profile: &Profile,
        title: &str,
        ours: &[&FoundHook],
    ) -> Vec<Finding> {
        let mut findings = self.unread.clone();
        for switch in Switch::of(profile) {
            let counting = self.saying(switch);
            for (file, value) in self.files.iter().filter_map(|file| file.says(switch)) {
                let is_off = switch.position(value) == Position::Off;
                // What is no value of a switch may make the agent refuse the whole file.
                if !is_off || counting.iter().any(|(other, _)| other.path == file.path) {
                    findings.extend(position(switch, value, title, file));
                }
            }
        }
        if ["gemini", "qwen"].contains(&profile.name) {
            self.files.iter().for_each(|file| findings.extend(disabled(file, ours)));
        }
        findings
    }

    /// Returns the variables that the agent sets for its hooks.
    pub(super) fn variables(&self, profile: &Profile) -> Vec<Variable> {
        let mut variables: Vec<Variable> = Vec::new();
        let mut set = |name: &str, value: &str, file: &Path| {
            variables.retain(|variable| variable.name != name);
            let (name, value, file) = (name.to_owned(), value.to_owned(), file.to_owned());
            variables.push(Variable { name, value, file });
        };
        // An agent reads the nearest file only, and leaves what is set already.
        for path in &self.env_files {
            let Ok(text) = file::read_text(path, file::LIMIT) else { continue };
            for (name, value) in text.lines().filter_map(assignment) {
                if std::env::var_os(name).is_none() {
                    set(name, value, path);
                }
            }
        }
        if profile.name == "claude" {
            for file in &self.files {
                let env = file.content.get("env").and_then(Value::as_object);
                for (name, value) in env.into_iter().flatten() {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    set(name, &text, &file.path);
                }
            }
        }
        variables
    }
}

impl Variable {
    /// Says what a variable does to the hooks, if it switches them off or says where programs, configs or state are.
    pub(super) fn finding(&self, profile: &Profile, title: &str) -> Option<Finding> {
        let Self { name, value, file } = self;
        let is_same = std::env::var_os(name).is_some_and(|now| now == value.as_str());
        let does = variable_does(profile, name, value);
        if does == Some(VariableDoes::SwitchesOff) {
            let about = format!(
                "hooks are switched off by the variable `{name}`: {title} runs none, without a word"
            );
            return Some(Finding::open(about, format!("remove `{name}`")).of(file));
        }
        if is_same || name == LOG || (does.is_none() && !is_variable_of_place(name)) {
            return None;
        }
        let about = format!("{title} sets `{name}` for its hooks");
        let starts_others =
            OF_PROGRAMS.contains(&name.as_str()) || does == Some(VariableDoes::StartsOtherwise);
        let finding = if starts_others {
            Finding::doubt(
                format!("{about}, so other programs may be started than the ones tried here"),
                format!("remove `{name}`, or look at what it leads to"),
            )
        } else if does == Some(VariableDoes::MovesConfigs) {
            Finding::open(
                format!("{about}: it may read other hooks and settings than those shown here"),
                format!("remove `{name}`"),
            )
        } else {
            Finding::open(
                format!(
                    "{about}: they are judged by another policy or state than the one shown here"
                ),
                format!("remove `{name}`"),
            )
        };
        Some(finding.of(file))
    }
}

/// Says what variables of the shell that doctor was started in do to the hooks of an agent that is started there.
pub(super) fn of_shell(profile: &Profile, title: &str) -> Vec<Finding> {
    let set = variables(profile).iter().filter_map(|(name, _)| {
        let value = std::env::var(name).ok()?;
        Some((*name, variable_does(profile, name, &value)?))
    });
    let finding = |(name, does): (&str, VariableDoes)| {
        let cure = format!("`unset {name}`");
        match does {
            VariableDoes::SwitchesOff => Some(Finding::open(
                format!(
                    "`{name}` is set here: {title} runs no hook, without a word, if it is started with it"
                ),
                cure,
            )),
            // The folder that it names is the one that was looked at.
            VariableDoes::MovesConfigs if profile.folder.0 == Some(name) => None,
            VariableDoes::MovesConfigs => Some(Finding::open(
                format!(
                    "`{name}` is set here: {title} may read other hooks and settings than those shown here"
                ),
                cure,
            )),
            VariableDoes::StartsOtherwise => Some(Finding::doubt(
                format!(
                    "`{name}` is set here, so other programs may be started than the ones tried here"
                ),
                cure,
            )),
        }
    };
    set.filter_map(finding).collect()
}

/// Says what a switch does where it stands, unless hooks are called.
fn position(switch: &Switch, value: &Value, title: &str, file: &File) -> Option<Finding> {
    let name = switch.name();
    let (about, cure) = match switch.position(value) {
        Position::On => return None,
        Position::Off => (
            format!("hooks are switched off by `{name}`: {title} runs none, without a word"),
            format!("remove `{name}`"),
        ),
        Position::Unknown => (
            format!(
                "it cannot be told whether {title} calls its hooks: `{name}` is {value}, and not {}",
                switch.values()
            ),
            format!("write {} there, or remove `{name}`", switch.values()),
        ),
    };
    Some(Finding::open(about, cure).of(&file.path))
}

/// Finds the hooks of hookgate that a list of switched off ones has.
fn disabled(file: &File, ours: &[&FoundHook]) -> Vec<Finding> {
    let disabled = file.content.pointer("/hooksConfig/disabled").and_then(Value::as_array);
    let names = disabled.into_iter().flatten().filter_map(Value::as_str);
    let finding = |name: &str| {
        let is_meant = |hook: &&&FoundHook| {
            hook.keys.get("name").and_then(Value::as_str) == Some(name)
                || hook.command() == Some(name)
        };
        let hook = ours.iter().find(is_meant)?;
        let about = format!(
            "the hook of hookgate at {} is switched off by `hooksConfig.disabled`",
            hook.event
        );
        Some(Finding::open(about, format!("take `{name}` out of it")).of(&file.path))
    };
    names.filter_map(finding).collect()
}

/// Tells whether a folder with settings is meant here: such a name has no ending of a file.
fn is_folder(path: &Path) -> bool {
    path.extension().is_none_or(|ending| ending == "d")
}

fn unreadable(title: &str, path: &Path, why: &str) -> Finding {
    let about = format!("it cannot be told whether {title} calls its hooks: {why}");
    Finding::open(about, "make it a regular file that this user can read").of(path)
}

/// Tells whether the file with the hooks of an agent holds other settings as well.
const fn has_settings(form: Form) -> bool {
    matches!(form, Form::Grouped { .. } | Form::Listed { .. })
}

const fn syntax_of(form: Form) -> Syntax {
    match form {
        Form::Grouped { syntax, .. } | Form::Listed { syntax, .. } => syntax,
        Form::Tables | Form::Scripts | Form::Plugin => Syntax::COMMENTS,
    }
}

/// Reads a line of a file with variables: `NAME=value`, also with `export` before and quotes around it.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = value.trim();
    let quoted =
        ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    Some((name.trim(), quoted.unwrap_or(value)))
}
