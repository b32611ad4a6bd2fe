//! What came of the run of one hook: a process, a request, a call of a tool, a question to a model.

use std::path::PathBuf;

use serde_json::Value;

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// The program ended with a status.
    Exited(i32),
    /// A signal ended the program.
    Signalled(i32),
    /// It was not started, and why.
    NotStarted(String),
    /// The time limit passed.
    TimedOut,
    /// The program ended with a status, and had not read its input to the end.
    InputNotRead(i32),
    /// A service answered with a status.
    Answered(u16),
    /// A service or a model could not be reached.
    Unreachable(String),
    /// An MCP tool answered; `true` if with an error.
    Called(bool),
    /// The MCP server is not connected.
    NotConnected,
    /// A model answered. A text that is no JSON is a string here.
    Opinion(Value),
}

/// What came of the run of one hook.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRun {
    /// How it ended.
    pub end: RunEnd,
    /// What it wrote to stdout, or the body or text of an answer. After a time-out it is what came in
    /// time.
    pub stdout: Vec<u8>,
    /// What it wrote to stderr.
    pub stderr: Vec<u8>,
    /// Whether it wrote more than is kept, so that a text ends in the middle.
    pub is_cut: bool,
}

impl RawRun {
    /// Makes a run that wrote nothing.
    #[must_use]
    pub const fn new(end: RunEnd) -> Self {
        Self { end, stdout: Vec::new(), stderr: Vec::new(), is_cut: false }
    }

    /// Adds what was written, or what was answered.
    #[must_use]
    pub fn with_stdout(self, stdout: Vec<u8>) -> Self {
        Self { stdout, ..self }
    }

    /// Returns the exit status of a program.
    #[must_use]
    pub const fn exit(&self) -> Option<i32> {
        match self.end {
            RunEnd::Exited(code) | RunEnd::InputNotRead(code) => Some(code),
            _ => None,
        }
    }

    /// Returns stdout as text. Bytes that are no UTF-8 become replacement characters.
    #[must_use]
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Returns stderr as text. Bytes that are no UTF-8 become replacement characters.
    #[must_use]
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// What a hook was given.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// To a program.
    Process(Process, Vec<u8>),
    /// To a service.
    Request(Request),
    /// To a tool of an MCP server.
    Call(McpCall),
    /// To a model.
    Question(Question),
}

/// What a program gets beside its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// The folder that it runs in.
    pub cwd: PathBuf,
}

/// A `POST` to a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The address.
    pub url: String,
    /// The headers, with the variables that they name filled in.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// A call of a tool of an MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpCall {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The arguments, with all places filled in.
    pub arguments: Value,
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The text, with all places filled in.
    pub text: String,
    /// The model that the hook asks for.
    pub model: Option<String>,
    /// Whether the model may use tools.
    pub agent: bool,
}
