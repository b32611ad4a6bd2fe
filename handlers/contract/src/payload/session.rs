use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FieldRef, Payload, put, text_of};
use crate::contract::Contract;
use crate::event::Event;
use crate::patch_field;

/// Why a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// A new session.
    Startup,
    /// An earlier one goes on.
    Resume,
    /// The conversation was cleared.
    Clear,
    /// The conversation was compacted.
    Compact,
    /// The session was split off another.
    Fork,
}

/// A session begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionStart {
    /// Why.
    pub source: SessionSource,
    /// The model in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl SessionStart {
    /// A session that begins for this reason.
    #[must_use]
    pub const fn new(source: SessionSource) -> Self {
        Self { source, model: None, title: None }
    }
}

impl Payload for SessionStart {
    fn contract(&self) -> &'static Contract {
        Event::SessionStart.contract()
    }
}

/// A user lets a session go on past its limit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionResume {
    /// The limit before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_max_iterations: Option<u64>,
    /// The limit now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_max_iterations: Option<u64>,
}

impl Payload for SessionResume {
    fn contract(&self) -> &'static Contract {
        Event::SessionResume.contract()
    }
}

/// A session has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionEnd {
    /// Why.
    pub reason: String,
}

impl SessionEnd {
    /// A session that has ended for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl Payload for SessionEnd {
    fn contract(&self) -> &'static Contract {
        Event::SessionEnd.contract()
    }
}

/// The conversation is about to be compacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PreCompact {
    /// What set it off: manual, auto, overflow, …
    pub trigger: String,
    /// About how many tokens there are now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_estimate: Option<u64>,
    /// From how many tokens on the conversation is compacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u64>,
    /// How many tokens the model takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_limit: Option<u64>,
    /// What the user wants to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// A summary that a rewriter supplied; the runtime then makes none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

impl PreCompact {
    /// A compaction that this set off.
    #[must_use]
    pub fn new(trigger: impl Into<String>) -> Self {
        Self {
            trigger: trigger.into(),
            token_estimate: None,
            threshold: None,
            context_limit: None,
            custom_instructions: None,
            summary: None,
        }
    }
}

impl Payload for PreCompact {
    fn contract(&self) -> &'static Contract {
        Event::PreCompact.contract()
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        match name {
            patch_field::CUSTOM_INSTRUCTIONS => {
                self.custom_instructions.as_deref().map(FieldRef::Text)
            }
            patch_field::SUMMARY => self.summary.as_deref().map(FieldRef::Text),
            _ => None,
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        match name {
            patch_field::CUSTOM_INSTRUCTIONS => {
                put(&mut self.custom_instructions, text_of(value), patch_field::CUSTOM_INSTRUCTIONS)
            }
            // Of several summaries the first wins.
            patch_field::SUMMARY if self.summary.is_none() => {
                put(&mut self.summary, text_of(value), patch_field::SUMMARY)
            }
            _ => None,
        }
    }
}

/// The conversation has been compacted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PostCompact {
    /// How many tokens there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<u64>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<u64>,
    /// What took the place of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

impl Payload for PostCompact {
    fn contract(&self) -> &'static Contract {
        Event::PostCompact.contract()
    }
}
