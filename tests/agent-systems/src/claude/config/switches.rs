//! The switches of settings that turn hooks off, or bound what they may reach.

use hookgate_contract::glob::Wildcard;
use serde_json::{Map, Value};

use super::Fault;
use crate::foreign::{Action, ForeignHook, Host, Layer};

/// The settings files in the order of their strength.
const SETTINGS: [&str; 5] = ["managed", "cli", "local", "project", "user"];

/// What the switches of all files say together.
#[derive(Debug, Default)]
pub(super) struct Switches {
    /// Why no hook at all runs.
    all_off: Option<&'static str>,
    /// `disableAllHooks` holds, and an administrator did not set it.
    others_off: bool,
    managed_only: bool,
    plugins_only: bool,
    /// Plugins that an administrator turned on for everybody.
    forced: Vec<String>,
    urls: Option<Vec<String>>,
    variables: Option<Vec<String>>,
}

impl Switches {
    /// Reads the switches of files, the strongest first.
    pub(super) fn read(layers: &[&Layer], host: &Host) -> Self {
        let settings = || layers.iter().filter(|layer| SETTINGS.contains(&layer.name.as_str()));
        let managed = settings().find(|layer| layer.name == "managed").map(|layer| &layer.content);
        let off = settings().find_map(|layer| {
            let value = layer.content.get("disableAllHooks")?.as_bool()?;
            Some((layer.name == "managed", value))
        });
        let is_set =
            |name: &str| managed.and_then(|managed| managed.get(name)) == Some(&true.into());
        let strict = managed.and_then(|managed| managed.get("strictPluginOnlyCustomization"));
        let union = |name: &str| {
            let lists: Vec<_> =
                settings().filter_map(|layer| texts(layer.content.get(name)?)).collect();
            (!lists.is_empty()).then(|| lists.concat())
        };
        Self {
            all_off: match off {
                Some((true, true)) => Some("`disableAllHooks` of the managed settings"),
                _ => off_by_host(host),
            },
            others_off: off == Some((false, true)),
            managed_only: is_set("allowManagedHooksOnly"),
            plugins_only: strict.is_some_and(|strict| match strict {
                Value::Array(parts) => parts.iter().any(|part| part == "hooks"),
                other => *other == Value::Bool(true),
            }),
            forced: forced_plugins(managed),
            urls: union("allowedHttpHookUrls"),
            variables: union("httpHookAllowedEnvVars"),
        }
    }

    /// Says why the hooks of a file do not run; `None` if they do.
    pub(super) fn off(&self, layer: &Layer) -> Option<String> {
        let is_managed = layer.name == "managed"
            || layer
                .name
                .strip_prefix("plugin:")
                .is_some_and(|plugin| self.forced.iter().any(|forced| forced == plugin));
        let is_own = matches!(layer.name.as_str(), "user" | "project" | "local");
        let why = match self.all_off {
            Some(why) => Some(why),
            None if self.others_off && !is_managed => Some("`disableAllHooks`"),
            None if self.managed_only && !is_managed => Some("`allowManagedHooksOnly`"),
            None if self.plugins_only && is_own => Some("`strictPluginOnlyCustomization`"),
            None => None,
        };
        why.map(|why| format!("these hooks do not run: {why}"))
    }

    /// Bounds what a hook of type `http` may reach and name.
    ///
    /// # Errors
    /// Why it never runs, if its address is not allowed.
    pub(super) fn bound(&self, hook: &mut ForeignHook) -> Result<(), String> {
        let Action::Http { url, allowed_env, .. } = &mut hook.action else { return Ok(()) };
        if let Some(allowed) = &self.variables {
            allowed_env.retain(|name| allowed.contains(name));
        }
        let is_meant = |pattern: &String| Wildcard::of_stars(pattern).matches(url);
        if self.urls.as_ref().is_none_or(|allowed| allowed.iter().any(is_meant)) {
            return Ok(());
        }
        Err(format!("the hook does not run: `allowedHttpHookUrls` does not allow {url}"))
    }
}

/// Says why the way in which the agent was started turns all hooks off.
fn off_by_host(host: &Host) -> Option<&'static str> {
    let has_flag = |name: &str| {
        let flags = host.facts.get("flags").and_then(Value::as_array);
        flags.into_iter().flatten().any(|flag| flag == name)
    };
    let is_false = |name: &&str| host.facts.get(*name) == Some(&Value::Bool(false));
    if has_flag("--safe-mode") {
        return Some("`--safe-mode`");
    }
    if has_flag("--bare") {
        return Some("`--bare`");
    }
    if !matches!(host.var("CLAUDE_CODE_SIMPLE"), None | Some("" | "0" | "false")) {
        return Some("`CLAUDE_CODE_SIMPLE`");
    }
    // Without a person nobody can be asked, and the folder counts as trusted.
    let is_untrusted = ["trusted", "project_trusted", "trusted_folder"].iter().any(is_false);
    (host.interactive && is_untrusted).then_some("the folder is not trusted")
}

fn forced_plugins(managed: Option<&Value>) -> Vec<String> {
    let enabled = managed.and_then(|managed| managed.get("enabledPlugins"));
    let enabled = enabled.and_then(Value::as_object).into_iter().flatten();
    let forced = enabled.filter(|(_, is_on)| **is_on == Value::Bool(true));
    forced.map(|(name, _)| name.split('@').next().unwrap_or(name).to_owned()).collect()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Checks the types of the switches in a file.
pub(super) fn check(settings: &Map<String, Value>) -> Result<(), Fault> {
    let fault = |name: &str, what: &str| {
        let message = format!("`{name}` must be {what}");
        Err(Fault { pointer: format!("/{name}"), message })
    };
    for name in ["disableAllHooks", "allowManagedHooksOnly"] {
        if settings.get(name).is_some_and(|value| !value.is_boolean()) {
            return fault(name, "true or false");
        }
    }
    for name in ["allowedHttpHookUrls", "httpHookAllowedEnvVars"] {
        if settings.get(name).is_some_and(|value| texts(value).is_none()) {
            return fault(name, "a list of texts");
        }
    }
    Ok(())
}
