use serde::{Deserialize, Serialize};

use super::Payload;
use crate::contract::Contract;
use crate::event::Event;

/// A sub-agent begins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubagentStart {
    /// The session that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// What it is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl Payload for SubagentStart {
    fn contract(&self) -> &'static Contract {
        Event::SubagentStart.contract()
    }
}

/// A sub-agent wants to stop.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubagentStop {
    /// The session that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The last thing that it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_assistant_message: Option<String>,
    /// Whether it goes on only because a hook denied an earlier stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_hook_active: Option<bool>,
    /// How many times in a row a hook denied its stop. Where the host does not say, the engine counts
    /// it per session and agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues_so_far: Option<u64>,
}

impl Payload for SubagentStop {
    fn contract(&self) -> &'static Contract {
        Event::SubagentStop.contract()
    }
}

/// Another agent takes over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentSwitch {
    /// Who had the word.
    pub from_agent: String,
    /// Who has it now.
    pub to_agent: String,
    /// How it came about: `handoff`, `transfer_task`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch_kind: Option<String>,
}

impl AgentSwitch {
    /// A switch between two agents.
    #[must_use]
    pub fn new(from_agent: impl Into<String>, to_agent: impl Into<String>) -> Self {
        Self { from_agent: from_agent.into(), to_agent: to_agent.into(), switch_kind: None }
    }
}

impl Payload for AgentSwitch {
    fn contract(&self) -> &'static Contract {
        Event::AgentSwitch.contract()
    }
}
