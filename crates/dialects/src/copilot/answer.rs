//! What GitHub Copilot is told: one JSON object and the exit status 0.
//!
//! Before a tool the keys are at the top for the form in camelCase, and in `hookSpecificOutput` for that in
//! PascalCase. Everywhere else they are at the top in both.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostEvent, HostStep};
use hookgate_contract::patch_field;
use serde_json::{Value, json};

use super::TITLE;
use super::envelope::changed_result;
use crate::wire::{Output, Plan};

/// Says a decision as Copilot obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    match step.event.name {
        "preToolUse" => before_tool(&mut out, &mut plan),
        "PreToolUse" => before_tool_pascal(&mut out, &mut plan),
        "permissionRequest" | "PermissionRequest" => match plan.decision {
            Some(Allow) => out.top("behavior", "allow"),
            Some(Deny | Halt) => {
                out.top("behavior", "deny");
                out.top("message", plan.reason.as_ref());
                out.top_if("interrupt", (plan.decision == Some(Halt)).then_some(true));
            }
            // Without an answer the user is asked.
            Some(Ask) | None => {}
        },
        _ if plan.refuses() => block(&mut out, &plan.reason),
        _ => {}
    }
    out.top_if("modifiedPrompt", plan.patch.remove(patch_field::PROMPT));
    if let Some(text) = plan.patch.remove(patch_field::TOOL_RESPONSE) {
        out.top("modifiedResult", changed_result(&step.native, &text));
    }
    if plan.patch.remove(patch_field::IS_ERROR).is_some() {
        plan.lose(HostEffect::RewriteResult, "the result is not marked as an error");
    }
    out.top_if("additionalContext", plan.context.take());
    plan.json(out.finish(step.event.name))
}

/// A rewrite without a decision leaves it to the user whether the tool runs.
fn before_tool(out: &mut Output, plan: &mut Plan<'_>) {
    if let Some(word) = permission(plan) {
        out.top("permissionDecision", word);
        out.top("permissionDecisionReason", plan.reason.as_ref());
    }
    out.top_if("modifiedArgs", plan.patch.remove(patch_field::TOOL_INPUT));
}

fn before_tool_pascal(out: &mut Output, plan: &mut Plan<'_>) {
    if let Some(word) = permission(plan) {
        out.specific("permissionDecision", word);
        out.specific("permissionDecisionReason", plan.reason.as_ref());
    }
    out.specific_if("updatedInput", plan.patch.remove(patch_field::TOOL_INPUT));
    out.specific_if("additionalContext", plan.context.take());
}

fn permission(plan: &Plan<'_>) -> Option<&'static str> {
    plan.decision.map(|decision| match decision {
        Deny | Halt => "deny",
        Ask => "ask",
        Allow => "allow",
    })
}

fn block(out: &mut Output, reason: &str) {
    out.top("decision", "block");
    out.top("reason", reason);
}

/// Refuses a step that could not be judged.
pub(super) fn refuse(event: Option<&HostEvent>, reason: &str) -> HostAnswer {
    let Some(event) = event else {
        // Whatever the event is: a status that is not 0 denies before a tool, and the object has the text.
        let mut answer = HostAnswer::json(&denied_anywhere(reason)).note(reason);
        answer.exit = 2;
        return answer;
    };
    if !event.fails_closed() {
        return HostAnswer::silent().note(reason);
    }
    let object = match event.ours {
        "pre_tool_use" | "permission_request" => denied_anywhere(reason),
        // There an exit status of 2 has no effect.
        _ => json!({ "decision": "block", "reason": reason }),
    };
    HostAnswer::json(&object).note(reason)
}

/// A deny before a tool and of a permission at once. Keys at the top are read in both forms.
fn denied_anywhere(reason: &str) -> Value {
    json!({
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
        "behavior": "deny",
        "message": reason,
    })
}
