//! What an answer that has the right form means.

use serde_json::{Map, Value};

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
    let mut result = match event {
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
    };
    result.system_message = text(answer, "systemMessage").map(str::to_owned);
    result
}

fn before_tool(answer: &Map<String, Value>) -> HookResult {
    if let Some(result) = unsupported(Event::PreToolUse, answer) {
        return result;
    }
    let own = specific(answer);
    let decision = own.and_then(|own| text(own, "permissionDecision"));
    let reason = own.and_then(|own| text(own, "permissionDecisionReason"));
    let rewrite = own.and_then(|own| present(own, "updatedInput"));
    let refused = |what: &str| failed(format!("PreToolUse hook returned {what}"));
    let context = context(answer);
    if decision.is_none() && reason.is_none() && rewrite.is_none() {
        return match blocked(Event::PreToolUse, answer) {
            Some(result) => HookResult { context: kept(&result, context), ..result },
            None => HookResult { context, ..HookResult::new(HookStatus::Ok) },
        };
    }
    match (decision, reason.and_then(trimmed), rewrite) {
        (Some("allow"), _, Some(rewrite)) => HookResult {
            context,
            updated_input: Some(rewrite.clone()),
            ..HookResult::new(HookStatus::Ok)
        },
        (_, _, Some(_)) => refused("updatedInput without permissionDecision:allow"),
        (Some("deny"), Some(reason), None) => HookResult {
            context,
            ..block(Event::PreToolUse, HookStatus::Blocked, reason.to_owned())
        },
        (Some("deny"), None, None) => {
            refused("permissionDecision:deny without a non-empty permissionDecisionReason")
        }
        (Some(word), _, None) => refused(&format!("unsupported permissionDecision:{word}")),
        (None, _, None) => refused("permissionDecisionReason without permissionDecision"),
    }
}

/// Reads the older `decision` of `PreToolUse`. `None` if there is nothing to say.
fn blocked(event: Event, answer: &Map<String, Value>) -> Option<HookResult> {
    let name = event.name();
    let reason = text(answer, "reason");
    match text(answer, "decision") {
        Some("block") => Some(match reason.and_then(trimmed) {
            Some(reason) => block(event, HookStatus::Blocked, reason.to_owned()),
            None => no_reason(event),
        }),
        Some(word) => Some(failed(format!("{name} hook returned unsupported decision:{word}"))),
        None => reason.map(|_| failed(format!("{name} hook returned reason without decision"))),
    }
}

fn permission(answer: &Map<String, Value>) -> HookResult {
    if let Some(result) = unsupported(Event::PermissionRequest, answer) {
        return result;
    }
    let decision = specific(answer).and_then(|own| own.get("decision")?.as_object());
    let Some(decision) = decision else { return HookResult::new(HookStatus::Ok) };
    let refused =
        |what: &str| failed(format!("PermissionRequest hook returned unsupported {what}"));
    if present(decision, "updatedInput").is_some() {
        return refused("updatedInput");
    }
    if present(decision, "updatedPermissions").is_some() {
        return refused("updatedPermissions");
    }
    if decision.get("interrupt") == Some(&Value::Bool(true)) {
        return refused("interrupt:true");
    }
    if text(decision, "behavior") == Some("deny") {
        let message = text(decision, "message").and_then(trimmed).unwrap_or(DENIED);
        return block(Event::PermissionRequest, HookStatus::Blocked, message.to_owned());
    }
    HookResult { verdict: ForeignVerdict::Allow, ..HookResult::new(HookStatus::Ok) }
}

fn after_tool(answer: &Map<String, Value>) -> HookResult {
    let event = Event::PostToolUse;
    let reason = text(answer, "reason");
    let own = specific(answer);
    let refused = if is_suppressed(answer) {
        Some(failed("PostToolUse hook returned unsupported suppressOutput".to_owned()))
    } else if own.and_then(|own| present(own, "updatedMCPToolOutput")).is_some() {
        Some(failed("PostToolUse hook returned unsupported updatedMCPToolOutput".to_owned()))
    } else {
        match (text(answer, "decision"), reason) {
            (Some(_), reason) if reason.and_then(trimmed).is_none() => Some(no_reason(event)),
            (None, Some(_)) if !is_stopped(answer) => {
                Some(failed("PostToolUse hook returned reason without decision".to_owned()))
            }
            _ => None,
        }
    };
    let context = if refused.is_none() { context(answer) } else { Vec::new() };
    if is_stopped(answer) {
        // The result goes, the turn goes on: the model reads the text instead. It is no decision.
        let stop = text(answer, "stopReason").unwrap_or(STOPPED);
        let instead = reason.and_then(trimmed).unwrap_or(stop).to_owned();
        let stopped = block(event, HookStatus::Stopped, instead);
        return HookResult { context, verdict: ForeignVerdict::None, ..stopped };
    }
    match (refused, text(answer, "decision"), reason) {
        (Some(refused), _, _) => refused,
        (None, Some(_), Some(reason)) => {
            HookResult { context, ..block(event, HookStatus::Blocked, reason.to_owned()) }
        }
        _ => HookResult { context, ..HookResult::new(HookStatus::Ok) },
    }
}

fn prompt(answer: &Map<String, Value>) -> HookResult {
    let event = Event::UserPromptSubmit;
    let reason = text(answer, "reason").filter(|reason| trimmed(reason).is_some());
    let is_block = text(answer, "decision").is_some();
    let is_refused = is_block && reason.is_none();
    let context = if is_refused { Vec::new() } else { context(answer) };
    let result = match (halt(answer), reason) {
        // The prompt does not reach the model, as with a block.
        (Some(halt), _) => HookResult {
            verdict: ForeignVerdict::Deny,
            reason: halt.halt_reason.clone(),
            reason_to: halt.halt_reason.as_ref().map(|_| Audience::User),
            ..halt
        },
        (None, Some(reason)) if is_block => block(event, HookStatus::Blocked, reason.to_owned()),
        (None, _) if is_refused => no_reason(event),
        (None, _) => HookResult::new(HookStatus::Ok),
    };
    HookResult { context, ..result }
}

fn stop(event: Event, answer: &Map<String, Value>) -> HookResult {
    if let Some(halt) = halt(answer) {
        return halt;
    }
    match (text(answer, "decision"), text(answer, "reason").and_then(trimmed)) {
        (Some(_), Some(reason)) => block(event, HookStatus::Blocked, reason.to_owned()),
        (Some(_), None) => no_reason(event),
        (None, _) => HookResult::new(HookStatus::Ok),
    }
}

/// What these events refuse, also beside a denial, which is void then.
fn unsupported(event: Event, answer: &Map<String, Value>) -> Option<HookResult> {
    let key = if is_stopped(answer) {
        "continue:false"
    } else if text(answer, "stopReason").is_some() {
        "stopReason"
    } else if is_suppressed(answer) {
        "suppressOutput"
    } else {
        return None;
    };
    Some(failed(format!("{} hook returned unsupported {key}", event.name())))
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

fn no_reason(event: Event) -> HookResult {
    failed(format!("{} hook returned decision:block without a non-empty reason", event.name()))
}

fn halt(answer: &Map<String, Value>) -> Option<HookResult> {
    is_stopped(answer).then(|| HookResult {
        halt: true,
        halt_reason: text(answer, "stopReason").map(str::to_owned),
        ..HookResult::new(HookStatus::Stopped)
    })
}

/// A refused answer adds nothing for the model.
fn kept(result: &HookResult, context: Vec<String>) -> Vec<String> {
    if matches!(result.status, HookStatus::Failed(_)) { Vec::new() } else { context }
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

fn is_suppressed(answer: &Map<String, Value>) -> bool {
    answer.get("suppressOutput") == Some(&Value::Bool(true))
}
