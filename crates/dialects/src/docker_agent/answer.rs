//! What docker agent is told: one JSON object and the exit status 0.
//!
//! `decision = "block"` refuses wherever anything can be refused, in all its versions.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostEvent, HostStep};
use hookgate_contract::patch_field;
use serde_json::{Map, Value, json};

use super::{TITLE, TRANSFORM};
use crate::wire::Plan;

/// Says a decision as docker agent obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let event = step.event.name;
    check_patch(event, step, &mut plan);
    let (mut top, mut specific) = (Map::new(), Map::new());
    match plan.decision {
        Some(decision) if decision >= Deny && event == TRANSFORM => {
            specific.insert("updated_tool_response".to_owned(), plan.reason.as_ref().into());
        }
        Some(decision) if decision >= Deny => {
            top.insert("decision".to_owned(), "block".into());
            top.insert("reason".to_owned(), plan.reason.as_ref().into());
        }
        // There it is about to ask, and any other word would be ignored.
        Some(Ask) if event == "permission_request" => {}
        Some(decision @ (Ask | Allow)) => {
            specific.insert("permission_decision".to_owned(), decision.name().into());
            specific.insert("permission_decision_reason".to_owned(), plan.reason.as_ref().into());
        }
        _ => {}
    }
    for (field, value) in std::mem::take(&mut plan.patch) {
        let (key, value) = match (field.as_str(), event) {
            (patch_field::TOOL_INPUT, _) => ("updated_input", value),
            (patch_field::MESSAGES, _) => ("updated_messages", value),
            (patch_field::SUMMARY, "before_compaction") => ("summary", value),
            (patch_field::CUSTOM_INSTRUCTIONS, "pre_compact") => ("additional_context", value),
            (patch_field::TOOL_RESPONSE | patch_field::ERROR, _) => {
                ("updated_tool_response", text_of(value))
            }
            _ => {
                plan.lose(HostEffect::Rewrite, format!("`{field}` stays as it is"));
                continue;
            }
        };
        specific.insert(key.to_owned(), value);
    }
    if let Some(context) = plan.context.take() {
        specific.insert("additional_context".to_owned(), context.into());
    }
    if let Some(message) = plan.message.take() {
        top.insert("system_message".to_owned(), message.into());
    }
    if !specific.is_empty() {
        specific.insert("hook_event_name".to_owned(), event.into());
        top.insert("hook_specific_output".to_owned(), Value::Object(specific));
    }
    plan.json((!top.is_empty()).then_some(Value::Object(top)))
}

/// Refuses a step that could not be judged.
pub(super) fn refuse(event: Option<&HostEvent>, reason: &str) -> HostAnswer {
    match event {
        // An exit status of 2 has no effect there.
        Some(event) if event.name == TRANSFORM => {
            let specific = json!({ "hook_event_name": TRANSFORM, "updated_tool_response": reason });
            HostAnswer::json(&json!({ "hook_specific_output": specific })).note(reason)
        }
        _ => HostAnswer::refusal(event, reason),
    }
}

/// Denies what a change would need and cannot be: an argument that is taken away, a field of a request
/// that stays as it is.
fn check_patch(event: &str, step: &HostStep, plan: &mut Plan<'_>) {
    let lost = match event {
        "before_llm_call" => {
            let other = |field: &&String| field.as_str() != patch_field::MESSAGES;
            plan.patch.keys().find(other).map(|field| {
                format!("a hook must change `{field}` first, which {TITLE} cannot do here")
            })
        }
        _ => {
            let old = step.envelope.get(patch_field::TOOL_INPUT).and_then(Value::as_object);
            let new = plan.patch.get(patch_field::TOOL_INPUT).and_then(Value::as_object);
            let is_removed = |(old, new): (&Map<String, Value>, &Map<String, Value>)| {
                old.keys().any(|key| !new.contains_key(key))
            };
            old.zip(new).filter(|pair| is_removed(*pair)).map(|(_, new)| {
                let wanted = Value::Object(new.clone());
                format!("call the tool again with these arguments instead: {wanted}")
            })
        }
    };
    if let Some(reason) = lost {
        plan.lose(HostEffect::Rewrite, "it is denied instead");
        plan.decision = Some(Deny);
        plan.reason = reason.into();
        plan.patch.clear();
    }
}

/// A result is a text there.
fn text_of(result: Value) -> Value {
    if result.is_string() { result } else { result.to_string().into() }
}
