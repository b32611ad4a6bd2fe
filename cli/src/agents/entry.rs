//! One hook, in the form that an agent reads.

use serde::Serialize;

use super::command_line::CommandLine;
use super::profile::ListedKeys;

/// What is to be installed at one event.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The command line.
    pub(crate) line: CommandLine,
    /// How many seconds the agent itself waits.
    pub(crate) patience: u32,
}

/// A group without a matcher: in some agents `*` matches nothing, but no matcher always matches.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    hooks: [Handler; 1],
}

/// A handler. Its keys stand in the order in which people write them.
#[derive(Debug, Default, Serialize)]
pub(super) struct Handler {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<u32>,
    #[serde(rename = "timeoutSec", skip_serializing_if = "Option::is_none")]
    timeout_sec: Option<u32>,
    #[serde(rename = "failClosed", skip_serializing_if = "Option::is_none")]
    fail_closed: Option<bool>,
}

impl Entry {
    /// Returns it as a group with one handler.
    pub(super) fn group(&self, per_second: u32, named: bool) -> Group {
        let name = named.then(|| format!("hookgate-{}", self.line.event));
        let handler = Handler {
            name,
            kind: Some("command"),
            command: Some(self.line.to_string()),
            timeout: Some(self.patience.saturating_mul(per_second)),
            ..Handler::default()
        };
        Group { hooks: [handler] }
    }

    /// Returns it as a handler of a list.
    pub(super) fn handler(&self, keys: ListedKeys) -> Handler {
        match keys {
            ListedKeys::Cursor => Handler {
                command: Some(self.line.to_string()),
                timeout: Some(self.patience),
                fail_closed: self.line.closed.then_some(true),
                ..Handler::default()
            },
            ListedKeys::Copilot => Handler {
                kind: Some("command"),
                bash: Some(self.line.to_string()),
                timeout_sec: Some(self.patience),
                ..Handler::default()
            },
        }
    }

    /// Returns it as the keys of a table, each with its value in TOML.
    pub(super) fn table(&self) -> [(&'static str, String); 3] {
        // Nothing in a command line needs an escape: `CommandLine::is_plain`.
        let text = |text: &str| format!("\"{text}\"");
        [
            ("event", text(&self.line.event)),
            ("command", text(&self.line.to_string())),
            ("timeout", self.patience.to_string()),
        ]
    }
}
