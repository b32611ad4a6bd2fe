//! The run of one hook: a process, a request, a call of a tool, a question to a model.

use serde_json::Value;

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// The program ended with a status.
    Exited(i32),
    /// A signal ended the program.
    Signalled(i32),
    /// It could not be started.
    NotStarted(String),
    /// The time limit passed.
    TimedOut,
    /// It did not read its input to the end.
    InputNotRead(i32),
    /// A service answered with a status.
    Answered(u16),
    /// A service could not be reached.
    Unreachable(String),
    /// An MCP tool answered; `true` if with an error.
    Called(bool),
    /// The MCP server is not connected.
    NotConnected,
    /// A model answered.
    Opinion(Value),
}

/// What came of the run of one hook.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRun {
    /// How it ended.
    pub end: RunEnd,
    /// What it wrote to stdout, or the body or text of an answer.
    pub stdout: Vec<u8>,
    /// What it wrote to stderr.
    pub stderr: Vec<u8>,
}
