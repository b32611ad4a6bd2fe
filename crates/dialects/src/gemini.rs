//! Gemini CLI.
//!
//! A JSON object on stdout decides on every exit status. Of several hooks any deny wins, except around
//! requests to the model, where a later answer replaces an earlier one.

mod answer;
mod envelope;
mod events;
mod script;

use hookgate_contract::dialect::HostAnswer;

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::tools;
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "Gemini CLI";

/// The form in which Gemini CLI talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "gemini",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::GEMINI,
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer: answer::answer,
    refuse: HostAnswer::refusal,
    write: |dialect, envelope| PLACES.input(dialect, envelope, envelope::complete),
    reply: script::reply,
};
