//! Which answers Codex refuses: they have no effect, and the action goes on.

use serde_json::{Map, Value};

use super::form::form_fault;

/// Returns why Codex refuses an answer at an event, which is written as Codex writes it; `None` if it takes it.
///
/// ```
/// use hookgate_dialects::codex::refusal;
/// use serde_json::json;
///
/// let silent = json!({"decision": "block"});
/// let why = refusal("Stop", silent.as_object().unwrap());
/// assert_eq!(why.as_deref(), Some("Stop hook returned decision:block without a non-empty reason"));
/// ```
#[must_use]
pub fn refusal(event: &str, answer: &Map<String, Value>) -> Option<String> {
    if let Some(fault) = form_fault(event, answer) {
        return Some(fault);
    }
    let is_stopped = answer.get("continue") == Some(&Value::Bool(false));
    let what = match event {
        "PreToolUse" => unsupported(answer).or_else(|| before_tool(answer)),
        "PermissionRequest" => unsupported(answer).or_else(|| permission(answer)),
        "PostToolUse" if !is_stopped => after_tool(answer),
        "UserPromptSubmit" | "Stop" | "SubagentStop" if !is_stopped => block_without_reason(answer),
        _ => None,
    }?;
    Some(format!("{event} hook returned {what}"))
}

/// What the events before a tool refuse, also beside a denial, which is void then.
fn unsupported(answer: &Map<String, Value>) -> Option<String> {
    let key = if answer.get("continue") == Some(&Value::Bool(false)) {
        "continue:false"
    } else if text(answer, "stopReason").is_some() {
        "stopReason"
    } else if is_suppressed(answer) {
        "suppressOutput"
    } else {
        return None;
    };
    Some(format!("unsupported {key}"))
}

fn before_tool(answer: &Map<String, Value>) -> Option<String> {
    let own = specific(answer);
    let decision = own.and_then(|own| text(own, "permissionDecision"));
    let reason = own.and_then(|own| text(own, "permissionDecisionReason"));
    let rewrites = own.is_some_and(|own| is_present(own, "updatedInput"));
    match (decision, reason, rewrites) {
        (None, None, false) => old_decision(answer),
        (Some("allow"), _, true) => None,
        (_, _, true) => Some("updatedInput without permissionDecision:allow".to_owned()),
        (Some("deny"), reason, false) => reason.is_none_or(is_blank).then(|| {
            "permissionDecision:deny without a non-empty permissionDecisionReason".to_owned()
        }),
        (Some(word), _, false) => Some(format!("unsupported permissionDecision:{word}")),
        (None, _, false) => Some("permissionDecisionReason without permissionDecision".to_owned()),
    }
}

/// The older `decision` of `PreToolUse`.
fn old_decision(answer: &Map<String, Value>) -> Option<String> {
    match text(answer, "decision") {
        Some("block") => block_without_reason(answer),
        Some(word) => Some(format!("unsupported decision:{word}")),
        None => text(answer, "reason").map(|_| "reason without decision".to_owned()),
    }
}

fn permission(answer: &Map<String, Value>) -> Option<String> {
    let decision = specific(answer)?.get("decision")?.as_object()?;
    let what = if is_present(decision, "updatedInput") {
        "updatedInput"
    } else if is_present(decision, "updatedPermissions") {
        "updatedPermissions"
    } else if decision.get("interrupt") == Some(&Value::Bool(true)) {
        "interrupt:true"
    } else {
        return None;
    };
    Some(format!("unsupported {what}"))
}

fn after_tool(answer: &Map<String, Value>) -> Option<String> {
    if is_suppressed(answer) {
        return Some("unsupported suppressOutput".to_owned());
    }
    if specific(answer).is_some_and(|own| is_present(own, "updatedMCPToolOutput")) {
        return Some("unsupported updatedMCPToolOutput".to_owned());
    }
    if text(answer, "decision").is_some() {
        return block_without_reason(answer);
    }
    text(answer, "reason").map(|_| "reason without decision".to_owned())
}

fn block_without_reason(answer: &Map<String, Value>) -> Option<String> {
    let is_silent = text(answer, "reason").is_none_or(is_blank);
    (text(answer, "decision").is_some() && is_silent)
        .then(|| "decision:block without a non-empty reason".to_owned())
}

fn specific(answer: &Map<String, Value>) -> Option<&Map<String, Value>> {
    answer.get("hookSpecificOutput")?.as_object()
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

fn is_present(object: &Map<String, Value>, name: &str) -> bool {
    object.get(name).is_some_and(|value| !value.is_null())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn is_suppressed(answer: &Map<String, Value>) -> bool {
    answer.get("suppressOutput") == Some(&Value::Bool(true))
}
