//! What Cursor is told: one JSON object and the exit status 0.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostEvent, HostStep};
use hookgate_contract::patch_field;
use serde_json::{Value, json};

use super::TITLE;
use super::envelope::MCP_PREFIX;
use crate::wire::{Output, Plan};

/// Says a decision as Cursor obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    match (step.event.name, plan.decision) {
        ("beforeSubmitPrompt", Some(Deny)) => {
            out.top("continue", false);
            out.top("user_message", plan.reason.as_ref());
        }
        ("stop" | "subagentStop", Some(Deny)) => {
            out.top("followup_message", plan.reason.as_ref());
        }
        (_, Some(Deny)) => {
            out.top("permission", "deny");
            out.top("agent_message", plan.reason.as_ref());
            out.top("user_message", plan.reason.as_ref());
        }
        (_, Some(Ask)) => {
            out.top("permission", "ask");
            out.top("user_message", plan.reason.as_ref());
        }
        (_, Some(Allow)) => out.top("permission", "allow"),
        _ => {}
    }
    if let Some(input) = plan.patch.remove(patch_field::TOOL_INPUT) {
        out.top("permission", "allow");
        out.top("updated_input", input);
    }
    if step.event.name == "postToolUse" {
        after_tool(&mut out, &mut plan, step);
    }
    out.top_if("additional_context", plan.context.take());
    out.top_if("user_message", plan.message.take());
    let said = out.finish(step.event.name).or_else(|| nothing(step.event));
    plan.json(said)
}

/// Says nothing where an empty answer would deny: a hook with `failClosed` must answer in JSON.
fn nothing(event: &HostEvent) -> Option<Value> {
    match event.name {
        "preToolUse" => Some(json!({ "permission": "allow" })),
        _ => event.can(HostEffect::Deny).then(|| json!({})),
    }
}

/// Only the results of MCP tools can be replaced.
fn after_tool(out: &mut Output, plan: &mut Plan<'_>, step: &HostStep) {
    let name = step.envelope.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let is_mcp = name.starts_with(MCP_PREFIX);
    let patch = std::mem::take(&mut plan.patch);
    for (field, value) in patch {
        if field == patch_field::TOOL_RESPONSE && is_mcp {
            out.top("updated_mcp_tool_output", value);
        } else {
            plan.lose(HostEffect::RewriteResult, "nothing: the model sees the result as it is");
        }
    }
}
