//! Reads one handler of a settings file.

use std::time::Duration;

use serde_json::{Map, Value};

use super::super::limits;
use crate::foreign::{Action, CommandForm, Shell};

/// What a handler says.
pub(super) struct Handler {
    pub(super) action: Action,
    pub(super) timeout: Duration,
    pub(super) background: bool,
    /// The keys that are not read here.
    pub(super) options: Map<String, Value>,
}

/// The keys that are read here.
const READ: [&str; 15] = [
    "type",
    "command",
    "args",
    "async",
    "shell",
    "url",
    "headers",
    "allowedEnvVars",
    "server",
    "tool",
    "input",
    "prompt",
    "model",
    "statusMessage",
    "once",
];

/// Reads a handler.
///
/// # Errors
/// What the schema of the settings refuses, in words.
pub(super) fn read(handler: &Value, event: &str) -> Result<Handler, String> {
    let Value::Object(object) = handler else {
        return Err("a handler must be an object".to_owned());
    };
    let fields = Fields(object);
    let kind = fields.required("type")?;
    let action = match kind {
        "command" => fields.command()?,
        "http" => Action::Http {
            url: fields.required("url")?.to_owned(),
            headers: fields.headers()?,
            allowed_env: fields.texts("allowedEnvVars")?.unwrap_or_default(),
        },
        "mcp_tool" => Action::McpTool {
            server: fields.required("server")?.to_owned(),
            tool: fields.required("tool")?.to_owned(),
            input: match object.get("input") {
                None => Value::Object(Map::new()),
                Some(input) if input.is_object() => input.clone(),
                Some(_) => return Err("`input` must be an object".to_owned()),
            },
        },
        "prompt" | "agent" => Action::Prompt {
            prompt: fields.required("prompt")?.to_owned(),
            model: fields.text("model")?.map(str::to_owned),
            agent: kind == "agent",
        },
        other => return Err(format!("there is no handler of type `{other}`")),
    };
    let timeout = match fields.seconds("timeout")? {
        Some(timeout) => timeout,
        None => limits::default(&action, event),
    };
    fields.text("if")?;
    fields.bool("continueOnBlock")?;
    let rewakes = fields.bool("asyncRewake")?;
    let is_async = fields.bool("async")? || rewakes;
    let is_other = |name: &&String| !READ.contains(&name.as_str());
    let options: Map<String, Value> = object
        .iter()
        .filter(|(name, _)| is_other(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let background = is_async && matches!(action, Action::Command { .. });
    Ok(Handler { action, timeout, background, options })
}

/// The keys of a handler.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{name}` must be a text")),
        }
    }

    fn required(&self, name: &str) -> Result<&'a str, String> {
        self.text(name)?.ok_or_else(|| format!("a handler of this type needs `{name}`"))
    }

    fn bool(&self, name: &str) -> Result<bool, String> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(format!("`{name}` must be true or false")),
        }
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<String>>, String> {
        let fault = || format!("`{name}` must be a list of texts");
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let items = value.as_array().ok_or_else(fault)?.iter();
        let texts: Option<Vec<_>> = items.map(|item| item.as_str().map(str::to_owned)).collect();
        texts.map(Some).ok_or_else(fault)
    }

    fn seconds(&self, name: &str) -> Result<Option<Duration>, String> {
        let fault = || format!("`{name}` must be a number of seconds above 0");
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0).ok_or_else(fault)?;
        Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| fault())
    }

    fn headers(&self) -> Result<Vec<(String, String)>, String> {
        let fault = || "`headers` must be an object of texts".to_owned();
        let Some(headers) = self.0.get("headers") else { return Ok(Vec::new()) };
        let headers = headers.as_object().ok_or_else(fault)?.iter();
        let headers: Option<Vec<_>> =
            headers.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
        headers.ok_or_else(fault)
    }

    fn command(&self) -> Result<Action, String> {
        let command = self.required("command")?.to_owned();
        let shell = match self.text("shell")? {
            // The documentation says both `bash` and `sh -c` of a handler that names none.
            None => Shell::Sh,
            Some("bash") => Shell::Bash,
            Some("powershell") => Shell::PowerShell,
            Some(other) => return Err(format!("`shell` is bash or powershell, not `{other}`")),
        };
        let form = match self.texts("args")? {
            Some(args) => CommandForm::Exec(command, args),
            None => CommandForm::Shell(shell, command),
        };
        Ok(Action::Command { form, env: Vec::new(), cwd: None })
    }
}
