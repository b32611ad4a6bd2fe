//! Reads the hook files of Copilot.

use serde_json::{Map, Value};

use super::event::{CopilotEvent, Spelling};
use super::handler;
use super::matcher::Matcher;
use crate::foreign::{ForeignConfig, ForeignHook, Host, Layer, Warning};

/// Where Copilot runs, as far as its configs depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    /// The cloud agent: hooks of the repository only, without a user.
    pub(super) cloud: bool,
    /// Whether the folder is trusted, which hooks of the repository need.
    trusted: bool,
}

impl Surface {
    /// Reads the facts `surface`, `trusted_folder` and `trusted`.
    pub(super) fn of(host: &Host) -> Self {
        let no = |name: &str| host.facts.get(name) == Some(&Value::Bool(false));
        Self {
            cloud: host.facts.get("surface").and_then(Value::as_str) == Some("cloud"),
            trusted: !no("trusted_folder") && !no("trusted"),
        }
    }
}

/// What kind of file a layer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// By the administrator: nothing switches it off.
    Policy,
    /// A file of hooks in the repository.
    Repository,
    /// The settings of the repository, with hooks in them.
    RepositorySettings,
    /// A file of hooks of the user or of a plugin.
    Elsewhere,
    /// The settings of the user.
    UserSettings,
}

impl Origin {
    fn of(layer: &Layer) -> Self {
        let file = layer.file.as_str();
        let settings = layer.name.contains("settings")
            || file.ends_with("/settings.json")
            || file.ends_with("/settings.local.json");
        match (layer.name.as_str(), settings) {
            ("policy" | "managed" | "enterprise", _) => Self::Policy,
            (name, true) if name.starts_with("user") => Self::UserSettings,
            (_, true) => Self::RepositorySettings,
            (name, false) if name == "user" || name.starts_with("plugin") => Self::Elsewhere,
            _ => Self::Repository,
        }
    }

    /// Tells whether one wrong entry drops all hooks of the file.
    const fn all_or_nothing(self) -> bool {
        matches!(self, Self::RepositorySettings | Self::UserSettings)
    }

    const fn belongs_to_the_repository(self) -> bool {
        matches!(self, Self::Repository | Self::RepositorySettings)
    }
}

/// Reads all layers: those of the administrator first, the others in their order.
pub(super) fn load(layers: &[Layer], host: &Host) -> ForeignConfig {
    let surface = Surface::of(host);
    let mut config = ForeignConfig::default();
    let off = layers.iter().find(|layer| {
        Origin::of(layer) == Origin::RepositorySettings
            && surface.trusted
            && !surface.cloud
            && is_off(&layer.content)
    });
    let (policy, others): (Vec<_>, Vec<_>) =
        layers.iter().partition(|layer| Origin::of(layer) == Origin::Policy);
    for layer in policy.into_iter().chain(others) {
        let origin = Origin::of(layer);
        let mut reader = LayerReader { layer, origin, surface, config: &mut config };
        if let Some(reason) = reader.left_out(off) {
            if reader.layer.content.get("hooks").is_some() {
                reader.warn("", reason);
            }
            continue;
        }
        reader.read();
    }
    config
}

fn is_off(content: &Value) -> bool {
    content.get("disableAllHooks") == Some(&Value::Bool(true))
}

/// Reads one file.
struct LayerReader<'a> {
    layer: &'a Layer,
    origin: Origin,
    surface: Surface,
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

    /// Says why no hook of the file runs, if none does.
    fn left_out(&self, off: Option<&Layer>) -> Option<String> {
        if self.surface.cloud && self.origin != Origin::Repository {
            return Some(
                "the cloud agent reads `.github/hooks` only: none of these hooks runs".into(),
            );
        }
        if self.origin.belongs_to_the_repository() && !self.surface.trusted {
            return Some("the folder is not trusted: none of these hooks runs".into());
        }
        if self.origin == Origin::Policy {
            return None;
        }
        if let Some(off) = off {
            return Some(format!("`disableAllHooks` in {} turns these hooks off", off.file));
        }
        is_off(&self.layer.content).then(|| "`disableAllHooks` turns these hooks off".into())
    }

    fn read(&mut self) {
        let Some(hooks) = self.layer.content.get("hooks") else { return };
        let version = self.layer.content.get("version");
        if !self.origin.all_or_nothing()
            && version.is_some_and(|version| version.as_i64() != Some(1))
        {
            return self.warn("/version", "the version must be 1: Copilot drops the whole file");
        }
        let Some(events) = hooks.as_object() else {
            return self.warn("/hooks", "must be an object: Copilot drops the whole file");
        };
        if let Some(event) = events.iter().find(|(_, list)| !list.is_array()).map(|(name, _)| name)
        {
            let pointer = format!("/hooks/{event}");
            return self.warn(&pointer, "must be an array: Copilot drops the whole file");
        }
        let first_hook = self.config.hooks.len();
        let mut broken = false;
        for (name, list) in events {
            let pointer = format!("/hooks/{name}");
            let Some((event, spelling)) = CopilotEvent::from_name(name) else {
                self.warn(&pointer, format!("Copilot has no event `{name}`: its hooks never run"));
                continue;
            };
            for (index, entry) in list.as_array().into_iter().flatten().enumerate() {
                let pointer = format!("{pointer}/{index}");
                broken |= self.entry(name, (event, spelling), entry, None, &pointer).is_err();
            }
        }
        if broken && self.origin.all_or_nothing() {
            self.config.hooks.truncate(first_hook);
            self.warn("/hooks", "one entry is wrong, so Copilot drops all hooks of these settings");
        }
    }

    /// Reads an entry: a hook, or a group of hooks as Claude Code has it.
    fn entry(
        &mut self,
        name: &str,
        event: (CopilotEvent, Spelling),
        entry: &Value,
        matcher: Option<&str>,
        pointer: &str,
    ) -> Result<(), ()> {
        let Some(object) = entry.as_object() else {
            self.warn(pointer, "must be an object: Copilot drops this hook");
            return Err(());
        };
        let own = match object.get("matcher") {
            None => None,
            Some(Value::String(text)) => Some(text.as_str()),
            Some(_) => {
                self.warn(pointer, "the matcher must be a text: Copilot drops this hook");
                return Err(());
            }
        };
        let matcher = own.or(matcher);
        if let Some(Value::Array(group)) = object.get("hooks") {
            let mut result = Ok(());
            for (index, inner) in group.iter().enumerate() {
                let pointer = format!("{pointer}/hooks/{index}");
                result = self.entry(name, event, inner, matcher, &pointer).and(result);
            }
            return result;
        }
        self.hook(name, event, object, matcher, pointer)
    }

    fn hook(
        &mut self,
        name: &str,
        (event, spelling): (CopilotEvent, Spelling),
        object: &Map<String, Value>,
        matcher: Option<&str>,
        pointer: &str,
    ) -> Result<(), ()> {
        let read = match handler::read(object, event) {
            Ok(read) => read,
            Err(message) => {
                self.warn(pointer, format!("{message}: Copilot drops this hook"));
                return Err(());
            }
        };
        if let Err(invalid) = Matcher::read(matcher, event, spelling) {
            self.warn(pointer, invalid.to_string());
        }
        if let Some(reason) = self.cannot_run(event, &read) {
            self.warn(pointer, reason);
            return Ok(());
        }
        let Some(action) = read.action else { return Ok(()) };
        self.config.hooks.push(ForeignHook {
            event: name.to_owned(),
            matcher: matcher.map(str::to_owned),
            layer: self.layer.name.clone(),
            file: self.layer.file.clone(),
            pointer: pointer.to_owned(),
            action,
            timeout: read.timeout,
            background: false,
            options: object.clone(),
            group: Map::new(),
        });
        Ok(())
    }

    /// Says why a hook that is right does not run here.
    fn cannot_run(&self, event: CopilotEvent, read: &handler::Handler) -> Option<String> {
        if read.action.is_none() {
            return Some("has a command for PowerShell only, so it does not run here".into());
        }
        if !self.surface.cloud {
            return None;
        }
        if !event.happens_in_the_cloud() {
            return Some("the cloud agent never comes to this event".into());
        }
        read.local_only.then(|| "the cloud agent does not run hooks of this kind".into())
    }
}
