//! Where and how the agent runs whose hooks are run.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// Where and how the agent runs.
#[derive(Debug, Clone, Default)]
pub struct Host {
    /// The folder of the session.
    pub cwd: PathBuf,
    /// The folder of the project.
    pub project: PathBuf,
    /// The environment of the agent.
    pub env: Vec<(String, String)>,
    /// Whether a person is there (Claude Code without `-p`).
    pub interactive: bool,
    /// Facts of this run that one system knows: `surface`, `batch_size`, `trusted`, `project_trusted`,
    /// `trusted_folder`, `flags`, `remote`, and `plugins` (`{NAME: {root, data, options}}`).
    pub facts: Map<String, Value>,
}

impl Host {
    /// Returns a variable of the environment.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&str> {
        let found = self.env.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}
