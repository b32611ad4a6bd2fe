//! The files of a config, in the order in which Codex adds up their hooks.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use crate::foreign::{Host, Layer, Warning};

/// From where a file comes. The order is that of the hooks: what the administrator requires, the config
/// from its weakest to its strongest layer, the plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Required,
    System,
    User,
    Project,
    Session,
    Plugin,
}

/// The groups of each event, with the pointer to them.
pub(super) type Events<'a> = (String, &'a Map<String, Value>);

/// One file.
#[derive(Debug)]
pub(super) struct Source<'a> {
    /// The layer, with its name and its file.
    pub(super) layer: &'a Layer,
    /// From where it comes.
    pub(super) rank: Rank,
    /// Whether it is the config file, and not the file that has hooks only.
    pub(super) is_toml: bool,
    content: Cow<'a, Value>,
}

impl<'a> Source<'a> {
    /// Puts the files in the order of Codex. Text that was not parsed yet is parsed.
    pub(super) fn all(layers: &'a [Layer], warnings: &mut Vec<Warning>) -> Vec<Self> {
        let mut sources: Vec<_> =
            layers.iter().filter_map(|layer| Self::of(layer, warnings)).collect();
        sources.sort_by_key(|source| (source.rank, source.is_toml));
        sources
    }

    fn of(layer: &'a Layer, warnings: &mut Vec<Warning>) -> Option<Self> {
        let base = layer.name.strip_suffix("_toml").unwrap_or(&layer.name);
        let rank = match base {
            "requirements" | "managed" | "mdm" | "enterprise" => Rank::Required,
            "system" => Rank::System,
            "project" => Rank::Project,
            "session" | "flags" | "cli" => Rank::Session,
            name if name.starts_with("plugin") => Rank::Plugin,
            _ => Rank::User,
        };
        let extension = Path::new(&layer.file).extension();
        let is_toml = base != layer.name
            || matches!(base, "config" | "requirements")
            || extension.is_some_and(|extension| extension == "toml");
        let content = match &layer.content {
            Value::String(text) => match parse(text, is_toml) {
                Ok(content) => Cow::Owned(content),
                Err(fault) => {
                    warnings.push(Warning {
                        file: layer.file.clone(),
                        pointer: String::new(),
                        message: format!("none of its hooks runs: {fault}"),
                    });
                    return None;
                }
            },
            content => Cow::Borrowed(content),
        };
        Some(Self { layer, rank, is_toml, content })
    }

    /// Returns the whole content.
    pub(super) fn content(&self) -> &Value {
        &self.content
    }

    /// Returns whether an administrator wrote it, so that it needs no review.
    pub(super) const fn is_managed(&self) -> bool {
        matches!(self.rank, Rank::Required | Rank::System)
    }

    /// Returns whether it may record reviews of hooks.
    pub(super) const fn may_record_reviews(&self) -> bool {
        matches!(self.rank, Rank::Required | Rank::System | Rank::User | Rank::Session)
    }

    /// Returns whether a key of a review means this file.
    pub(super) fn is_called(&self, name: &str, host: &Host) -> bool {
        let own = if self.is_toml { "config.toml" } else { "hooks.json" };
        let path = Path::new(name);
        let folder = path.parent().filter(|_| path.file_name().is_some_and(|file| file == own));
        let is_place = folder.is_some_and(|folder| match self.rank {
            Rank::User => is_home(folder, host),
            Rank::Project => folder == host.project.join(".codex"),
            _ => false,
        });
        is_place
            || self.layer.file == name
            || self.plugin().is_some_and(|plugin| is_plugin_file(name, plugin, &self.layer.file))
    }

    /// Returns the name of the plugin.
    pub(super) fn plugin(&self) -> Option<&str> {
        self.layer.name.strip_prefix("plugin:")
    }

    /// Returns the variables of the plugin, which its commands may name.
    pub(super) fn plugin_env(&self, host: &Host) -> Vec<(String, String)> {
        let Some(plugin) = self.plugin() else { return Vec::new() };
        let fact = host.facts.get("plugins").and_then(|plugins| plugins.get(plugin));
        let fact = |name: &str| fact?.get(name)?.as_str().map(str::to_owned);
        let root = fact("root").or_else(|| self.plugin_root());
        let mut env = Vec::new();
        for (suffix, value) in [("ROOT", root), ("DATA", fact("data"))] {
            for prefix in ["PLUGIN", "CLAUDE_PLUGIN"] {
                env.extend(value.clone().map(|value| (format!("{prefix}_{suffix}"), value)));
            }
        }
        env
    }

    /// The folder of a plugin holds `hooks/hooks.json` or `.codex-plugin/plugin.json`.
    fn plugin_root(&self) -> Option<String> {
        let file = Path::new(&self.layer.file);
        let root = file.parent()?.parent()?;
        file.is_absolute().then(|| root.to_string_lossy().into_owned())
    }

    /// Returns its hooks by event. A plugin may nest them, or list several.
    pub(super) fn events(&self) -> Result<Vec<Events<'_>>, String> {
        if !self.content.is_object() {
            return Err("the file must hold an object".to_owned());
        }
        let Some(hooks) = self.content.get("hooks") else { return Ok(Vec::new()) };
        if self.rank != Rank::Plugin {
            let events = hooks.as_object().ok_or("`hooks` must be an object")?;
            return Ok(vec![("/hooks".to_owned(), events)]);
        }
        let mut found = Vec::new();
        plugin_events(hooks, "/hooks".to_owned(), &mut found)?;
        Ok(found)
    }
}

/// The folder of the user. A config that was recorded on another machine names another home.
fn is_home(folder: &Path, host: &Host) -> bool {
    if host.var("CODEX_HOME").is_some_and(|home| folder == Path::new(home)) {
        return true;
    }
    let Some(home) = folder.parent().filter(|_| folder.ends_with(".codex")) else { return false };
    home == Path::new("~")
        || home == Path::new("/root")
        || host.var("HOME").is_some_and(|known| home == Path::new(known))
        || home.parent().is_some_and(|all| all == Path::new("/home") || all == Path::new("/Users"))
}

/// The key of a plugin is `NAME@MARKET:hooks/hooks.json`.
fn is_plugin_file(name: &str, plugin: &str, layer_file: &str) -> bool {
    name.split_once(':').is_some_and(|(owner, file)| {
        owner.split('@').next() == Some(plugin) && Path::new(layer_file).ends_with(file)
    })
}

fn plugin_events<'a>(
    hooks: &'a Value,
    pointer: String,
    found: &mut Vec<Events<'a>>,
) -> Result<(), String> {
    match hooks {
        Value::Object(object) => match object.get("hooks") {
            Some(nested) => plugin_events(nested, format!("{pointer}/hooks"), found),
            None => {
                found.push((pointer, object));
                Ok(())
            }
        },
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, item)| plugin_events(item, format!("{pointer}/{index}"), found)),
        Value::String(path) => {
            Err(format!("`{path}` is another file: give it as a layer of the same plugin"))
        }
        _ => Err("`hooks` must be an object, a path, or a list of them".to_owned()),
    }
}

fn parse(text: &str, is_toml: bool) -> Result<Value, String> {
    if is_toml {
        toml::from_str(text).map_err(|error| error.to_string())
    } else {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}
