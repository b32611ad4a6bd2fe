//! Kimi Code.
//!
//! Three of its events take a deny; all others only tell. A deny is an exit status of 2 with a text on
//! stderr. Whatever a hook prints at a prompt goes to the model, JSON included.

mod envelope;
mod events;
mod script;

use hookgate_contract::dialect::{HostAnswer, HostDecision, HostStep};

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::places::bare;
use crate::tools;
use crate::wire::Plan;
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "Kimi Code";

/// The form in which Kimi Code talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "kimi",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::KIMI,
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer,
    refuse: HostAnswer::refusal,
    write: |dialect, envelope| PLACES.input(dialect, envelope, bare),
    reply: script::reply,
};

fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    if plan.refuses() {
        return plan.exit_2();
    }
    let context = plan.context.take();
    let mut answer = plan.json(None);
    answer.stdout = context.unwrap_or_default();
    answer
}
