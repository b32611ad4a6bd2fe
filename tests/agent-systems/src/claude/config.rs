//! Reads settings files: their hooks, their switches, and what is wrong with them.

mod handler;
mod switches;

use serde_json::{Map, Value};

use super::event::{self, Handlers};
use super::{condition, limits, matcher, process};
use crate::foreign::{Action, ForeignConfig, ForeignHook, Host, Layer, Warning};
use switches::Switches;

/// A value that the schema of the settings refuses. The whole file is skipped then.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) pointer: String,
    pub(super) message: String,
}

/// Reads the settings of all layers. All hooks of all layers count; only switches have a strongest one.
pub(super) fn load(layers: &[Layer], host: &Host) -> ForeignConfig {
    let mut config = ForeignConfig::default();
    let mut layers: Vec<&Layer> = layers.iter().collect();
    layers.sort_by_key(|layer| rank(&layer.name));
    let mut read = Vec::new();
    for layer in layers {
        if is_out_of_reach(layer, host) {
            if layer.content.get("hooks").is_some() {
                let message = "a session in the cloud does not read the settings of the user, \
                               so these hooks do not run";
                config.warnings.push(warning(layer, "/hooks".to_owned(), message.to_owned()));
            }
            continue;
        }
        match hooks_of(layer, &mut config.warnings) {
            Ok(hooks) => read.push((layer, hooks)),
            Err(fault) => {
                let message = format!("{}: the whole file is skipped", fault.message);
                config.warnings.push(warning(layer, fault.pointer, message));
            }
        }
    }
    let sound: Vec<&Layer> = read.iter().map(|(layer, _)| *layer).collect();
    let switches = Switches::read(&sound, host);
    for (layer, hooks) in read {
        match switches.off(layer) {
            None => {
                for mut hook in hooks {
                    match switches.bound(&mut hook) {
                        Ok(()) => config.hooks.push(hook),
                        Err(why) => config.warnings.push(warning(layer, hook.pointer, why)),
                    }
                }
            }
            Some(why) if !hooks.is_empty() => {
                config.warnings.push(warning(layer, "/hooks".to_owned(), why));
            }
            Some(_) => {}
        }
    }
    limits::share_session_end(&mut config.hooks, host);
    config
}

/// Tells whether a file is one that Claude Code cannot see: the user's own, from a session in the cloud.
fn is_out_of_reach(layer: &Layer, host: &Host) -> bool {
    layer.name == "user" && process::is_remote(host)
}

/// Returns the place of a layer among the others; the strongest is the first.
fn rank(name: &str) -> usize {
    let names = ["managed", "cli", "local", "project", "user"];
    names.iter().position(|known| *known == name).unwrap_or(names.len())
}

fn warning(layer: &Layer, pointer: String, message: String) -> Warning {
    Warning { file: layer.file.clone(), pointer, message }
}

/// Reads the hooks of one file.
fn hooks_of(layer: &Layer, warnings: &mut Vec<Warning>) -> Result<Vec<ForeignHook>, Fault> {
    let fault = |pointer: &str, message: &str| Fault {
        pointer: pointer.to_owned(),
        message: message.to_owned(),
    };
    let Value::Object(settings) = &layer.content else {
        return Err(fault("", "the settings are no JSON object"));
    };
    switches::check(settings)?;
    let mut hooks = Vec::new();
    let events = match settings.get("hooks") {
        None => return Ok(hooks),
        Some(Value::Object(events)) => events,
        Some(_) => return Err(fault("/hooks", "`hooks` must be an object")),
    };
    for (name, groups) in events {
        let pointer = format!("/hooks/{}", name.replace('~', "~0").replace('/', "~1"));
        let name = renamed(name, layer);
        if event::named(name).is_none() {
            let message = format!("Claude Code has no event `{name}`: its hooks never run");
            warnings.push(warning(layer, pointer, message));
            continue;
        }
        let Value::Array(groups) = groups else {
            return Err(fault(&pointer, "an event holds a list of groups"));
        };
        for (index, group) in groups.iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            read_group(group, (layer, name), &pointer, &mut hooks)?;
        }
    }
    hooks.retain(|hook| match objection(hook) {
        Some((message, is_fatal)) => {
            warnings.push(warning(layer, hook.pointer.clone(), message));
            !is_fatal
        }
        None => true,
    });
    Ok(hooks)
}

/// The `Stop` of a subagent's own hooks is the end of that subagent.
fn renamed<'a>(event: &'a str, layer: &Layer) -> &'a str {
    if event == "Stop" && layer.name.starts_with("agent:") { "SubagentStop" } else { event }
}

fn read_group(
    group: &Value,
    (layer, event): (&Layer, &str),
    pointer: &str,
    hooks: &mut Vec<ForeignHook>,
) -> Result<(), Fault> {
    let fault = |message: &str| Fault { pointer: pointer.to_owned(), message: message.to_owned() };
    let Value::Object(group) = group else { return Err(fault("a group must be an object")) };
    let matcher = match group.get("matcher") {
        None => None,
        Some(Value::String(matcher)) => Some(matcher.clone()),
        Some(_) => return Err(fault("`matcher` must be a text")),
    };
    let Some(Value::Array(handlers)) = group.get("hooks") else {
        return Err(fault("a group needs a list `hooks`"));
    };
    let others = |name: &&String| !matches!(name.as_str(), "matcher" | "hooks");
    let rest: Map<String, Value> = group
        .iter()
        .filter(|(name, _)| others(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (index, handler) in handlers.iter().enumerate() {
        let pointer = format!("{pointer}/hooks/{index}");
        let read = handler::read(handler, event)
            .map_err(|message| Fault { pointer: pointer.clone(), message })?;
        hooks.push(ForeignHook {
            event: event.to_owned(),
            matcher: matcher.clone(),
            layer: layer.name.clone(),
            file: layer.file.clone(),
            pointer,
            action: read.action,
            timeout: read.timeout,
            background: read.background,
            options: read.options,
            group: rest.clone(),
        });
    }
    Ok(())
}

/// Says why a hook never runs, or does not mean what it seems to; `true` if it never runs.
fn objection(hook: &ForeignHook) -> Option<(String, bool)> {
    let event = event::named(&hook.event)?;
    let is_fit = match (&hook.action, event.handlers) {
        (Action::Prompt { .. }, handlers) => handlers == Handlers::All,
        (Action::Http { .. }, handlers) => handlers != Handlers::Local,
        _ => true,
    };
    if !is_fit {
        return Some((format!("a handler of this type does not run at {}", event.name), true));
    }
    if let Some(condition) = hook.options.get("if").and_then(Value::as_str) {
        if !condition::is_read_at(event.name) {
            return Some((format!("a handler with `if` never runs at {}", event.name), true));
        }
        if condition::Rule::parse(condition).is_none() {
            let message =
                format!("`if` is not exactly one rule, so the hook always runs: {condition}");
            return Some((message, false));
        }
    }
    let matcher = hook.matcher.as_deref().unwrap_or_default();
    let is_matched = event.matched != event::Matched::Nothing;
    let bad = is_matched.then(|| matcher::matches(matcher, event, "").err()).flatten();
    bad.map(|bad| (bad.to_string(), true))
}
