//! What Claude Code is told.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostEvent, HostStep};
use hookgate_contract::patch_field;
use serde_json::{Map, Value, json};

use super::TITLE;
use crate::wire::{Output, Plan, withheld};

/// Tools of MCP servers; the replacement of their results has a key of its own in older versions.
const MCP: &str = "mcp__";

/// Says a decision as Claude Code obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    match step.event.name {
        "PreToolUse" => before_tool(&mut out, &mut plan),
        "PermissionRequest" => permission(&mut out, &plan),
        "PostToolUse" => after_tool(&mut out, &mut plan, step),
        "PostToolUseFailure" if decision.decision == Some(Deny) => {
            let given = decision.reason.filter(|reason| !reason.trim().is_empty());
            block(&mut out, given.unwrap_or("denied by a hook"));
        }
        "Elicitation" | "ElicitationResult" if plan.refuses() => out.specific("action", "decline"),
        // These have no key for a decision.
        "PreCompact" | "TaskCompleted" | "TeammateIdle" | "WorktreeCreate" if plan.is(Deny) => {
            return plan.exit_2();
        }
        // To go on and to stop are opposites; elsewhere a stopped agent must not take the action either.
        "Stop" | "SubagentStop" if plan.is(Halt) => {}
        _ if plan.refuses() && step.event.name != "PostToolBatch" => block(&mut out, &plan.reason),
        _ => {}
    }
    if plan.is(Halt) && step.event.name != "PermissionRequest" {
        out.top("continue", false);
        out.top("stopReason", plan.reason.as_ref());
    }
    out.specific_if("additionalContext", plan.context.take());
    out.top_if("systemMessage", plan.message.take());
    plan.json(out.finish(step.event.name))
}

/// Refuses a step that could not be judged.
pub(super) fn refuse(event: Option<&HostEvent>, reason: &str) -> HostAnswer {
    let Some(event) = event else { return HostAnswer::exit_2(reason) };
    if event.fails_closed() {
        // There the exit status has no effect.
        if event.name == "PermissionRequest" {
            let mut out = Output::default();
            out.specific("decision", denial(reason));
            return HostAnswer::json(&out.finish(event.name).unwrap_or_default()).note(reason);
        }
        return HostAnswer::exit_2(reason);
    }
    if event.can(HostEffect::Message) {
        return HostAnswer::json(&json!({ "systemMessage": reason })).note(reason);
    }
    HostAnswer::silent().note(reason)
}

fn before_tool(out: &mut Output, plan: &mut Plan<'_>) {
    let word = match plan.decision {
        // If the agent were to go on all the same, the tool still would not run.
        Some(Deny | Halt) => Some("deny"),
        Some(Ask) => Some("ask"),
        Some(Allow) => Some("allow"),
        None => None,
    };
    if let Some(word) = word {
        out.specific("permissionDecision", word);
        out.specific("permissionDecisionReason", plan.reason.as_ref());
    }
    out.specific_if("updatedInput", plan.patch.remove(patch_field::TOOL_INPUT));
}

fn permission(out: &mut Output, plan: &Plan<'_>) {
    let decision = match plan.decision {
        Some(Allow) => json!({ "behavior": "allow" }),
        Some(Deny) => denial(&plan.reason),
        Some(Halt) => json!({ "behavior": "deny", "message": plan.reason, "interrupt": true }),
        // Without a decision the user is asked.
        Some(Ask) | None => return,
    };
    out.specific("decision", decision);
}

fn denial(reason: &str) -> Value {
    json!({ "behavior": "deny", "message": reason })
}

fn after_tool(out: &mut Output, plan: &mut Plan<'_>, step: &HostStep) {
    let mut changed = plan.patch.remove(patch_field::TOOL_RESPONSE);
    if plan.refuses() {
        block(out, &plan.reason);
        changed = step.native.get("tool_response").map(withheld);
    }
    if plan.patch.contains_key(patch_field::IS_ERROR) {
        plan.lose(HostEffect::RewriteResult, "the result is not marked as an error");
    }
    let Some(changed) = changed else { return };
    if is_mcp(&step.native) {
        out.specific("updatedMCPToolOutput", changed.clone());
    }
    out.specific("updatedToolOutput", changed);
}

fn is_mcp(native: &Map<String, Value>) -> bool {
    native.get("tool_name").and_then(Value::as_str).is_some_and(|name| name.starts_with(MCP))
}

fn block(out: &mut Output, reason: &str) {
    out.top("decision", "block");
    out.top("reason", reason);
}
