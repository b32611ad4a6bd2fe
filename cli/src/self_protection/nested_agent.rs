//! An agent that a line starts: under the hooks that are in force, or under others.

use hookgate::effects::Run;

use super::{OWN_NAME, is_variable_of_place};
use crate::agents::PROFILES;
use crate::agents::switches::variable_does;

/// Commands of a shell that set variables for what comes later in the line.
pub(super) const EXPORTERS: &[&str] = &["export", "declare", "typeset", "set", "setenv"];

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

/// Returns why an agent would be started under other hooks than this session.
pub(super) fn other_hooks(runs: &[Run]) -> Option<String> {
    // What the line has set or taken away before.
    let mut changed: Option<String> = None;
    for run in runs {
        let Some(name) = run.name() else { continue };
        if is_agent(run, &name) {
            let cleared = run.via.iter().any(|name| name == "env").then(|| cleared(runs)).flatten();
            let clock = run.via.iter().find(|name| *name == "faketime").cloned();
            let path = run.renamed.then(|| "PATH".to_owned());
            let changed = changed.clone().or(cleared).or(clock).or(path);
            let why = changed.map(|with| {
                format!("with another `{with}` an agent would be started under other hooks")
            });
            if let Some(why) = agent(run).or(why) {
                return Some(why);
            }
        }
        let mut words = run.args.iter().map(|word| word.known_prefix());
        let of_place = |word: &str| {
            let name = word.split('=').next().unwrap_or_default();
            // Whether `PATH` is changed in a way that counts, the run of the agent says.
            (name != "PATH" && decides(name, word.split('=').nth(1).unwrap_or_default()))
                .then(|| name.to_owned())
        };
        if EXPORTERS.contains(&&*name) || name == "unset" {
            changed = changed.or_else(|| words.find_map(of_place));
        }
    }
    None
}

/// Whether a variable decides which hooks an agent is started with.
fn decides(name: &str, value: &str) -> bool {
    is_variable_of_place(name)
        || PROFILES.iter().any(|profile| variable_does(profile, name, value).is_some())
}

/// What `env` takes away: `env -i`, `env -u HOME`.
fn cleared(runs: &[Run]) -> Option<String> {
    let of_env = runs.iter().filter(|run| run.name().as_deref() == Some("env"));
    of_env.flat_map(|run| run.args.windows(2)).find_map(|pair| {
        let [option, value] = pair else { return None };
        let (option, value) = (option.written(), value.written());
        let name = match option.as_str() {
            "-i" | "-" | "--ignore-environment" => return Some("environment".to_owned()),
            "-u" | "--unset" => value,
            _ => option.strip_prefix("--unset=").or_else(|| option.strip_prefix("-u"))?.to_owned(),
        };
        is_variable_of_place(&name).then_some(name)
    })
}

fn is_agent(run: &Run, name: &str) -> bool {
    PROFILES.iter().any(|profile| profile.programs.contains(&name))
        || is_package_of_agent(&run.program.written())
}

/// Tells whether a program is named as a package of an agent: `npx @openai/codex@latest`.
fn is_package_of_agent(program: &str) -> bool {
    PACKAGES.iter().any(|(package, _)| {
        program.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
    })
}

/// Tells whether the words and variables of one run start an agent with other hooks.
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
