//! Hooks in the words of Meerkat, whose clients send them with a session (`hooks_override`).
//!
//! What they mean is said by the import of its configs. Meerkat takes what is missing for a default, so that a misspelt
//! `point` is a hook that never guards; here it is an error. It also runs programs for whoever can begin a session.

use std::path::Path;

use hookgate::contract::quote::Quoted;
use hookgate_dialects::import::{self, Agent, Options};
use serde_json::{Map, Value, json};

use super::error::{CallError, Code};

/// What an entry may say, and what it must.
const KEYS: [(&str, bool); 8] = [
    ("id", true),
    ("enabled", false),
    ("point", true),
    ("mode", true),
    ("capability", true),
    ("priority", false),
    ("timeout_ms", false),
    ("runtime", true),
];

/// Returns an entry as a `[[hook]]` of hooks.toml.
///
/// # Errors
/// It is no entry, something is missing, or it would do more than guard.
pub(super) fn hook(entry: &Map<String, Value>) -> Result<Map<String, Value>, CallError> {
    let id = entry.get("id").and_then(Value::as_str).unwrap_or_default();
    let wrong = |message: String| {
        let id = Quoted(id);
        CallError::new(Code::InvalidParams, format!("entry `{id}`: {message}"))
    };
    let refused = |message: String| {
        let id = Quoted(id);
        CallError::new(Code::OverrideRefused, format!("entry `{id}`: {message}"))
    };
    check_keys(entry, &KEYS).map_err(wrong)?;
    for key in ["id", "point", "mode", "capability"] {
        if entry.get(key).is_some_and(|value| !value.is_string()) {
            return Err(wrong(format!("`{key}` is a text")));
        }
    }
    match entry.get("enabled") {
        None | Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => {
            return Err(wrong(
                "`enabled` is false: leave it out, or name it in `disable`".to_owned(),
            ));
        }
        Some(_) => return Err(wrong("`enabled` is true or is left out".to_owned())),
    }
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    match (text("capability"), text("mode")) {
        ("observe" | "guardrail", "foreground") | ("observe", "background") => {}
        ("guardrail", "background") => {
            return Err(wrong("a guardrail in the background stops nothing".to_owned()));
        }
        ("rewrite", _) => return Err(refused("a caller changes no steps".to_owned())),
        _ => {
            let message =
                "`capability` is observe or guardrail, `mode` is foreground or background";
            return Err(wrong(message.to_owned()));
        }
    }
    if entry.get("priority").is_some_and(|priority| priority.as_i64().is_none()) {
        return Err(wrong("`priority` is a whole number".to_owned()));
    }
    if entry.get("timeout_ms").is_some_and(|time| time.as_u64().is_none_or(|time| time == 0)) {
        return Err(wrong("`timeout_ms` is a whole number above 0".to_owned()));
    }
    let Some(Value::Object(runtime)) = entry.get("runtime") else {
        return Err(wrong("`runtime` is an object with `type`".to_owned()));
    };
    match runtime.get("type").and_then(Value::as_str) {
        Some("in_process") => {}
        Some(other @ ("command" | "http")) => {
            return Err(refused(format!(
                "`{other}` of a session stands in the config of the operator: a caller starts no program and sends no request"
            )));
        }
        _ => return Err(wrong("`runtime.type` is in_process".to_owned())),
    }
    let keys = [("type", true), ("handler", true), ("config", false)];
    check_keys(runtime, &keys).map_err(|message| wrong(format!("`runtime`: {message}")))?;
    let Some(handler) = runtime.get("handler").and_then(Value::as_str) else {
        return Err(wrong("`runtime.handler` is the name of a builtin".to_owned()));
    };
    let mut builtin = match runtime.get("config") {
        None => Map::new(),
        Some(Value::Object(config)) if !config.contains_key("name") => config.clone(),
        Some(_) => {
            let message = "`runtime.config` has the settings of the builtin, without `name`";
            return Err(wrong(message.to_owned()));
        }
    };
    builtin.insert("name".to_owned(), handler.into());
    let mut hook = imported(entry, handler).map_err(wrong)?;
    // The import makes one that looks like those of hooks.toml; the caller knows it by its own.
    hook.insert("id".to_owned(), id.into());
    hook.insert("builtin".to_owned(), builtin.into());
    Ok(hook)
}

fn check_keys(of: &Map<String, Value>, known: &[(&str, bool)]) -> Result<(), String> {
    if let Some(unknown) = of.keys().find(|key| !known.iter().any(|(name, _)| name == key)) {
        return Err(format!("there is no field `{}`", Quoted(unknown)));
    }
    match known.iter().find(|(name, is_needed)| *is_needed && !of.contains_key(*name)) {
        Some((missing, _)) => Err(format!("`{missing}` is missing")),
        None => Ok(()),
    }
}

/// Returns what the import makes of an entry whose handler is a builtin.
fn imported(entry: &Map<String, Value>, handler: &str) -> Result<Map<String, Value>, String> {
    let config = json!({ "hooks": { "entries": [entry] } }).to_string();
    let options = Options {
        agent: Some(Agent::Meerkat),
        strict: true,
        builtins: vec![handler.to_owned()],
        ..Options::default()
    };
    let import = import::import(Path::new("hooks_override.json"), &config, &options)
        .map_err(|error| error.to_string())?;
    // The import takes a wrong name for one that seems to be meant; here it is a mistake of who can still be asked.
    if let Some(warning) = import.warnings.iter().find(|warning| warning.code == "unknown_event") {
        return Err(warning.meaning.clone());
    }
    let toml: toml::Table =
        import.toml.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let hook = toml.get("hook").and_then(|hooks| hooks.get(0));
    let hook = hook.and_then(|hook| serde_json::to_value(hook).ok());
    let Some(Value::Object(hook)) = hook else {
        let why = import.warnings.first().map(|warning| warning.meaning.as_str());
        return Err(why.unwrap_or("it is nothing that runs here").to_owned());
    };
    Ok(hook)
}
