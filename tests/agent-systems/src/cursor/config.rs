//! Reads the hook files of Cursor, and those of Claude Code that it reads too.

use std::time::Duration;

use serde_json::{Map, Value};

use super::event::{CursorEvent, Matched};
use super::matcher;
use super::source::{self, Source};
use crate::foreign::{
    Action, CommandForm, ForeignConfig, ForeignHook, Host, Layer, Shell, Warning,
};

/// The time that a hook has if it does not say. The reference leaves it to the platform.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Reads all layers, the strongest first.
pub(super) fn load(layers: &[Layer], host: &Host) -> ForeignConfig {
    let mut config = ForeignConfig::default();
    for (source, layer) in source::sorted(layers) {
        let cloud = source::is_cloud(host);
        let mut reader = LayerReader { layer, source, cloud, config: &mut config };
        match source.left_out(host) {
            Some(why) if layer.content.get("hooks").is_some() => reader.warn("", why),
            Some(_) => {}
            None => reader.read(),
        }
    }
    config
}

/// Reads one file.
struct LayerReader<'a> {
    layer: &'a Layer,
    source: Source,
    cloud: bool,
    config: &'a mut ForeignConfig,
}

impl LayerReader<'_> {
    fn warn(&mut self, pointer: &str, message: impl Into<String>) {
        self.config.warnings.push(Warning {
            file: self.layer.file.clone(),
            pointer: pointer.to_owned(),
            message: message.into(),
        });
    }

    fn read(&mut self) {
        let Some(hooks) = self.layer.content.get("hooks") else { return };
        let Some(events) = hooks.as_object() else {
            return self.warn("/hooks", "must be an object, so no hook runs");
        };
        for (name, list) in events {
            let pointer = format!("/hooks/{name}");
            let event = match self.source.is_claude() {
                true => CursorEvent::from_claude(name),
                false => CursorEvent::from_name(name).map(|event| (event, name.as_str())),
            };
            let Some((event, name)) = event else {
                self.warn(&pointer, format!("Cursor has no event `{name}`: its hooks never run"));
                continue;
            };
            let Some(list) = list.as_array() else {
                self.warn(&pointer, "must be an array, so no hook of it runs");
                continue;
            };
            for (index, entry) in list.iter().enumerate() {
                self.entry((event, name), entry, None, &format!("{pointer}/{index}"));
            }
        }
    }

    /// Reads a hook, or a group of hooks as Claude Code has it.
    fn entry(
        &mut self,
        event: (CursorEvent, &str),
        entry: &Value,
        outer: Option<&str>,
        pointer: &str,
    ) {
        let Some(object) = entry.as_object() else {
            return self.warn(pointer, "must be an object, so it does not run");
        };
        let matcher = match object.get("matcher") {
            None | Some(Value::Null) => outer,
            Some(Value::String(text)) => Some(text.as_str()),
            Some(_) => {
                return self.warn(pointer, "the matcher must be a text: the hook does not run");
            }
        };
        match object.get("hooks") {
            Some(Value::Array(group)) if self.source.is_claude() => {
                for (index, inner) in group.iter().enumerate() {
                    self.entry(event, inner, matcher, &format!("{pointer}/hooks/{index}"));
                }
            }
            _ => self.hook(event, object, matcher, pointer),
        }
    }

    fn hook(
        &mut self,
        (event, name): (CursorEvent, &str),
        object: &Map<String, Value>,
        matcher: Option<&str>,
        pointer: &str,
    ) {
        let (action, timeout) = match (action(object), timeout(object)) {
            (Ok(action), Ok(timeout)) => (action, timeout),
            (Err(why), _) | (_, Err(why)) => return self.warn(pointer, why),
        };
        if self.cloud && matches!(action, Action::Prompt { .. }) {
            return self.warn(pointer, "cloud agents run commands only: the hook does not run");
        }
        if matcher.is_some() && event.matched() == Matched::Nothing {
            self.warn(pointer, format!("`{name}` has no matcher: the hook always runs"));
        } else if let Err(why) = matcher::read(matcher) {
            self.warn(pointer, why);
        }
        if fails_closed(object) && !event.can_block() {
            self.warn(
                pointer,
                format!("`failClosed` has no effect: nothing is blocked at `{name}`"),
            );
        }
        self.config.hooks.push(ForeignHook {
            event: name.to_owned(),
            matcher: matcher.map(str::to_owned),
            layer: self.layer.name.clone(),
            file: self.layer.file.clone(),
            pointer: pointer.to_owned(),
            action,
            timeout,
            background: false,
            options: object.clone(),
            group: Map::new(),
        });
    }
}

fn action(object: &Map<String, Value>) -> Result<Action, String> {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    match object.get("type").map(Value::as_str) {
        None | Some(Some("command")) => {
            let line = text("command").filter(|line| !line.trim().is_empty());
            let line = line.ok_or("needs a `command`, so it does not run")?;
            let form = CommandForm::Shell(Shell::Sh, line.to_owned());
            Ok(Action::Command { form, env: Vec::new(), cwd: None })
        }
        Some(Some("prompt")) => {
            let prompt = text("prompt").ok_or("needs a `prompt`, so it does not run")?.to_owned();
            let model = text("model").map(str::to_owned);
            Ok(Action::Prompt { prompt, model, agent: false })
        }
        Some(_) => Err("`type` must be command or prompt, so it does not run".to_owned()),
    }
}

fn timeout(object: &Map<String, Value>) -> Result<Duration, String> {
    match object.get("timeout") {
        None | Some(Value::Null) => Ok(TIMEOUT),
        Some(value) => {
            value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(
                || "`timeout` must be a number of seconds: the hook does not run".to_owned(),
            )
        }
    }
}

/// Tells whether a failure of the hook blocks the action.
pub(super) fn fails_closed(object: &Map<String, Value>) -> bool {
    object.get("failClosed") == Some(&Value::Bool(true))
}

/// Returns how often in a row a hook may keep the agent going; `None` means without end.
pub(super) fn loop_limit(hook: &ForeignHook) -> Option<u64> {
    /// What Cursor allows its own hooks.
    const LOOP_LIMIT: u64 = 5;
    match hook.options.get("loop_limit") {
        Some(limit) => limit.as_u64(),
        None if Source::of(&hook.layer).is_claude() => None,
        None => Some(LOOP_LIMIT),
    }
}
