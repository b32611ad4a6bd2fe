//! Claude Code.
//!
//! The agent itself could not be run here, so this follows its documentation. JSON decides on every exit
//! status but 2, which blocks whatever stands beside it; a schema that is not kept is a failure that lets
//! the action pass.

mod answer;
mod envelope;
mod events;
mod script;

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::tools;

/// Its name for people.
const TITLE: &str = "Claude Code";

/// The form in which Claude Code talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "claude",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::CLAUDE,
    calls_tool: any_tool,
    read: envelope::read,
    answer: answer::answer,
    refuse: answer::refuse,
    write: envelope::write,
    reply: script::reply,
};
