//! What a foreign config says: its hooks, and what is wrong with it.

use std::time::Duration;

use serde_json::{Map, Value};

/// One file of a config, already parsed, and the layer that it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// `managed`, `cli`, `local`, `project`, `user`, `plugin:NAME`, …, as the agent calls it.
    pub name: String,
    /// The file, for messages.
    pub file: String,
    /// Its content.
    pub content: Value,
}

/// Something that is wrong with a config, or that means less than it seems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub file: String,
    /// Where in the file, as a JSON pointer.
    pub pointer: String,
    /// What is wrong, and what the agent does about it.
    pub message: String,
}

/// The hooks of a config, in the order of the agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForeignConfig {
    /// All hooks that can run. Those that a switch turns off are left out, with a warning.
    pub hooks: Vec<ForeignHook>,
    /// What is wrong.
    pub warnings: Vec<Warning>,
}

/// One hook of a config.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignHook {
    /// The event, as the agent names it.
    pub event: String,
    /// The matcher, as it is written.
    pub matcher: Option<String>,
    /// The layer.
    pub layer: String,
    /// The file.
    pub file: String,
    /// Where in the file, as a JSON pointer.
    pub pointer: String,
    /// What it runs.
    pub action: Action,
    /// Its time limit.
    pub timeout: Duration,
    /// Whether nobody waits for it.
    pub background: bool,
    /// Its other keys, as they are written (`if`, `name`, `once`, `failClosed`, …).
    pub options: Map<String, Value>,
    /// Keys of its group that concern it (`sequential`).
    pub group: Map<String, Value>,
}

/// What a hook runs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// A program.
    Command {
        /// How it is started.
        form: CommandForm,
        /// Variables that the config sets.
        env: Vec<(String, String)>,
        /// The folder that it runs in, if the config says so.
        cwd: Option<String>,
    },
    /// A service.
    Http {
        /// The address.
        url: String,
        /// Headers, as they are written.
        headers: Vec<(String, String)>,
        /// The variables that headers may name.
        allowed_env: Vec<String>,
    },
    /// A tool of an MCP server.
    McpTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// Its arguments, with places to fill in.
        input: Value,
    },
    /// A question to a model.
    Prompt {
        /// The question, with places to fill in.
        prompt: String,
        /// The model.
        model: Option<String>,
        /// Whether the model may use tools.
        agent: bool,
    },
    /// Nothing: a text goes to the agent as if its user had typed it.
    Submit {
        /// The text.
        text: String,
    },
}

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandForm {
    /// By a shell.
    Shell(Shell, String),
    /// By its name and its arguments.
    Exec(String, Vec<String>),
}

/// A shell that starts a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// `sh -c`.
    Sh,
    /// `bash -c`.
    Bash,
    /// `$SHELL -lc`, or `/bin/sh -lc`.
    Login,
    /// `pwsh -Command`.
    PowerShell,
}

impl CommandForm {
    /// Returns the program and its arguments. `shell` is the login shell of the user (`$SHELL`).
    #[must_use]
    pub fn argv(&self, shell: Option<&str>) -> (String, Vec<String>) {
        let (program, flag, text) = match self {
            Self::Exec(program, args) => return (program.clone(), args.clone()),
            Self::Shell(Shell::Sh, text) => ("/bin/sh", "-c", text),
            Self::Shell(Shell::Bash, text) => ("bash", "-c", text),
            Self::Shell(Shell::Login, text) => (shell.unwrap_or("/bin/sh"), "-lc", text),
            Self::Shell(Shell::PowerShell, text) => ("pwsh", "-Command", text),
        };
        (program.to_owned(), vec![flag.to_owned(), text.clone()])
    }
}
