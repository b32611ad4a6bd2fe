use serde::{Deserialize, Serialize};

use super::Payload;
use crate::contract::Contract;
use crate::event::Event;

/// The limit of iterations is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaxIterations {
    /// The limit.
    pub max_iterations: u64,
}

impl Payload for MaxIterations {
    fn contract(&self) -> &'static Contract {
        Event::MaxIterations.contract()
    }
}

/// The user is told something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Notification {
    /// How grave it is: info, warning, error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The text.
    pub message: String,
    /// A heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_type: Option<String>,
}

impl Notification {
    /// A notification with this text.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { level: None, message: message.into(), title: None, notification_type: None }
    }
}

impl Payload for Notification {
    fn contract(&self) -> &'static Contract {
        Event::Notification.contract()
    }
}

/// A configuration is about to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigChange {
    /// Which one: user, project, policy, …
    pub source: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
}

impl ConfigChange {
    /// A change to this configuration.
    #[must_use]
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), file_path: None }
    }
}

impl Payload for ConfigChange {
    fn contract(&self) -> &'static Contract {
        Event::ConfigChange.contract()
    }
}

/// A work tree is about to be created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorktreeCreate {
    /// Where.
    pub path: String,
    /// On which branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Of which repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_dir: Option<String>,
}

impl WorktreeCreate {
    /// A work tree at this path.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), branch: None, source_dir: None }
    }
}

impl Payload for WorktreeCreate {
    fn contract(&self) -> &'static Contract {
        Event::WorktreeCreate.contract()
    }
}
