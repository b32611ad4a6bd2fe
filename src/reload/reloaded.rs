//! What came of a reload that did not fail.

use std::fmt;

use serde::Serialize;

use super::changes::Changes;
use crate::config::ConfigError;
use crate::config_hash::ConfigHash;
use crate::generation::Generation;

/// What came of a reload that did not fail.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Reloaded {
    /// The table in force now.
    pub generation: Generation,
    /// What it is made of: config, scripts, prompts, rules.
    pub config_hash: ConfigHash,
    /// How many hooks it has.
    pub hooks: usize,
    /// How many hooks the table before it had.
    pub hooks_before: usize,
    /// Whether a table was put in force; `false` if that in force is what was loaded.
    pub swapped: bool,
    /// Whether the reload before this one had failed.
    pub recovered: bool,
    /// Which hooks are new, gone or others.
    pub changes: Changes,
    /// What is not a mistake, but may not be intended.
    pub warnings: Vec<ConfigError>,
}

impl fmt::Display for Reloaded {
    /// Writes what is in force and what has changed, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "generation {}, {}", self.generation, count_hooks(self.hooks))?;
        match self.hooks_before.saturating_sub(self.hooks) {
            0 => {}
            fewer => write!(f, ", {fewer} fewer")?,
        }
        if !self.swapped {
            return f.write_str(", as before");
        }
        if self.changes.is_empty() { Ok(()) } else { write!(f, " ({})", self.changes) }
    }
}

pub(super) fn count_hooks(hooks: usize) -> String {
    if hooks == 1 { "1 hook".to_owned() } else { format!("{hooks} hooks") }
}
