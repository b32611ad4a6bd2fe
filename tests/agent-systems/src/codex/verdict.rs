//! What an answer that has the right form means.

use serde_json::{Map, Value};

use hookgate_dialects::codex::refusal;

use super::event::Event;
use crate::foreign::{Audience, ForeignVerdict, HookResult, HookStatus};

/// The text in the place of a result when the hook gives no other.
const STOPPED: &str = "PostToolUse hook stopped execution";

/// The reason of a denial when the hook gives none.
const DENIED: &str = "PermissionRequest hook denied approval";

/// A run that failed: the action goes on.
pub(super) fn failed(why: String) -> HookResult {
    HookResult { shown_to_user: Some(why.clone()), ..HookResult::new(HookStatus::Failed(why)) }
}

/// Says what stderr means when a hook exits with 2.
pub(super) fn of_exit_two(event: Event, reason: String) -> HookResult {
    // After a tool it is a remark and no block: Codex calls the run completed.
    let status = if event == Event::PostToolUse { HookStatus::Ok } else { HookStatus::Blocked };
    block(event, status, reason)
}

/// Says what an answer means.
pub(super) fn of_answer(event: Event, answer: &Map<String, Value>) -> HookResult {
    let mut result = match refusal(event.name(), answer) {
        Some(why) => failed(why),
        None => taken(event, answer),
    };
    result.system_message = text(answer, "systemMessage").map(str::to_owned);
    result
}

fn taken(event: Event, answer: &Map<String, Value>) -> HookResult {
    match event {
        Event::PreToolUse => before_tool(answer),
        Event::PermissionRequest => permission(answer),
        Event::PostToolUse => after_tool(answer),
        Event::UserPromptSubmit => prompt(answer),
        Event::Stop | Event::SubagentStop => stop(event, answer),
        Event::SessionStart => HookResult {
            context: context(answer),
            ends_turn: is_stopped(answer),
            ..halt(answer).unwrap_or_else(|| HookResult::new(HookStatus::Ok))
        },
        Event::SubagentStart => {
            HookResult { context: context(answer), ..HookResult::new(HookStatus::Ok) }
        }
        Event::PreCompact | Event::PostCompact => {
            halt(answer).unwrap_or_else(|| HookResult::new(HookStatus::Ok))
        }
        Event::SessionEnd | Event::Interrupt => HookResult::new(HookStatus::Ok),
    }
}

fn before_tool(answer: &Map<String, Value>) -> HookResult {
    let own = specific(answer);
    let denial = match own.and_then(|own| text(own, "permissionDecision")) {
        Some("deny") => own.and_then(|own| text(own, "permissionDecisionReason")),
        Some(_) => None,
        None => text(answer, "decision").and_then(|_| text(answer, "reason")),
    };
    let result = match denial.and_then(trimmed) {
        Some(reason) => block(Event::PreToolUse, HookStatus::Blocked, reason.to_owned()),
        None => HookResult::new(HookStatus::Ok),
    };
    let updated_input = own.and_then(|own| present(own, "updatedInput")).cloned();
    HookResult { context: context(answer), updated_input, ..result }
}

fn permission(answer: &Map<String, Value>) -> HookResult {
    let decision = specific(answer).and_then(|own| own.get("decision")?.as_object());
    let Some(decision) = decision else { return HookResult::new(HookStatus::Ok) };
    if text(decision, "behavior") == Some("deny") {
        let message = text(decision, "message").and_then(trimmed).unwrap_or(DENIED);
        return block(Event::PermissionRequest, HookStatus::Blocked, message.to_owned());
    }
    HookResult { verdict: ForeignVerdict::Allow, ..HookResult::new(HookStatus::Ok) }
}

fn after_tool(answer: &Map<String, Value>) -> HookResult {
    let event = Event::PostToolUse;
    let reason = text(answer, "reason");
    if is_stopped(answer) {
        // The result goes, the turn goes on: the model reads the text instead. It is no decision.
        let stop = text(answer, "stopReason").unwrap_or(STOPPED);
        let instead = reason.and_then(trimmed).unwrap_or(stop).to_owned();
        let stopped = block(event, HookStatus::Stopped, instead);
        // What would be refused otherwise adds nothing.
        let mut rest = answer.clone();
        rest.remove("continue");
        if text(answer, "decision").is_none() {
            rest.remove("reason");
        }
        let is_refused = refusal(event.name(), &rest).is_some();
        let context = if is_refused { Vec::new() } else { context(answer) };
        return HookResult { context, verdict: ForeignVerdict::None, ..stopped };
    }
    let context = context(answer);
    match (text(answer, "decision"), reason) {
        (Some(_), Some(reason)) => {
            HookResult { context, ..block(event, HookStatus::Blocked, reason.to_owned()) }
        }
        _ => HookResult { context, ..HookResult::new(HookStatus::Ok) },
    }
}

fn prompt(answer: &Map<String, Value>) -> HookResult {
    let event = Event::UserPromptSubmit;
    let reason = text(answer, "reason").filter(|reason| trimmed(reason).is_some());
    let is_block = text(answer, "decision").is_some();
    let context = if is_block && reason.is_none() { Vec::new() } else { context(answer) };
    let result = match (halt(answer), reason) {
        // The prompt does not reach the model, as with a block.
        (Some(halt), _) => HookResult {
            verdict: ForeignVerdict::Deny,
            reason: halt.halt_reason.clone(),
            reason_to: halt.halt_reason.as_ref().map(|_| Audience::User),
            ..halt
        },
        (None, Some(reason)) if is_block => block(event, HookStatus::Blocked, reason.to_owned()),
        (None, _) => HookResult::new(HookStatus::Ok),
    };
    HookResult { context, ..result }
}

fn stop(event: Event, answer: &Map<String, Value>) -> HookResult {
    if let Some(halt) = halt(answer) {
        return halt;
    }
    match (text(answer, "decision"), text(answer, "reason")) {
        (Some(_), Some(reason)) => block(event, HookStatus::Blocked, reason.trim().to_owned()),
        _ => HookResult::new(HookStatus::Ok),
    }
}

fn block(event: Event, status: HookStatus, reason: String) -> HookResult {
    let (verdict, audience) = match event {
        Event::PostToolUse => (ForeignVerdict::Feedback, Audience::Model),
        Event::Stop | Event::SubagentStop => (ForeignVerdict::KeepGoing, Audience::Model),
        Event::UserPromptSubmit => (ForeignVerdict::Deny, Audience::User),
        _ => (ForeignVerdict::Deny, Audience::Model),
    };
    HookResult {
        verdict,
        reason: Some(reason),
        reason_to: Some(audience),
        ..HookResult::new(status)
    }
}

fn halt(answer: &Map<String, Value>) -> Option<HookResult> {
    is_stopped(answer).then(|| HookResult {
        halt: true,
        halt_reason: text(answer, "stopReason").map(str::to_owned),
        ..HookResult::new(HookStatus::Stopped)
    })
}

fn context(answer: &Map<String, Value>) -> Vec<String> {
    let context = specific(answer).and_then(|own| text(own, "additionalContext"));
    context.filter(|context| !context.is_empty()).map(str::to_owned).into_iter().collect()
}

fn specific(answer: &Map<String, Value>) -> Option<&Map<String, Value>> {
    answer.get("hookSpecificOutput")?.as_object()
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

fn present<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

fn trimmed(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn is_stopped(answer: &Map<String, Value>) -> bool {
    answer.get("continue") == Some(&Value::Bool(false))
}
