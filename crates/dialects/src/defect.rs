//! defect.
//!
//! Its hooks are programs that read one object about a step and answer with a verdict (`control`), or
//! refuse by the exit status 2. Whatever else they do, the step goes on.

mod answer;
mod envelope;
mod events;
mod script;

use hookgate_contract::dialect::HostAnswer;

use crate::agent_dialect::{AgentDialect, any_tool};
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "defect";

/// The form in which defect talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "defect",
    title: TITLE,
    events: events::EVENTS,
    tools: &[],
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer: answer::answer,
    refuse: HostAnswer::refusal,
    write: |dialect, envelope| PLACES.input(dialect, envelope, envelope::complete),
    reply: script::reply,
};
