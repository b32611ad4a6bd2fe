//! A config that was in force, as the journal keeps it.

use hookgate::ConfigHash;
use serde::{Deserialize, Serialize};

/// A config from which on decisions were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConfigNote {
    /// When it came into force, in milliseconds since 1970.
    pub time: u64,
    /// What its table is made of; each record names it.
    pub config_hash: ConfigHash,
    /// Its files, as they were; empty once they are older than what is kept.
    #[serde(default)]
    pub files: Vec<ConfigText>,
}

/// A file of a config.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConfigText {
    /// Its path.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl ConfigText {
    /// Creates one.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}
