//! A hook as its agent's config has it, whatever the format is.

use std::time::Duration;

use super::report::Findings;

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) hooks: Vec<SourceHook>,
    /// What concerns the whole file.
    pub(super) findings: Findings,
}

/// One hook.
#[derive(Debug)]
pub(super) struct SourceHook {
    /// Where it begins.
    pub(super) at: usize,
    /// The event, as it is written, or as it should be.
    pub(super) event: String,
    pub(super) matcher: Matcher,
    pub(super) handler: Handler,
    pub(super) name: Option<String>,
    pub(super) timeout: Duration,
    /// Whether the config says the time limit, or the agent has it.
    pub(super) timeout_is_given: bool,
    /// Whether the agent does not wait for it.
    pub(super) background: bool,
    pub(super) failure: Failure,
    /// Why the agent never runs it although it is meant, if so.
    pub(super) off: Option<String>,
    /// Whether no step may pass that the hook could not be asked about, whoever switches it off.
    pub(super) mandatory: bool,
    /// Further conditions, as keys of hooks.toml with TOML values.
    pub(super) conditions: Vec<(String, String)>,
    /// What has no place in hooks.toml, for a comment.
    pub(super) notes: Vec<String>,
    pub(super) findings: Findings,
}

/// What a hook is restricted to.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    /// As it is written; `None` if there is none.
    pub(super) text: Option<String>,
    pub(super) at: usize,
}

/// What a hook runs.
#[derive(Debug)]
pub(super) enum Handler {
    Command(Command),
    Http {
        url: String,
        headers: Vec<(String, String)>,
        allowed_env: Vec<String>,
    },
    Prompt {
        prompt: String,
        model: Option<String>,
    },
    Mcp {
        server: String,
        tool: String,
    },
    Builtin {
        name: String,
        args: Vec<String>,
    },
    /// A handler of the host that is a builtin of the same name here.
    OfHost(String),
    /// Something that hookgate cannot do.
    Unknown {
        kind: String,
        detail: String,
    },
}

impl Handler {
    /// Says what it runs.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Command(command) => command.line.text(),
            Self::Http { url, .. } => format!("a request to {url}"),
            Self::Prompt { prompt, .. } => format!("a question to a model: {prompt}"),
            Self::Mcp { server, tool } => format!("the tool {tool} of the MCP server {server}"),
            Self::Builtin { name, .. } | Self::OfHost(name) => format!("the builtin {name}"),
            Self::Unknown { kind, detail } => format!("{kind} {detail}"),
        }
    }
}

/// A program.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) line: Line,
    /// Variables that the config sets.
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: Option<String>,
}

/// How a program is written.
#[derive(Debug)]
pub(super) enum Line {
    /// For this shell.
    Shell(&'static str, String),
    Argv(Vec<String>),
}

impl Default for Line {
    fn default() -> Self {
        Self::Argv(Vec::new())
    }
}

impl Line {
    /// Returns all that is written.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Shell(_, text) => text.clone(),
            Self::Argv(words) => words.join(" "),
        }
    }
}

/// What the agent does when a hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The step goes on.
    Open,
    /// The step does not happen.
    Closed,
    /// As `Closed`, but a hook that is too slow lets the step go on.
    OpenIfSlow,
}

impl SourceHook {
    /// Makes a hook with everything as it is by default.
    pub(super) fn new(at: usize, event: impl Into<String>, handler: Handler) -> Self {
        Self {
            at,
            event: event.into(),
            matcher: Matcher::default(),
            handler,
            name: None,
            timeout: Duration::from_secs(60),
            timeout_is_given: false,
            background: false,
            failure: Failure::Open,
            off: None,
            mandatory: false,
            conditions: Vec::new(),
            notes: Vec::new(),
            findings: Findings::default(),
        }
    }
}
