//! Meerkat.
//!
//! Its hooks read one object about a point of the run and must answer with one: an empty answer, an exit
//! status other than 0 and a key that it does not know are failures, and a failure ends the run. So does a
//! deny, since version 0.6, and nothing can be changed any more. Scripts for earlier versions may still
//! change what they could change there.

mod envelope;
mod events;
mod script;

use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEvent, HostStep};
use serde_json::{Value, json};

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::wire::Plan;
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "Meerkat";

/// The form in which Meerkat talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "meerkat",
    title: TITLE,
    events: events::EVENTS,
    tools: &[],
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer,
    refuse,
    write: envelope::write,
    reply: script::reply,
};

fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let plan = Plan::new(TITLE, step, decision);
    let said = if plan.refuses() { denied(&plan.reason) } else { json!({}) };
    plan.json(Some(said))
}

fn refuse(event: Option<&HostEvent>, reason: &str) -> HostAnswer {
    let said = match event {
        Some(event) if !event.fails_closed() => json!({}),
        _ => denied(reason),
    };
    HostAnswer::json(&said).note(reason)
}

/// The answer that denies. Meerkat puts the configured id in place of this one, but wants one.
fn denied(reason: &str) -> Value {
    json!({ "decision": {
        "decision": "deny", "hook_id": "hookgate", "reason_code": "policy_violation", "message": reason,
    }})
}
