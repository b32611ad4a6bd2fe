//! The process of a hook: its words with their places filled in, its environment, its folder.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::foreign::{Action, CommandForm, ForeignHook, Host, Process};

/// The events whose hooks may set variables for the commands of the agent.
const WITH_ENV_FILE: [&str; 4] = ["SessionStart", "Setup", "CwdChanged", "FileChanged"];

/// A place that stands for an option of a plugin.
const OPTION: &str = "user_config.";

/// Variables of the telemetry of the agent, which hooks do not see.
const TELEMETRY: &str = "OTEL_";

/// Returns the process of a hook.
///
/// # Errors
/// Why it cannot be started, in words.
pub(super) fn of(
    hook: &ForeignHook,
    input: &Map<String, Value>,
    host: &Host,
) -> Result<Process, String> {
    let Action::Command { form, env, cwd } = &hook.action else {
        return Err("the hook runs no program".to_owned());
    };
    let plugin = Plugin::of(hook, host);
    let form = match form {
        CommandForm::Shell(_, text) if plugin.is_some() && text.contains("${user_config.") => {
            return Err("`${user_config.…}` works in the exec form (`args`) only".to_owned());
        }
        CommandForm::Shell(shell, text) => CommandForm::Shell(*shell, prefixed(text, host)),
        CommandForm::Exec(program, args) => {
            let fill = |word: &String| fill_word(word, host, plugin.as_ref());
            CommandForm::Exec(fill(program), args.iter().map(fill).collect())
        }
    };
    let (program, args) = form.argv(None);
    let mut whole = environment(hook, input, host, plugin.as_ref());
    whole.extend(env.iter().cloned());
    let text = |name: &str| input.get(name).and_then(Value::as_str).map(PathBuf::from);
    let cwd = cwd.as_ref().map(PathBuf::from).or_else(|| text("cwd"));
    Ok(Process { program, args, env: whole, cwd: cwd.unwrap_or_else(|| host.cwd.clone()) })
}

/// Puts the program before a command that wraps all commands of a shell.
fn prefixed(text: &str, host: &Host) -> String {
    match host.var("CLAUDE_CODE_SHELL_PREFIX").filter(|prefix| !prefix.trim().is_empty()) {
        Some(prefix) => format!("{prefix} '{}'", text.replace('\'', r"'\''")),
        None => text.to_owned(),
    }
}

/// A plugin, as far as its hooks need it.
struct Plugin<'a> {
    root: &'a str,
    data: &'a str,
    options: Vec<(&'a str, String)>,
}

impl<'a> Plugin<'a> {
    fn of(hook: &ForeignHook, host: &'a Host) -> Option<Self> {
        let name = hook.layer.strip_prefix("plugin:")?;
        let facts = host.facts.get("plugins").and_then(|plugins| plugins.get(name));
        let text = |field: &str| {
            facts.and_then(|facts| facts.get(field)).and_then(Value::as_str).unwrap_or_default()
        };
        let options = facts.and_then(|facts| facts.get("options")).and_then(Value::as_object);
        let options = options.into_iter().flatten().map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (name.as_str(), value)
        });
        Some(Self { root: text("root"), data: text("data"), options: options.collect() })
    }
}

/// Fills in the places of one word. It stays one word, whatever comes in.
fn fill_word(word: &str, host: &Host, plugin: Option<&Plugin<'_>>) -> String {
    let mut filled = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let place = after
            .split_once('}')
            .and_then(|(name, behind)| Some((place_value(name, host, plugin)?, behind)));
        match place {
            Some((value, behind)) => {
                filled.push_str(&value);
                rest = behind;
            }
            None => {
                filled.push_str("${");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

fn place_value(name: &str, host: &Host, plugin: Option<&Plugin<'_>>) -> Option<String> {
    match (name, plugin) {
        ("CLAUDE_PROJECT_DIR", _) => Some(host.project.to_string_lossy().into_owned()),
        ("CLAUDE_PLUGIN_ROOT", Some(plugin)) => Some(plugin.root.to_owned()),
        ("CLAUDE_PLUGIN_DATA", Some(plugin)) => Some(plugin.data.to_owned()),
        (name, Some(plugin)) => {
            let name = name.strip_prefix(OPTION)?;
            let found = plugin.options.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        }
        _ => None,
    }
}

fn environment(
    hook: &ForeignHook,
    input: &Map<String, Value>,
    host: &Host,
    plugin: Option<&Plugin<'_>>,
) -> Vec<(String, String)> {
    let mut env: Vec<(String, String)> = host
        .env
        .iter()
        .filter(|(name, _)| !name.starts_with(TELEMETRY) && name != "CLAUDE_ENV_FILE")
        .cloned()
        .collect();
    let mut set = |name: &str, value: &str| env.push((name.to_owned(), value.to_owned()));
    let session = input.get("session_id").and_then(Value::as_str).unwrap_or_default();
    set("CLAUDE_PROJECT_DIR", &host.project.to_string_lossy());
    set("CLAUDE_CODE_SESSION_ID", session);
    set("CLAUDE_PID", &std::process::id().to_string());
    set("CLAUDECODE", "1");
    set("CLAUDE_CODE_CHILD_SESSION", "1");
    let effort = input.get("effort").and_then(|effort| effort.get("level"));
    if let Some(level) = effort.and_then(Value::as_str) {
        set("CLAUDE_EFFORT", level);
    }
    if is_remote(host) {
        set("CLAUDE_CODE_REMOTE", "true");
    }
    if WITH_ENV_FILE.contains(&hook.event.as_str()) {
        set("CLAUDE_ENV_FILE", &env_file(session, host).to_string_lossy());
    }
    if let Some(plugin) = plugin {
        set("CLAUDE_PLUGIN_ROOT", plugin.root);
        set("CLAUDE_PLUGIN_DATA", plugin.data);
        for (name, value) in &plugin.options {
            // The documentation does not say in which case the name is written.
            set(&format!("CLAUDE_PLUGIN_OPTION_{name}"), value);
            set(&format!("CLAUDE_PLUGIN_OPTION_{}", name.to_uppercase()), value);
        }
    }
    env
}

/// Tells whether the session runs in the cloud, far from the home folder of the user.
pub(super) fn is_remote(host: &Host) -> bool {
    host.facts.get("remote") == Some(&Value::Bool(true))
}

/// Returns the file into which a hook writes variables for the commands of the agent.
fn env_file(session: &str, host: &Host) -> PathBuf {
    let is_plain = |sign: &char| sign.is_ascii_alphanumeric() || *sign == '-';
    let session: String = session.chars().filter(is_plain).collect();
    let folder = host.var("TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    folder.join(format!("claude-env-{session}.sh"))
}
