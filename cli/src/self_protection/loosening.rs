//! Programs that put other hooks in force, or fewer, without a word of a file of theirs.

use std::path::Path;

use hookgate::effects::{Effects, PathEffect, Run};

use super::{OWN_NAME, OWN_VARIABLES, is_variable_of_place, nested_agent, own_program};

/// The verbs of this program that are for its user, and the options with which they only show something.
const VERBS: &[(&str, &[&str])] = &[
    ("trust", &["--show", "--diff"]),
    ("install", &["--dry-run"]),
    ("init", &[]),
    ("promote", &[]),
    // It brings files back as they were, those of hooks, too.
    ("snapshot", &[]),
    // Who reads what it prints can answer questions as the user.
    ("ui", &[]),
];

/// The verb that shows questions, and its words that answer them as the user.
const QUESTIONS: (&str, [&str; 2]) = ("approvals", ["approve", "reject"]);

/// An option with which a verb that only shows something does more.
const REVOKE: &str = "--revoke";

/// Programs that stop others.
const KILLERS: &[&str] =
    &["kill", "pkill", "killall", "skill", "killall5", "fkill", "taskkill", "fuser"];

/// Programs that set variables for what is started later, outside of the line.
const SETTERS: &[&str] =
    &["setx", "systemctl", "launchctl", "tmux", "dbus-update-activation-environment"];

/// Programs that type for the user, and the verb with which they do.
const TYPISTS: &[(&str, &str)] = &[
    ("xdotool", "type"),
    ("ydotool", "type"),
    ("dotool", ""),
    ("wtype", ""),
    ("osascript", ""),
    ("kitty", "send-text"),
    ("kitten", "send-text"),
    ("wezterm", "send-text"),
    ("screen", "stuff"),
    ("tmux", "send"),
    ("tmux", "send-keys"),
];

/// Programs that set the clock, and the words with which they do.
const CLOCKS: &[(&str, &[&str])] = &[
    ("date", &["-s", "--set"]),
    ("timedatectl", &["set-time", "set-ntp"]),
    ("hwclock", &["-s", "--hctosys", "--set"]),
    ("chronyc", &["settime", "makestep"]),
];

/// Programs that put programs into a system, and take them away.
const MANAGERS: &[&str] = &[
    "cargo", "brew", "apt", "apt-get", "aptitude", "dpkg", "dnf", "yum", "rpm", "zypper", "apk",
    "pacman", "snap", "flatpak", "nix-env", "port", "choco", "winget", "scoop", "pkg", "pip",
    "pip3", "pipx", "uv", "npm", "mise", "asdf",
];

/// The verbs with which they do.
const INSTALLS: &[&str] = &[
    "install",
    "uninstall",
    "reinstall",
    "binstall",
    "remove",
    "rm",
    "purge",
    "upgrade",
    "unlink",
    "link",
    "erase",
    "del",
    "autoremove",
    "-R",
    "-Rs",
    "-Rns",
    "-S",
    "-U",
    "-e",
    "-i",
    "-r",
];

/// Returns why a call would put other hooks in force, or fewer.
pub(crate) fn loosens(effects: &Effects) -> Option<String> {
    let of_runs = effects.runs.iter().find_map(of_run);
    of_runs
        .or_else(|| nested_agent::other_hooks(&effects.runs))
        .or_else(|| copies(effects))
        .or_else(|| reads_key(effects))
}

fn of_run(run: &Run) -> Option<String> {
    let name = run.name()?;
    if is_own(run, &name) {
        return verb(run);
    }
    let has =
        |is_meant: &dyn Fn(&str) -> bool| run.args.iter().any(|word| is_meant(&word.written()));
    let is_of_daemon = |word: &str| word.contains("hook") && word.contains("daemon");
    if KILLERS.contains(&&*name) && has(&|word| word.contains(OWN_NAME) || is_of_daemon(word)) {
        return Some("hookgate guards this session, and must not be stopped".to_owned());
    }
    let types = |(program, verb): &(&str, &str)| {
        *program == &*name && (verb.is_empty() || has(&|word| word == *verb))
    };
    if has(&|word| word.contains(OWN_NAME)) && TYPISTS.iter().any(types) {
        return Some(format!("`{name}` would type for the user of this session"));
    }
    let sets_clock = |(program, words): &(&str, &[&str])| {
        *program == &*name && has(&|word| words.iter().any(|set| starts_option(word, set)))
    };
    if CLOCKS.iter().any(sets_clock) {
        return Some("the clock says which hooks are in force, and must not be set".to_owned());
    }
    let is_install = || has(&|word| INSTALLS.contains(&word)) && has(&is_own_package);
    if MANAGERS.contains(&&*name) && is_install() {
        return Some(format!(
            "`{name}` would replace hookgate, which guards this session, or remove it"
        ));
    }
    // `export NAME=value`, `tmux setenv -g NAME value`
    let is_outside = SETTERS.contains(&&*name);
    if is_outside || nested_agent::EXPORTERS.contains(&&*name) {
        let decides = |word: &str| {
            let name = word.split('=').next().unwrap_or_default();
            let is_meant =
                name.starts_with(OWN_VARIABLES) || is_outside && is_variable_of_place(name);
            is_meant.then(|| name.to_owned())
        };
        let name = run.args.iter().find_map(|word| decides(word.known_prefix()))?;
        return Some(format!("`{name}` says which hooks are in force, and must not be set"));
    }
    None
}

/// Whether a word is an option, or one with its value: `--set=…`, `-s…`.
fn starts_option(word: &str, option: &str) -> bool {
    word == option || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
}

/// Whether a word names a package of this program: `hookgate@1`, `hookgate-cli`.
fn is_own_package(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    name.strip_prefix(OWN_NAME)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', '=']))
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
    if first.is_some_and(|word| word.as_deref() == Some(QUESTIONS.0))
        && (!all_known || QUESTIONS.1.iter().any(|word| is(word)))
        && !is("--help")
    {
        return Some("questions are for the user of this session to answer".to_owned());
    }
    let named = match first {
        Some(Some(word)) => VERBS.iter().find(|(verb, _)| *verb == word.as_ref()),
        Some(None) => VERBS.first(),
        None => VERBS.first().filter(|_| run.more_args),
    };
    let (verb, options) = named?;
    (!only_shows(options))
        .then(|| format!("`hookgate {verb}` is for the user of this session to run"))
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
