use serde::{Deserialize, Serialize};

use super::Payload;
use crate::contract::Contract;
use crate::event::Event;

/// A turn begins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnStart {
    /// Which call of the model this is, from 1.
    pub iteration: u64,
    /// Whether a sub-agent runs the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_subagent: Option<bool>,
}

impl TurnStart {
    /// The turn of this iteration.
    #[must_use]
    pub const fn new(iteration: u64) -> Self {
        Self { iteration, is_subagent: None }
    }
}

impl Payload for TurnStart {
    fn contract(&self) -> &'static Contract {
        Event::TurnStart.contract()
    }
}

/// A turn has ended and the next one may begin.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnBoundary {
    /// Why the turn has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many times in a row the agent was made to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues_so_far: Option<u64>,
    /// Whether the agent ended the turn of its own accord.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voluntary: Option<bool>,
}

impl Payload for TurnBoundary {
    fn contract(&self) -> &'static Contract {
        Event::TurnBoundary.contract()
    }
}

/// The agent wants to stop.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stop {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
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

impl Payload for Stop {
    fn contract(&self) -> &'static Contract {
        Event::Stop.contract()
    }
}
