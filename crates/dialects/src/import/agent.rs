//! The agents whose configs can be read.

use std::fmt;

/// An agent whose configs can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// `OpenAI` Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Qwen Code.
    Qwen,
    /// Cursor.
    Cursor,
    /// GitHub Copilot.
    Copilot,
    /// Kimi Code.
    Kimi,
    /// Docker's agent.
    DockerAgent,
    /// Meerkat.
    Meerkat,
    /// defect.
    Defect,
}

impl Agent {
    /// All agents.
    pub const ALL: [Self; 10] = [
        Self::Claude,
        Self::Codex,
        Self::Copilot,
        Self::Cursor,
        Self::Defect,
        Self::DockerAgent,
        Self::Gemini,
        Self::Kimi,
        Self::Meerkat,
        Self::Qwen,
    ];

    /// Returns the name of its dialect.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Kimi => "kimi",
            Self::DockerAgent => "docker-agent",
            Self::Meerkat => "meerkat",
            Self::Defect => "defect",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
            Self::Cursor => "Cursor",
            Self::Copilot => "Copilot",
            Self::Kimi => "Kimi Code",
            Self::DockerAgent => "docker agent",
            Self::Meerkat => "Meerkat",
            Self::Defect => "defect",
        }
    }

    /// Returns the agent of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// The folders of agents in which their configs are.
pub(super) const FOLDERS: &[&str] = &[
    ".claude",
    ".claude-plugin",
    ".codex",
    ".codex-plugin",
    ".copilot",
    ".cursor",
    ".defect",
    ".gemini",
    ".github",
    ".kimi",
    ".kimi-code",
    ".qwen",
    ".rkat",
];
