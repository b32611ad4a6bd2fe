//! What came of a reload, for a journal.

use serde::{Deserialize, Serialize};

use crate::config_hash::ConfigHash;
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::read_json::read_json;

/// What came of a reload, for a journal: another table is in force, or the config was refused.
///
/// A reload that finds what is in force makes no record, nor does one that fails as the one before it.
///
/// ```
/// use hookgate::recorder::{ReloadEvent, ReloadRecord};
///
/// let line = format!(
///     r#"{{"time":1,"event":"reload_failed","generation":3,"config_hash":"sha256:{}",
///     "error":"hooks.toml:1:1: cannot be read"}}"#,
///     "0".repeat(64)
/// );
/// let record = ReloadRecord::from_json(line.as_bytes())?;
/// assert_eq!(record.event, ReloadEvent::ReloadFailed);
/// assert_eq!(ReloadRecord::from_json(&serde_json::to_vec(&record)?)?, record);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReloadRecord {
    /// When the reload ended, in milliseconds since 1970.
    pub time: u64,
    /// What came of it.
    pub event: ReloadEvent,
    /// The table in force after it.
    pub generation: Generation,
    /// What that table is made of.
    pub config_hash: ConfigHash,
    /// Hooks that are new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<HookId>,
    /// Hooks that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<HookId>,
    /// Hooks that are made of something else than before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<HookId>,
    /// Why the config was refused, all mistakes with their places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When the first of the failures up to this one was, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<u64>,
}

/// What came of a reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReloadEvent {
    /// What was loaded is in force.
    Reload,
    /// The config was refused, and the table in force stays.
    ReloadFailed,
}

impl ReloadRecord {
    /// Reads a record that was written as JSON.
    ///
    /// # Errors
    /// What makes the bytes something else than one record: an unknown or repeated key among others.
    pub fn from_json(bytes: &[u8]) -> serde_json::Result<Self> {
        read_json(bytes)
    }
}
