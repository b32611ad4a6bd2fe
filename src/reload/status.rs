//! What is in force, and whether it is what is on disk.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Serialize, Serializer};

use super::error::ReloadError;
use super::reloaded::count_hooks;
use crate::config_hash::ConfigHash;
use crate::generation::Generation;

/// What is in force, and whether it is what is on disk: for a page, a log line, a health check.
///
/// `Display` writes it in one line, and it is written as one JSON object. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReloadStatus {
    /// The table in force.
    pub generation: Generation,
    /// What it is made of: config, scripts, prompts, rules.
    pub config_hash: ConfigHash,
    /// How many hooks it has.
    pub hooks: usize,
    /// When a reload has put a table in force; before the first one, when the reloader was made.
    pub loaded: u64,
    /// When the config was last loaded, whatever came of it.
    pub checked: u64,
    /// How many reloads have failed since the reloader was made.
    pub failed: u64,
    /// Why what is on disk is not in force; `None` if it is, as far as the last reload has found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<ReloadFailure>,
}

/// Reloads that have failed, one after the other, up to now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReloadFailure {
    /// Why the last one has failed. In JSON it is its text.
    #[serde(serialize_with = "as_text")]
    pub error: ReloadError,
    /// When the first of them has failed, in milliseconds since 1970.
    pub since: u64,
    /// How many they are.
    pub attempts: u64,
}

impl fmt::Display for ReloadStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (generation, hooks) = (self.generation, count_hooks(self.hooks));
        let since = time(self.loaded);
        write!(f, "generation {generation}, {hooks}, {}, since {since}", self.config_hash)?;
        match &self.failure {
            Some(failure) => write!(f, "; {failure}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ReloadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, since, attempts } = self;
        let times = if *attempts == 1 { "once".to_owned() } else { format!("{attempts} times") };
        let error = error.to_string();
        // One line: the first of several mistakes stands for all.
        let first = error.lines().next().unwrap_or_default();
        write!(f, "the config is not in force: it failed {times} since {}: {first}", time(*since))
    }
}

fn as_text<S: Serializer>(error: &ReloadError, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

/// Writes a time as RFC 3339 does.
fn time(unix_ms: u64) -> String {
    // Later ones cannot be written so.
    let until_9999 = unix_ms.min(253_402_300_799_000);
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(until_9999)).to_string()
}
