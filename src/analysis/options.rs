//! What an analysis is to know beside the table.

use std::time::Duration;

/// How long GitHub Copilot and Kimi wait for a hook whose time is not set. Gemini CLI waits for 60 s, and
/// Claude Code and Codex for 600 s at most events.
const USUAL: Duration = Duration::from_secs(30);

/// What an analysis is to know beside the table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// How long an agent waits for its hooks; 30 s by default, which is what GitHub Copilot and Kimi give
    /// a hook whose time is not set.
    pub longest: Duration,
    /// The tools that the session has. Each must have a guard.
    pub tools: Vec<ListedTool>,
}

impl Default for Options {
    fn default() -> Self {
        Self { longest: USUAL, tools: Vec::new() }
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
