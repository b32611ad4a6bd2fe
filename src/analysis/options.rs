//! What an analysis is to know beside the table.

use std::time::Duration;

/// How long the least patient agents wait for a hook whose time is not set: GitHub Copilot and Kimi, 30 s.
/// Others wait for 60 s (Gemini CLI) or 600 s (Claude Code, Codex).
const LEAST_PATIENT: Duration = Duration::from_secs(30);

/// What an analysis is to know beside the table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// How long an agent waits for its hooks; 30 s by default, the least that an agent gives a hook whose
    /// time is not set (GitHub Copilot, Kimi).
    pub longest: Duration,
    /// The tools that the session has. Each must have a guard.
    pub tools: Vec<ListedTool>,
}

impl Default for Options {
    fn default() -> Self {
        Self { longest: LEAST_PATIENT, tools: Vec::new() }
    }
}

impl Options {
    /// Returns the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long an agent waits for its hooks.
    #[must_use]
    pub const fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// Adds a tool that the session has.
    #[must_use]
    pub fn tool(mut self, tool: ListedTool) -> Self {
        self.tools.push(tool);
        self
    }
}

/// A tool of a list, and where the list names it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedTool {
    /// The name.
    pub name: String,
    /// The file of the list.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

impl ListedTool {
    /// Names a tool.
    #[must_use]
    pub fn new(name: impl Into<String>, file: impl Into<String>, line: usize) -> Self {
        Self { name: name.into(), file: file.into(), line }
    }
}
