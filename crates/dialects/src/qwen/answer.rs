//! What Qwen Code is told: one JSON object and the exit status 0, and never an allow.

use hookgate_contract::VerdictDecision::{Ask, Deny, Halt};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEvent, HostStep};
use serde_json::json;

use super::TITLE;
use crate::wire::{Output, Plan};

/// Says a decision as Qwen Code obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    match (step.event.name, plan.decision) {
        (_, None) => {}
        ("PreToolUse", Some(Ask)) => permission(&mut out, "ask", &plan),
        ("PreToolUse", Some(Deny)) => permission(&mut out, "deny", &plan),
        ("PermissionRequest", Some(Deny)) => {
            out.specific("decision", json!({ "behavior": "deny", "message": plan.reason }));
        }
        // After a tool it obeys nothing else.
        ("PostToolUse", Some(Deny)) | (_, Some(Halt)) => {
            out.top("continue", false);
            out.top("stopReason", plan.reason.as_ref());
        }
        _ => {
            out.top("decision", "block");
            out.top("reason", plan.reason.as_ref());
        }
    }
    out.specific_if("additionalContext", plan.context.take());
    out.top_if("systemMessage", plan.message.take());
    plan.json(out.finish(step.event.name))
}

fn permission(out: &mut Output, word: &str, plan: &Plan<'_>) {
    out.specific("permissionDecision", word);
    out.specific("permissionDecisionReason", plan.reason.as_ref());
}

/// Refuses a step that could not be judged.
pub(super) fn refuse(event: Option<&HostEvent>, reason: &str) -> HostAnswer {
    match event {
        // An exit status of 2 has no effect there.
        Some(event) if event.name == "PostToolUse" => {
            HostAnswer::json(&json!({ "continue": false, "stopReason": reason })).note(reason)
        }
        _ => HostAnswer::refusal(event, reason),
    }
}
