//! What a script of another agent gets, and what comes out of it.

use serde_json::Value;

/// What a script reads that was written for an agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ScriptInput {
    /// The event, as the agent names it.
    pub event: String,
    /// The envelope that goes to its stdin, or into the body of a request.
    pub envelope: Value,
    /// Variables that the agent sets, by name.
    pub variables: Vec<(String, String)>,
}

impl ScriptInput {
    /// Makes an input without variables.
    #[must_use]
    pub fn new(event: impl Into<String>, envelope: Value) -> Self {
        Self { event: event.into(), envelope, variables: Vec::new() }
    }

    /// Adds a variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }
}

/// What came out of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptOutput<'a> {
    /// What it wrote to stdout, or the body of the answer of a service.
    pub stdout: &'a [u8],
    /// What it wrote to stderr; empty for a service.
    pub stderr: &'a str,
    /// The exit status; 0 for a service whose status was a success.
    pub exit: i32,
}

impl<'a> ScriptOutput<'a> {
    /// Describes what came out of a script.
    #[must_use]
    pub const fn new(exit: i32, stdout: &'a [u8], stderr: &'a str) -> Self {
        Self { stdout, stderr, exit }
    }
}
