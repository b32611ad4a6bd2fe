//! A config that was in force, as the journal keeps it.

use std::collections::BTreeMap;

use hookgate::{ConfigHash, HandlerTable};
use serde::{Deserialize, Serialize};

/// A config from which on decisions were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConfigNote {
    /// When it came into force, in milliseconds since 1970.
    pub time: u64,
    /// What its table is made of; each record names it.
    pub config_hash: ConfigHash,
    /// The identity of what each hook does, by its id: see [`HookSpec::definition_hash`](hookgate::HookSpec::definition_hash).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hooks: BTreeMap<String, ConfigHash>,
    /// Its files, as they were; empty once they are older than what is kept.
    #[serde(default)]
    pub files: Vec<ConfigText>,
}

impl ConfigNote {
    /// Returns what is noted of a table that is made of these files.
    pub(crate) fn of_table(time: u64, table: &HandlerTable, files: Vec<ConfigText>) -> Self {
        let hooks = table.specs().map(|hook| (hook.id().to_string(), hook.definition_hash()));
        Self { time, config_hash: table.config_hash(), hooks: hooks.collect(), files }
    }
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
