//! Programs that put other hooks in force, or fewer, without a word of a file of theirs.

use std::path::Path;

use hookgate::effects::{Effects, PathEffect, Run};

use super::{OWN_NAME, OWN_VARIABLES, is_variable_of_place, own_program};
use crate::agents::PROFILES;
use crate::agents::switches::variable_does;

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

/// Options of agents that leave out hooks or settings, or take them from elsewhere.
const WITHOUT_HOOKS: &[&str] = &[
    "--bare",
    "--safe-mode",
    "--settings",
    "--setting-sources",
    "--dangerously-bypass-hook-trust",
    "--disable-hooks",
    "--no-hooks",
    "--ignore-user-config",
    "--pure",
    "--config-dir",
    "--config-file",
];

/// Options of agents whose value may be about hooks: `-c hooks={}`, `--disable hooks`.
const OF_SETTINGS: &[&str] = &["-c", "--config", "--disable", "--enable"];

/// Words that agents take before one about hooks: `claude config set disableAllHooks true`.
const SETTING_VERBS: &[&str] = &["config", "features", "hooks", "/hooks", "plugin", "plugins"];

/// What these verbs do that changes nothing.
const SHOWING_VERBS: &[&str] = &["list", "ls", "get", "show", "info", "--help", "-h"];

/// Packages of agents, as `npx` and the like start them.
const PACKAGES: &[(&str, &str)] = &[
    ("@anthropic-ai/claude-code", "claude"),
    ("@openai/codex", "codex"),
    ("@google/gemini-cli", "gemini"),
    ("@qwen-code/qwen-code", "qwen"),
    ("@github/copilot", "copilot"),
    ("opencode-ai", "opencode"),
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
        // `export NAME=value`, `tmux setenv -g NAME value`
        let own = |word: &str| {
            let name = word.split('=').next().unwrap_or_default();
            name.starts_with(OWN_VARIABLES).then(|| name.to_owned())
        };
        let name = run.args.iter().find_map(|word| own(word.known_prefix()))?;
        return Some(format!("`{name}` says which hooks are in force, and must not be set"));
    }
    let is_agent = PROFILES.iter().any(|profile| profile.programs.contains(&&*name))
        || is_package_of_agent(&run.program.written());
    is_agent.then(|| agent(run))?
}

/// Tells whether a program is named as a package of an agent: `npx @openai/codex@latest`.
fn is_package_of_agent(program: &str) -> bool {
    PACKAGES.iter().any(|(package, _)| {
        program.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
    })
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
    let does = |name: &str, value: &str| {
        PROFILES.iter().any(|profile| variable_does(profile, name, value).is_some())
    };
    let moved = run.env.iter().find(|(name, value)| {
        (is_variable_of_place(name) && name != "PATH") || does(name, &value.written())
    });
    if let Some((name, _)) = moved {
        return Some(format!("with `{name}` an agent would be started under other hooks"));
    }
    let words: Vec<String> = run.args.iter().map(|word| word.written()).collect();
    if let Some(why) = sets_hooks(&words) {
        return Some(why);
    }
    let option = words.iter().find(|word| {
        let name = word.split('=').next().unwrap_or_default();
        WITHOUT_HOOKS.contains(&name)
    })?;
    Some(format!("with `{option}` an agent would be started under other hooks"))
}

/// Tells whether an agent is told to change its hooks: by an option with a setting, or by a verb of its own.
fn sets_hooks(words: &[String]) -> Option<String> {
    let is_about_hooks = |word: &str| word.to_ascii_lowercase().contains("hooks");
    for pair in words.windows(2) {
        let [option, value] = pair else { continue };
        if OF_SETTINGS.contains(&option.as_str()) && is_about_hooks(value) {
            return Some(format!(
                "with `{option} {value}` an agent would be started under other hooks"
            ));
        }
    }
    let (verb, rest) = words.split_first()?;
    let [act, ..] = rest else { return None };
    let is_of_hooks = SETTING_VERBS.contains(&verb.as_str())
        && !SHOWING_VERBS.contains(&act.as_str())
        && words.iter().any(|word| is_about_hooks(word) || word.contains(OWN_NAME));
    is_of_hooks.then(|| format!("`{verb} {act}` changes the hooks of an agent"))
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
