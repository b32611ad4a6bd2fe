//! Reads the hooks from all settings. The groups of an event add up; switches come from the strongest
//! file that says something, and the names of hooks that are switched off from all of them.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::event::Event;
use super::expand;
use super::join::is_true;
use crate::foreign::{
    Action, CommandForm, ForeignConfig, ForeignHook, Host, Layer, Shell, Warning,
};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// A longer timer of Node ends at once.
const MOST_MILLISECONDS: f64 = 2_147_483_647.0;

/// Keys that older versions read in `hooks`.
const OLD_SWITCHES: [&str; 3] = ["enabled", "disabled", "notifications"];

/// From where a file comes. The order is that of the hooks, and of the strength of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Defaults,
    User,
    Project,
    System,
    Extension,
}

/// A file with its variables filled in.
struct Source<'a> {
    layer: &'a Layer,
    rank: Rank,
    content: Value,
}

/// Reads a config.
pub(super) fn load(layers: &[Layer], host: &Host) -> ForeignConfig {
    let mut sources: Vec<_> = layers.iter().map(|layer| Source::of(layer, host)).collect();
    sources.sort_by_key(|source| source.rank);
    let mut config = ForeignConfig::default();
    let is_trusted = host.facts.get("trusted_folder") != Some(&Value::Bool(false));
    // The settings of a project count for nothing in a folder that is not trusted.
    let counts = |source: &&Source<'_>| is_trusted || source.rank != Rank::Project;
    let settings = || sources.iter().filter(counts).filter(|file| file.rank != Rank::Extension);
    let switch = settings().rev().find_map(|source| Some((source, source.switch("enabled")?)));
    if let Some((source, Value::Bool(false))) = switch {
        config.warnings.push(source.warning("/hooksConfig/enabled", "it switches off all hooks"));
        return config;
    }
    let disabled: Vec<&str> = settings()
        .filter_map(|source| source.switch("disabled")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for source in &sources {
        if is_trusted || source.rank == Rank::Extension {
            add(&mut config, source, &disabled);
        } else {
            let message = "none of its hooks runs: the folder is not trusted";
            config.warnings.push(source.warning("", message));
        }
    }
    config
}

impl<'a> Source<'a> {
    fn of(layer: &'a Layer, host: &Host) -> Self {
        let rank = match layer.name.as_str() {
            "system_defaults" => Rank::Defaults,
            "user" => Rank::User,
            "system" | "managed" => Rank::System,
            name if name.starts_with("extension") => Rank::Extension,
            _ => Rank::Project,
        };
        let root = extension_root(layer, host);
        let variable = |name: &str| match (name, rank) {
            ("extensionPath", Rank::Extension) => root.clone(),
            ("workspacePath", Rank::Extension) => Some(host.project.to_string_lossy().into_owned()),
            ("/" | "pathSeparator", Rank::Extension) => Some("/".to_owned()),
            _ => host.var(name).map(str::to_owned),
        };
        Self { layer, rank, content: expand::settings(&layer.content, &variable) }
    }

    fn switch(&self, name: &str) -> Option<&Value> {
        self.content.get("hooksConfig")?.get(name)
    }

    fn warning(&self, pointer: &str, message: &str) -> Warning {
        Warning {
            file: self.layer.file.clone(),
            pointer: pointer.to_owned(),
            message: message.to_owned(),
        }
    }
}

/// The folder of an extension holds `hooks/hooks.json`.
fn extension_root(layer: &Layer, host: &Host) -> Option<String> {
    let name = layer.name.strip_prefix("extension:")?;
    let fact = host.facts.get("plugins").and_then(|plugins| plugins.get(name)?.get("root"));
    let fact = fact.and_then(Value::as_str).map(str::to_owned);
    fact.or_else(|| {
        let file = Path::new(&layer.file);
        let root = file.parent()?.parent()?;
        file.is_absolute().then(|| root.to_string_lossy().into_owned())
    })
}

fn add(config: &mut ForeignConfig, source: &Source<'_>, disabled: &[&str]) {
    if !source.content.is_object() {
        config.warnings.push(source.warning("", "it must hold an object"));
    }
    let Some(events) = source.content.get("hooks") else { return };
    let Some(events) = events.as_object() else {
        config.warnings.push(source.warning("/hooks", "it must be an object"));
        return;
    };
    for (name, groups) in events {
        let pointer = format!("/hooks/{}", name.replace('~', "~0").replace('/', "~1"));
        let mut warn = |pointer: &str, message: &str| {
            config.warnings.push(source.warning(pointer, message));
        };
        if OLD_SWITCHES.contains(&name.as_str()) {
            warn(&pointer, "it belongs in `hooksConfig`");
            continue;
        }
        if Event::named(name).is_none() {
            warn(&pointer, "Gemini CLI has no such event");
            continue;
        }
        let Some(groups) = groups.as_array() else {
            warn(&pointer, "it must be a list of groups");
            continue;
        };
        for (index, group) in groups.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            match read_group(group) {
                Ok(group) => add_group(config, source, (name, &pointer), &group, disabled),
                Err(why) => config.warnings.push(source.warning(&pointer, why)),
            }
        }
    }
}

struct Group<'a> {
    matcher: Option<&'a str>,
    is_sequential: bool,
    hooks: &'a [Value],
}

fn read_group(group: &Value) -> Result<Group<'_>, &'static str> {
    let Some(Value::Array(hooks)) = group.get("hooks") else {
        return Err("it is dropped: it has no list `hooks`");
    };
    let matcher = match group.get("matcher") {
        None | Some(Value::Null) => None,
        Some(Value::String(matcher)) => Some(matcher.as_str()),
        Some(_) => return Err("it is dropped: its matcher is no text"),
    };
    let is_sequential = group.get("sequential") == Some(&Value::Bool(true));
    Ok(Group { matcher, is_sequential, hooks })
}

fn add_group(
    config: &mut ForeignConfig,
    source: &Source<'_>,
    (event, pointer): (&str, &str),
    group: &Group<'_>,
    disabled: &[&str],
) {
    for (index, hook) in group.hooks.iter().enumerate() {
        let pointer = format!("{pointer}/hooks/{index}");
        let mut warn = |message: &str| config.warnings.push(source.warning(&pointer, message));
        let (command, raw) = match read_command(hook) {
            Ok(read) => read,
            Err(why) => {
                warn(&why);
                continue;
            }
        };
        let name = raw.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        if disabled.contains(&name.unwrap_or(command)) {
            warn("it does not run: it is switched off in `hooksConfig.disabled`");
            continue;
        }
        let (timeout, fault) = timeout(raw.get("timeout"));
        if let Some(fault) = fault {
            warn(fault);
        }
        config.hooks.push(ForeignHook {
            event: event.to_owned(),
            matcher: group.matcher.map(str::to_owned),
            layer: source.layer.name.clone(),
            file: source.layer.file.clone(),
            pointer,
            action: Action::Command {
                form: CommandForm::Shell(Shell::Bash, command.to_owned()),
                env: env(raw),
                cwd: None,
            },
            timeout,
            background: false,
            options: options(raw),
            group: Map::from_iter([("sequential".to_owned(), group.is_sequential.into())]),
        });
    }
}

fn read_command(hook: &Value) -> Result<(&str, &Map<String, Value>), String> {
    let raw = hook.as_object().ok_or("it is dropped: it is no object")?;
    match raw.get("type").and_then(Value::as_str) {
        Some("command") => {}
        Some(other) => return Err(format!("it is dropped: there is no type `{other}`")),
        None => return Err("it is dropped: it has no type".to_owned()),
    }
    let command = raw.get("command").and_then(Value::as_str).filter(|text| !text.is_empty());
    Ok((command.ok_or("it is dropped: it has no command")?, raw))
}

fn env(raw: &Map<String, Value>) -> Vec<(String, String)> {
    let env = raw.get("env").and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    env.map(|(name, value)| (name.clone(), text(value))).collect()
}

fn options(raw: &Map<String, Value>) -> Map<String, Value> {
    let read = ["type", "command", "timeout", "env"];
    let other = raw.iter().filter(|(key, _)| !read.contains(&key.as_str()));
    other.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns the time limit, which is in milliseconds, and what is wrong with it.
fn timeout(value: Option<&Value>) -> (Duration, Option<&'static str>) {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return (DEFAULT_TIMEOUT, None);
    };
    let at_once = "its time is up at once: the limit must be between 1 and 2147483647 milliseconds";
    match value.as_f64() {
        Some(milliseconds) if (1.0..=MOST_MILLISECONDS).contains(&milliseconds) => {
            (Duration::from_secs_f64(milliseconds / 1_000.0), None)
        }
        Some(_) => (Duration::from_millis(1), Some(at_once)),
        None if is_true(Some(value)) => {
            (DEFAULT_TIMEOUT, Some("`timeout` must be a number of milliseconds; it is 60000"))
        }
        None => (DEFAULT_TIMEOUT, None),
    }
}
