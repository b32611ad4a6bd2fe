//! docker agent, formerly cagent.
//!
//! Its hooks are programs that read one object with mostly the names of our fields and answer with one
//! object, or block by the exit status 2. A failed hook lets the step pass, but before a tool runs
//! (`pre_tool_use`, `tool_guard`).

mod answer;
mod envelope;
mod events;
mod script;

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::places::bare;
use crate::tools;
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "docker agent";

/// The event at which a result can be replaced, and so be hidden.
const TRANSFORM: &str = "tool_response_transform";

/// The form in which docker agent talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "docker-agent",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::DOCKER_AGENT,
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer: answer::answer,
    refuse: answer::refuse,
    write: |dialect, envelope| PLACES.input(dialect, envelope, bare),
    reply: script::reply,
};
