//! The tools that most agents have, each under its own name and with its own arguments.
//!
//! A script that was written for one agent asks for the tools of that agent. Under another one it would
//! never find them, and be silent. So a call is told to it as its own agent would make it.

use crate::name_enum;
use serde_json::{Map, Value};

name_enum! {
    /// What a tool does that several agents have.
    #[non_exhaustive]
    pub enum ToolKind {
        /// It runs a command line.
        Shell = "shell",
        /// It reads a file.
        Read = "read",
        /// It writes a whole file.
        Write = "write",
        /// It replaces a text in a file.
        Edit = "edit",
        /// It finds files by their names.
        Glob = "glob",
        /// It finds text in files.
        Grep = "grep",
        /// It lists a folder.
        List = "list",
        /// It gets a page of the web.
        Fetch = "fetch",
        /// It searches the web.
        Search = "search",
        /// It starts a sub-agent.
        Agent = "agent",
    }
}

/// An argument of such a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolArgument {
    /// A value: the name that the agent gives it, and what it is in all agents (`command`, `path`, …).
    Plain(&'static str, &'static str),
    /// A path that the agent always gives as an absolute one.
    AbsolutePath(&'static str, &'static str),
    /// A list of texts, where others have one text.
    Texts(&'static str, &'static str),
}

impl ToolArgument {
    const fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::Plain(name, meaning)
            | Self::AbsolutePath(name, meaning)
            | Self::Texts(name, meaning) => (name, meaning),
        }
    }
}

/// A tool of an agent that others have as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostTool {
    /// What it does.
    pub kind: ToolKind,
    /// Its name.
    pub name: &'static str,
    /// Its arguments that others have as well.
    pub arguments: &'static [ToolArgument],
}

impl HostTool {
    /// Describes a tool.
    #[must_use]
    pub const fn new(
        kind: ToolKind,
        name: &'static str,
        arguments: &'static [ToolArgument],
    ) -> Self {
        Self { kind, name, arguments }
    }

    /// Counts the arguments of a call that are this tool's.
    #[must_use]
    pub fn arguments_in(&self, input: &Map<String, Value>) -> usize {
        let is_there = |argument: &&ToolArgument| input.contains_key(argument.names().0);
        self.arguments.iter().filter(is_there).count()
    }

    /// Turns the arguments of this tool into those of another one that does the same. Arguments that only
    /// this one has stay as they are. `cwd` is the folder of the session.
    #[must_use]
    pub fn arguments_for(&self, other: &Self, input: &Value, cwd: Option<&str>) -> Value {
        let Value::Object(input) = input else { return input.clone() };
        let mut output = Map::new();
        for (key, value) in input {
            let own = self.arguments.iter().find(|argument| argument.names().0 == key);
            let theirs = own.and_then(|own| {
                other.arguments.iter().find(|argument| argument.names().1 == own.names().1)
            });
            match theirs {
                Some(theirs) => {
                    output.insert(theirs.names().0.to_owned(), converted(value, theirs, cwd));
                }
                None => {
                    output.insert(key.clone(), value.clone());
                }
            }
        }
        Value::Object(output)
    }
}

/// Gives a value the form that an argument has.
fn converted(value: &Value, argument: &ToolArgument, cwd: Option<&str>) -> Value {
    match (argument, value) {
        (ToolArgument::Texts(..), Value::String(_)) => Value::Array(vec![value.clone()]),
        (ToolArgument::Texts(..), _) => value.clone(),
        // Command lines, one after the other.
        (_, Value::Array(items)) if items.iter().all(Value::is_string) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            texts.join("\n").into()
        }
        (ToolArgument::AbsolutePath(..), Value::String(path)) if !path.starts_with('/') => {
            let cwd = cwd.filter(|cwd| cwd.starts_with('/') && !path.is_empty());
            let path = path.strip_prefix("./").unwrap_or(path);
            cwd.map_or_else(
                || value.clone(),
                |cwd| format!("{}/{path}", cwd.trim_end_matches('/')).into(),
            )
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RUN: HostTool = HostTool::new(
        ToolKind::Shell,
        "run_commands",
        &[ToolArgument::Texts("commands", "command")],
    );
    const BASH: HostTool =
        HostTool::new(ToolKind::Shell, "Bash", &[ToolArgument::Plain("command", "command")]);
    const VIEW: HostTool =
        HostTool::new(ToolKind::Read, "view", &[ToolArgument::Plain("path", "path")]);
    const READ: HostTool =
        HostTool::new(ToolKind::Read, "Read", &[ToolArgument::AbsolutePath("file_path", "path")]);

    #[test]
    fn arguments_have_the_names_and_forms_of_the_other_tool() {
        let two = json!({"commands": ["cd a", "ls"]});
        assert_eq!(RUN.arguments_for(&BASH, &two, None), json!({"command": "cd a\nls"}));
        assert_eq!(
            BASH.arguments_for(&RUN, &json!({"command": "ls"}), None),
            json!({"commands": ["ls"]})
        );
        let path = json!({"path": "./a.txt", "view_range": [1, 2]});
        assert_eq!(
            VIEW.arguments_for(&READ, &path, Some("/w/")),
            json!({"file_path": "/w/a.txt", "view_range": [1, 2]})
        );
        assert_eq!(
            VIEW.arguments_for(&READ, &json!({"path": "a"}), None),
            json!({"file_path": "a"})
        );
        assert_eq!(READ.arguments_for(&VIEW, &json!("a"), None), json!("a"));
    }
}
