//! Reads one hook of a file: what it runs, and for how long.

use std::net::Ipv4Addr;
use std::time::Duration;

use serde_json::{Map, Value};

use super::event::CopilotEvent;
use crate::foreign::{Action, CommandForm, Host, Shell};

/// The time that a hook has if it does not say.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What one entry says.
#[derive(Debug)]
pub(super) struct Handler {
    /// What it runs; `None` if that is for Windows only.
    pub(super) action: Option<Action>,
    pub(super) timeout: Duration,
    /// Whether the cloud agent leaves it out.
    pub(super) local_only: bool,
}

/// Reads an entry.
///
/// # Errors
/// What is wrong with it. Copilot drops such an entry.
pub(super) fn read(object: &Map<String, Value>, event: CopilotEvent) -> Result<Handler, String> {
    let timeout = timeout(object)?;
    let kind = match object.get("type") {
        None => "command",
        Some(Value::String(kind)) => kind.as_str(),
        Some(_) => return Err("`type` must be a text".into()),
    };
    let (action, local_only) = match kind {
        "command" => command(object)?,
        "http" => (Some(http(object, event)?), false),
        "prompt" => (Some(prompt(object, event)?), true),
        other => return Err(format!("`type` must be command, http or prompt, not `{other}`")),
    };
    Ok(Handler { action, timeout, local_only })
}

fn timeout(object: &Map<String, Value>) -> Result<Duration, String> {
    let Some((key, value)) =
        ["timeoutSec", "timeout"].iter().find_map(|key| object.get(*key).map(|value| (key, value)))
    else {
        return Ok(TIMEOUT);
    };
    value
        .as_f64()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("`{key}` must be a number of seconds"))
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` must be a text")),
    }
}

fn texts(object: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` must be an array of texts");
    let Some(value) = object.get(key) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn pairs(object: &Map<String, Value>, key: &str) -> Result<Vec<(String, String)>, String> {
    let wrong = || format!("`{key}` must be an object of texts");
    let Some(value) = object.get(key) else { return Ok(Vec::new()) };
    let map = value.as_object().ok_or_else(wrong)?;
    map.iter()
        .map(|(name, value)| {
            value.as_str().map(|value| (name.clone(), value.to_owned())).ok_or_else(wrong)
        })
        .collect()
}

fn command(object: &Map<String, Value>) -> Result<(Option<Action>, bool), String> {
    let bash = text(object, "bash")?;
    let fallback = text(object, "command")?;
    let powershell = text(object, "powershell")?;
    let exec = text(object, "exec")?;
    let args = texts(object, "args")?;
    let env = pairs(object, "env")?;
    let cwd = text(object, "cwd")?.map(str::to_owned);
    let shell = bash.or(fallback);
    let form = match exec {
        Some(_) if shell.or(powershell).is_some() => {
            return Err("`exec` cannot stand beside `bash`, `powershell` or `command`".into());
        }
        Some(program) if program.trim().is_empty() => return Err("`exec` is empty".into()),
        Some(program) => CommandForm::Exec(program.to_owned(), args),
        None if shell.is_some_and(|line| line.trim().is_empty()) => {
            return Err("the command is empty".into());
        }
        None => match (shell, powershell) {
            (Some(line), _) => CommandForm::Shell(Shell::Bash, line.to_owned()),
            (None, Some(_)) => return Ok((None, false)),
            (None, None) => {
                return Err("needs one of `bash`, `powershell`, `command` and `exec`".into());
            }
        },
    };
    Ok((Some(Action::Command { form, env, cwd }), exec.is_some()))
}

fn http(object: &Map<String, Value>, event: CopilotEvent) -> Result<Action, String> {
    let url = text(object, "url")?.ok_or("needs a `url`")?;
    let secure = url.starts_with("https://");
    if !secure && !url.starts_with("http://") {
        return Err("`url` must begin with https:// or http://".into());
    }
    let headers = pairs(object, "headers")?;
    let allowed_env = texts(object, "allowedEnvVars")?;
    if !secure && event.grants() {
        return Err("`url` must begin with https:// at an event that can grant something".into());
    }
    if !secure && !allowed_env.is_empty() {
        return Err("`url` must begin with https:// beside `allowedEnvVars`".into());
    }
    Ok(Action::Http { url: url.to_owned(), headers, allowed_env })
}

fn prompt(object: &Map<String, Value>, event: CopilotEvent) -> Result<Action, String> {
    if event != CopilotEvent::SessionStart {
        return Err("`prompt` exists at sessionStart only".into());
    }
    let text = text(object, "prompt")?.ok_or("needs a `prompt`")?;
    Ok(Action::Submit { text: text.to_owned() })
}

/// Tells whether an open connection may be made: to this machine, and only if its user allows it.
pub(super) fn may_connect(url: &str, host: &Host) -> bool {
    if url.starts_with("https://") {
        return true;
    }
    let allowed = host.var("COPILOT_HOOK_ALLOW_LOCALHOST") == Some("1");
    let authority = url.trim_start_matches("http://").split(['/', '?', '#']).next();
    let (host, port) = match authority.and_then(|authority| authority.rsplit_once(':')) {
        Some((host, port)) if !port.ends_with(']') => (Some(host), port),
        _ => (authority, ""),
    };
    let is_local = host.is_some_and(|host| {
        host == "localhost"
            || host == "[::1]"
            || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
    });
    // What stands before an `@` is a name and a password, and the host is behind it.
    let is_local = is_local && port.chars().all(|c| c.is_ascii_digit());
    allowed && is_local
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_at(event: CopilotEvent, value: Value) -> Result<Handler, String> {
        read(value.as_object().unwrap(), event)
    }

    fn at_tool(value: Value) -> Result<Handler, String> {
        read_at(CopilotEvent::PreToolUse, value)
    }

    #[test]
    fn the_time_limit_is_in_seconds_under_two_names() {
        let seconds = |value| at_tool(value).map(|handler| handler.timeout.as_secs_f64());
        assert_eq!(seconds(json!({"bash": "x"})), Ok(30.0));
        assert_eq!(seconds(json!({"bash": "x", "timeout": 7})), Ok(7.0));
        assert_eq!(seconds(json!({"bash": "x", "timeout": 7, "timeoutSec": 1.5})), Ok(1.5));
        assert!(seconds(json!({"bash": "x", "timeoutSec": "7"})).is_err());
        assert!(seconds(json!({"bash": "x", "timeoutSec": -1})).is_err());
    }

    #[test]
    fn a_command_has_one_form() {
        let form = |value| match at_tool(value).unwrap().action {
            Some(Action::Command { form, .. }) => form,
            other => panic!("{other:?}"),
        };
        let bash = |line: &str| CommandForm::Shell(Shell::Bash, line.to_owned());
        assert_eq!(form(json!({"command": "c"})), bash("c"));
        assert_eq!(form(json!({"command": "c", "bash": "b", "powershell": "p"})), bash("b"));
        assert_eq!(
            form(json!({"exec": "e", "args": ["$HOME"]})),
            CommandForm::Exec("e".into(), vec!["$HOME".into()])
        );
        assert!(at_tool(json!({"powershell": "p"})).unwrap().action.is_none());
        assert!(at_tool(json!({"type": "command"})).is_err());
        assert!(at_tool(json!({"exec": "e", "bash": "b"})).is_err());
        assert!(at_tool(json!({"type": "agent", "bash": "b"})).is_err());
    }

    #[test]
    fn open_connections_go_to_this_machine_only_and_never_where_something_is_granted() {
        let http = |event, url: &str| read_at(event, json!({"type": "http", "url": url})).is_ok();
        assert!(http(CopilotEvent::PostToolUse, "http://localhost:1/h"));
        assert!(!http(CopilotEvent::PreToolUse, "http://localhost:1/h"));
        assert!(!http(CopilotEvent::PermissionRequest, "http://localhost:1/h"));
        assert!(http(CopilotEvent::PreToolUse, "https://example.com/h"));
        assert!(!http(CopilotEvent::PostToolUse, "ftp://example.com"));

        let env = vec![("COPILOT_HOOK_ALLOW_LOCALHOST".to_owned(), "1".to_owned())];
        let (on, off) = (Host { env, ..Host::default() }, Host::default());
        for url in ["http://localhost:8/h", "http://127.0.0.1/", "http://[::1]:9/x"] {
            assert!(may_connect(url, &on), "{url}");
            assert!(!may_connect(url, &off), "{url}");
        }
        for url in [
            "http://example.com/",
            "http://localhost.example.com/",
            "http://localhost:1@example.com/",
        ] {
            assert!(!may_connect(url, &on), "{url}");
        }
        assert!(may_connect("https://example.com/", &off));
    }
}
