//! Programs that put other hooks in force, or fewer, without a word of a file of theirs.

use std::path::Path;

use hookgate::effects::{Effects, PathEffect, Run};

use super::{OWN_NAME, OWN_VARIABLES, is_variable_of_place, own_program};
use crate::agents::PROFILES;

/// The verbs of this program that are for its user, and the options with which they only show something.
const VERBS: &[(&str, &[&str])] =
    &[("trust", &["--show", "--diff"]), ("install", &["--dry-run"]), ("init", &[])];

/// An option with which a verb that only shows something does more.
const REVOKE: &str = "--revoke";

/// Programs that stop others.
const KILLERS: &[&str] = &["kill", "pkill", "killall", "skill", "killall5", "fkill", "taskkill"];

/// Programs that set variables for what comes later.
const SETTERS: &[&str] = &[
    "export",
    "declare",
    "typeset",
    "set",
    "setenv",
    "setx",
    "systemctl",
    "launchctl",
    "tmux",
    "dbus-update-activation-environment",
];

/// Options of agents that leave out hooks or settings.
const WITHOUT_HOOKS: &[&str] = &[
    "--bare",
    "--safe-mode",
    "--settings",
    "--setting-sources",
    "--dangerously-bypass-hook-trust",
    "--disable-hooks",
    "--no-hooks",
];

/// Returns why a call would put other hooks in force, or fewer.
pub(crate) fn loosens(effects: &Effects) -> Option<String> {
    effects.runs.iter().find_map(of_run).or_else(|| copies(effects)).or_else(|| reads_key(effects))
}

fn of_run(run: &Run) -> Option<String> {
    let name = run.name()?;
    if is_own(run, &name) {
        return verb(run);
    }
    if KILLERS.contains(&&*name) && run.args.iter().any(|word| word.written().contains(OWN_NAME)) {
        return Some("hookgate guards this session, and must not be stopped".to_owned());
    }
    if SETTERS.contains(&&*name) {
        let is_own = |word: &str| word.starts_with(OWN_VARIABLES) && word.contains('=');
        let set = run.args.iter().find(|word| is_own(word.known_prefix()))?;
        let name = set.known_prefix().split('=').next().unwrap_or_default().to_owned();
        return Some(format!("`{name}` says which hooks are in force, and must not be set"));
    }
    PROFILES.iter().any(|profile| profile.programs.contains(&&*name)).then(|| agent(run))?
}

/// Tells whether a run is one of this program. A path may be a link to it, or a copy.
fn is_own(run: &Run, name: &str) -> bool {
    let path = run.program.known().filter(|program| program.contains('/'));
    let path = path.map(|path| Path::new(run.cwd.as_deref().unwrap_or_default()).join(&*path));
    name == OWN_NAME || path.is_some_and(|path| own_program::is_at(&path))
}

/// Tells whether a verb is for the user to run. A word that is not known may be any verb and any option.
fn verb(run: &Run) -> Option<String> {
    let words: Vec<_> = run.args.iter().map(|word| word.known()).collect();
    let all_known = words.iter().all(Option::is_some) && !run.more_args;
    let is = |text: &str| words.iter().any(|word| word.as_deref() == Some(text));
    let only_shows = |options: &[&str]| {
        all_known && !is(REVOKE) && (options.iter().any(|option| is(option)) || is("--help"))
    };
    let first = words.iter().find(|word| word.as_deref().is_none_or(|word| !word.starts_with('-')));
    let named = match first {
        Some(Some(word)) => VERBS.iter().find(|(verb, _)| *verb == word.as_ref()),
        Some(None) => VERBS.first(),
        None => VERBS.first().filter(|_| run.more_args),
    };
    let (verb, options) = named?;
    (!only_shows(options))
        .then(|| format!("`hookgate {verb}` is for the user of this session to run"))
}

/// Tells whether an agent would be started with other hooks than this one.
fn agent(run: &Run) -> Option<String> {
    let moved = run.env.iter().find(|(name, _)| is_variable_of_place(name) && name != "PATH");
    if let Some((name, _)) = moved {
        return Some(format!("with `{name}` an agent would be started under other hooks"));
    }
    let words = run.args.iter().map(|word| word.written());
    let option = words.into_iter().find(|word| {
        let name = word.split('=').next().unwrap_or_default();
        WITHOUT_HOOKS.contains(&name)
    })?;
    Some(format!("with `{option}` an agent would be started under other hooks"))
}

/// A copy of this program, or a link to it, has another name and the same power.
fn copies(effects: &Effects) -> Option<String> {
    if effects.writes.is_empty() {
        return None;
    }
    let is_own = |effect: &&PathEffect| {
        effect.path.known().is_some_and(|path| {
            let path = Path::new(&*path);
            let is_named = path.file_name().is_some_and(|name| name == OWN_NAME);
            (is_named && path.is_file()) || own_program::is_at(path)
        })
    };
    let copied = effects.reads.iter().find(is_own)?;
    Some(format!(
        "`{}` guards this session, and must not be copied or linked",
        copied.path.written()
    ))
}

/// With the key of the session state anybody can write a state that counts.
fn reads_key(effects: &Effects) -> Option<String> {
    let folder = crate::state_folder::state_folder()?.join(OWN_NAME);
    let is_key = |effect: &&PathEffect| {
        effect.path.known().is_some_and(|path| {
            let path = Path::new(&*path);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.starts_with(&folder) && (effect.below || name.contains("key"))
        })
    };
    let read = effects.reads.iter().find(is_key)?;
    Some(format!("`{}` seals what is known of sessions, and must not be read", read.path.written()))
}
