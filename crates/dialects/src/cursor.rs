//! Cursor.
//!
//! The agent could not be run here, so this follows its documentation. An object counts on the exit
//! status 0, 2 denies, and any other failure lets the action pass unless the hook has `failClosed`.

mod answer;
mod envelope;
mod events;
mod script;

use hookgate_contract::dialect::HostAnswer;

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::tools;
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "Cursor";

/// The form in which Cursor talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "cursor",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::CURSOR,
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer: answer::answer,
    refuse: HostAnswer::refusal,
    write: |dialect, envelope| PLACES.input(dialect, envelope, envelope::complete),
    reply: script::reply,
};
