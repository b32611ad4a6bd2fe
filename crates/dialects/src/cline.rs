//! Cline, the command line (3.x) and the extension.
//!
//! Only the object on stdout counts: exit statuses and stderr are ignored. To cancel a call ends the
//! session.

mod envelope;
mod events;
mod script;

use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEvent, HostStep};
use hookgate_contract::patch_field;
use serde_json::json;

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::tools;
use crate::wire::{Output, Plan};
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "Cline";

/// The form in which Cline talks to its hooks.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "cline",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::CLINE,
    calls_tool: any_tool,
    read: envelope::read,
    answer,
    refuse,
    write: |dialect, envelope| PLACES.input(dialect, envelope, envelope::complete),
    reply: script::reply,
};

fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    if plan.refuses() {
        out.top("cancel", true);
        out.top("errorMessage", plan.reason.as_ref());
    }
    out.top_if("overrideInput", plan.patch.remove(patch_field::TOOL_INPUT));
    out.top_if("contextModification", plan.context.take());
    plan.json(out.finish(step.event.name))
}

fn refuse(event: Option<&HostEvent>, reason: &str) -> HostAnswer {
    match event {
        Some(event) if !event.fails_closed() => HostAnswer::silent().note(reason),
        _ => HostAnswer::json(&json!({ "cancel": true, "errorMessage": reason })).note(reason),
    }
}
