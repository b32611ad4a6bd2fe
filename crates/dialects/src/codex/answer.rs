//! What Codex is told.

use std::borrow::Cow;

use hookgate_contract::VerdictDecision::{Allow, Deny, Halt};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostEvent, HostStep};
use hookgate_contract::patch_field;
use serde_json::{Value, json};

use super::TITLE;
use super::refusal::refusal;
use crate::wire::{Output, Plan};

/// What stands for a result that a hook has emptied: Codex takes no blank text.
const EMPTIED: &str = "[the result is empty]";

/// Says a decision as Codex obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    match step.event.name {
        "PreToolUse" => before_tool(&mut out, &mut plan),
        "PermissionRequest" => match plan.decision {
            Some(Allow) => out.specific("decision", json!({ "behavior": "allow" })),
            Some(Deny) => out.specific("decision", denial(&plan.reason)),
            // Without a decision the user is asked.
            _ => {}
        },
        "PostToolUse" => after_tool(&mut out, &mut plan, decision.decision == Some(Halt)),
        "PreCompact" if plan.refuses() => stop(&mut out, &plan.reason),
        _ if plan.is(Halt) => stop(&mut out, &plan.reason),
        _ if plan.is(Deny) => block(&mut out, &plan.reason),
        _ => {}
    }
    out.specific_if("additionalContext", plan.context.take());
    out.top_if("systemMessage", plan.message.take());
    let object = out.finish(step.event.name);
    match &object {
        // It would be a failure that lets the action pass. The other form has no schema.
        Some(Value::Object(object)) if refusal(step.event.name, object).is_some() => plan.exit_2(),
        _ => plan.json(object),
    }
}

/// Refuses a step that could not be judged.
pub(super) fn refuse(event: Option<&HostEvent>, reason: &str) -> HostAnswer {
    match event {
        Some(event) if event.fails_closed() => HostAnswer::exit_2(reason),
        Some(event) if event.can(HostEffect::Message) => {
            HostAnswer::json(&json!({ "systemMessage": reason })).note(reason)
        }
        Some(_) => HostAnswer::silent().note(reason),
        None => HostAnswer::exit_2(reason),
    }
}

fn before_tool(out: &mut Output, plan: &mut Plan<'_>) {
    if plan.refuses() {
        out.specific("permissionDecision", "deny");
        out.specific("permissionDecisionReason", plan.reason.as_ref());
    } else if let Some(input) = plan.patch.remove(patch_field::TOOL_INPUT) {
        // An allow alone is a failure there, and grants nothing beside a change.
        out.specific("permissionDecision", "allow");
        out.specific("updatedInput", input);
    }
}

fn after_tool(out: &mut Output, plan: &mut Plan<'_>, halts: bool) {
    if plan.refuses() && halts {
        return stop(out, &plan.reason);
    }
    if plan.refuses() {
        return block(out, &plan.reason);
    }
    if plan.patch.contains_key(patch_field::IS_ERROR) {
        plan.lose(HostEffect::RewriteResult, "the result is not marked as an error");
    }
    let Some(changed) = plan.patch.remove(patch_field::TOOL_RESPONSE) else { return };
    let text = match &changed {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        other => Cow::Owned(other.to_string()),
    };
    block(out, if text.trim().is_empty() { EMPTIED } else { &text });
}

fn denial(reason: &str) -> Value {
    json!({ "behavior": "deny", "message": reason })
}

fn block(out: &mut Output, reason: &str) {
    out.top("decision", "block");
    out.top("reason", reason);
}

fn stop(out: &mut Output, reason: &str) {
    out.top("continue", false);
    out.top("stopReason", reason);
}
