//! Qwen Code.
//!
//! Its answers have the shape of Claude Code's, but not their effects: a later hook's allow undoes an
//! earlier hook's deny, so an allow is never said; arguments cannot be changed; and after a tool only
//! `continue: false` has an effect.

mod answer;
mod envelope;
mod events;
mod script;

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::tools;
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "Qwen Code";

/// The form in which Qwen Code talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "qwen",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::QWEN,
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer: answer::answer,
    refuse: answer::refuse,
    write: |dialect, envelope| PLACES.input(dialect, envelope, envelope::complete),
    reply: script::reply,
};
