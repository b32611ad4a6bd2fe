//! OpenAI Codex.
//!
//! JSON counts with the exit status 0 only and is read strictly: an unknown key or a missing one makes the
//! whole answer a failure that lets the action pass. So an answer is checked by the same rules before it
//! is given. With the status 2 only stderr counts.

mod answer;
mod envelope;
mod events;
mod form;
mod refusal;
mod script;

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::tools;

pub use form::form_fault;
pub use refusal::refusal;

/// Its name for people.
const TITLE: &str = "Codex";

/// The form in which Codex talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "codex",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::CODEX,
    calls_tool: any_tool,
    read: envelope::read,
    answer: answer::answer,
    refuse: answer::refuse,
    write: envelope::write,
    reply: script::reply,
};
