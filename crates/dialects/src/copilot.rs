//! GitHub Copilot, the command line and the cloud agent.
//!
//! Its events have names in camelCase and in PascalCase, with envelopes of two forms: one dialect, since
//! the envelope tells which it is.

mod answer;
mod envelope;
mod events;
mod script;

use crate::agent_dialect::AgentDialect;
use crate::tools;

/// Its name for people.
const TITLE: &str = "GitHub Copilot";

/// The form in which GitHub Copilot talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "copilot",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::COPILOT,
    calls_tool,
    read: envelope::read,
    answer: answer::answer,
    refuse: answer::refuse,
    write: envelope::write,
    reply: script::reply,
};

/// At events in PascalCase it tells the names of Claude Code's tools.
fn calls_tool(event: &str, tool: &str) -> bool {
    let is_capital = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
    is_capital(event) == is_capital(tool)
}
