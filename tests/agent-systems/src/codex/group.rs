//! The groups of an event. Codex reads them strictly: one value of a wrong type, or a type of hook that
//! it does not know, and the whole file counts for nothing.

use serde_json::{Map, Value};

/// A matcher with its hooks.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) matcher: Option<&'a str>,
    pub(super) handlers: Vec<Handler<'a>>,
    pub(super) index: usize,
    pub(super) pointer: String,
}

/// One hook.
#[derive(Debug)]
pub(super) enum Handler<'a> {
    Command {
        command: &'a str,
        raw: &'a Map<String, Value>,
    },
    McpTool {
        server: &'a str,
        tool: &'a str,
        input: Map<String, Value>,
        raw: &'a Map<String, Value>,
    },
    /// It is understood, and not run.
    Model {
        kind: &'a str,
        raw: &'a Map<String, Value>,
    },
}

impl<'a> Handler<'a> {
    /// Returns it as it is written.
    pub(super) const fn raw(&self) -> &'a Map<String, Value> {
        match self {
            Self::Command { raw, .. } | Self::McpTool { raw, .. } | Self::Model { raw, .. } => raw,
        }
    }

    /// Returns whether nobody waits for it. Calls of MCP tools are always waited for.
    pub(super) fn is_async(&self) -> bool {
        matches!(self, Self::Command { raw, .. } if raw.get("async") == Some(&Value::Bool(true)))
    }
}

/// What makes a file void.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) pointer: String,
    pub(super) message: String,
}

/// Reads the groups of an event.
pub(super) fn read<'a>(groups: &'a Value, pointer: &str) -> Result<Vec<Group<'a>>, Fault> {
    let groups = groups.as_array().ok_or_else(|| fault(pointer, "it must be a list of groups"))?;
    let group = |(index, group)| read_group(group, index, format!("{pointer}/{index}"));
    groups.iter().enumerate().map(group).collect()
}

fn read_group(group: &Value, index: usize, pointer: String) -> Result<Group<'_>, Fault> {
    let object = group.as_object().ok_or_else(|| fault(&pointer, "a group must be an object"))?;
    let matcher = optional(object, "matcher", &pointer, Value::as_str, "text")?;
    let hooks = match object.get("hooks") {
        None => &[],
        Some(Value::Array(hooks)) => hooks.as_slice(),
        Some(_) => return Err(fault(&pointer, "`hooks` must be a list")),
    };
    let handlers = hooks
        .iter()
        .enumerate()
        .map(|(index, hook)| read_handler(hook, &format!("{pointer}/hooks/{index}")))
        .collect::<Result<_, _>>()?;
    Ok(Group { matcher, handlers, index, pointer })
}

fn read_handler<'a>(hook: &'a Value, pointer: &str) -> Result<Handler<'a>, Fault> {
    let raw = hook.as_object().ok_or_else(|| fault(pointer, "a hook must be an object"))?;
    let kind = required(raw, "type", pointer)?;
    match kind {
        "command" => {
            let command = required(raw, "command", pointer)?;
            let windows = ["commandWindows", "command_windows"];
            let windows = windows.map(|name| optional(raw, name, pointer, Value::as_str, "text"));
            let [one, other] = windows;
            let windows = one?.or(other?);
            check_timeout(raw, pointer)?;
            optional(raw, "statusMessage", pointer, Value::as_str, "text")?;
            let count = "a number of tokens";
            optional(raw, "additionalContextLimit", pointer, Value::as_u64, count)?;
            if raw.get("async").is_some_and(|value| !value.is_boolean()) {
                return Err(fault(pointer, "`async` must be true or false"));
            }
            let command = if cfg!(windows) { windows.unwrap_or(command) } else { command };
            Ok(Handler::Command { command, raw })
        }
        "mcp_tool" => {
            let server = required(raw, "server", pointer)?;
            let tool = required(raw, "tool", pointer)?;
            let input = match raw.get("input") {
                None => Map::new(),
                Some(Value::Object(input)) => input.clone(),
                Some(_) => return Err(fault(pointer, "`input` must be an object")),
            };
            check_timeout(raw, pointer)?;
            optional(raw, "statusMessage", pointer, Value::as_str, "text")?;
            Ok(Handler::McpTool { server, tool, input, raw })
        }
        "prompt" | "agent" => Ok(Handler::Model { kind, raw }),
        other => Err(fault(pointer, &format!("Codex has no hooks of the type `{other}`"))),
    }
}

fn check_timeout(raw: &Map<String, Value>, pointer: &str) -> Result<(), Fault> {
    optional(raw, "timeout", pointer, Value::as_u64, "a whole number of seconds").map(|_| ())
}

fn required<'a>(
    object: &'a Map<String, Value>,
    name: &str,
    pointer: &str,
) -> Result<&'a str, Fault> {
    let value = object.get(name).and_then(Value::as_str);
    value.ok_or_else(|| fault(pointer, &format!("`{name}` must be there, as text")))
}

fn optional<'a, T>(
    object: &'a Map<String, Value>,
    name: &str,
    pointer: &str,
    read: impl Fn(&'a Value) -> Option<T>,
    wanted: &str,
) -> Result<Option<T>, Fault> {
    match object.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => read(value)
            .map(Some)
            .ok_or_else(|| fault(pointer, &format!("`{name}` must be {wanted}"))),
    }
}

fn fault(pointer: &str, message: &str) -> Fault {
    Fault { pointer: pointer.to_owned(), message: message.to_owned() }
}
