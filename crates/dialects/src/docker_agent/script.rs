//! What a script says that was written for docker agent.
//!
//! | exit | stdout | reply |
//! |---|---|---|
//! | 0 | one JSON object | what its keys say |
//! | 0 | text | what [`HostEvent::plain_text`] of the event says: context, mostly; else nothing |
//! | 2 | anything | a block, with stderr as the reason |
//! | other | anything | a failure |

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostEffect, HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, Reply, VerdictDecision, patch_field};
use serde_json::{Map, Value};

use super::TRANSFORM;
use super::envelope::PLACES;
use crate::script_verdict::{Printed, Said, crashed, object, text, unknown};

/// The events at which text is taken that is no context.
const COMPACT: &str = "pre_compact";
const WORKTREE: &str = "worktree_create";

/// Reads the answer of a script for an event of ours.
pub(super) fn reply(
    event: &'static HostEvent,
    input: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let ours = PLACES.ours_of(event, input);
    let mut said = Said::default();
    match output.exit {
        0 => {}
        2 => {
            block(event, &mut said, Some(output.stderr));
            return said.verdict(ours, b"");
        }
        _ => return Err(crashed(output)),
    }
    match Printed::read(output.stdout)? {
        Printed::Object(answer) => read(event, &answer, input, &mut said)?,
        Printed::Text(text) => plain(event, input, text, &mut said),
        Printed::Nothing => {}
    }
    said.verdict(ours, output.stdout)
}

/// Takes a text for what the event makes of it: [`HostEvent::plain_text`] says what that is.
fn plain(event: &HostEvent, input: &ScriptInput, text: String, said: &mut Said) {
    match event.name {
        _ if event.can(HostEffect::Context) => said.context.push(text),
        COMPACT => {
            let earlier = input.envelope.get(patch_field::CUSTOM_INSTRUCTIONS);
            let whole = match earlier.and_then(Value::as_str).filter(|text| !text.is_empty()) {
                // In the final round it is asked again about what it has written.
                Some(earlier) if earlier.ends_with(&text) => earlier.to_owned(),
                Some(earlier) => format!("{earlier}\n{text}"),
                None => text,
            };
            said.patch.insert(patch_field::CUSTOM_INSTRUCTIONS.to_owned(), whole.into());
        }
        WORKTREE => {
            said.message = Some(match said.message.take() {
                Some(earlier) => format!("{earlier}\n{text}"),
                None => text,
            });
        }
        _ => {}
    }
}

/// Refuses the step; where nothing can be refused, the user is told.
fn block(event: &HostEvent, said: &mut Said, reason: Option<&str>) {
    match event.name {
        TRANSFORM => said.message = reason.map(|text| text.trim().to_owned()),
        _ if event.can(HostEffect::Deny) => said.decide(Deny, reason.map(str::trim)),
        _ if event.can(HostEffect::Halt) => said.decide(Halt, reason.map(str::trim)),
        _ => said.message = reason.map(|text| text.trim().to_owned()),
    }
}

fn read(
    event: &HostEvent,
    answer: &Map<String, Value>,
    input: &ScriptInput,
    said: &mut Said,
) -> Result<(), Failure> {
    if answer.get("continue") == Some(&Value::Bool(false)) {
        block(event, said, text(answer, "stop_reason"));
    }
    match answer.get("decision") {
        None | Some(Value::Null) => {}
        Some(Value::String(word)) if word == "block" => {
            block(event, said, text(answer, "reason"));
        }
        Some(other) => return Err(unknown("decision", other)),
    }
    if let Some(message) = text(answer, "system_message") {
        said.message = Some(message.to_owned());
    }
    let Some(specific) = object(answer, "hook_specific_output") else { return Ok(()) };
    if let Some(word) = specific.get("permission_decision").filter(|word| !word.is_null()) {
        let decision = word.as_str().and_then(permission);
        let decision = decision.ok_or_else(|| unknown("permission_decision", word))?;
        if event.can(effect_of(decision)) {
            said.decide(decision, text(specific, "permission_decision_reason"));
        }
    }
    for (key, field) in [
        ("updated_messages", patch_field::MESSAGES),
        ("updated_tool_response", patch_field::TOOL_RESPONSE),
        ("updated_tool_response", patch_field::ERROR),
        ("summary", patch_field::SUMMARY),
    ] {
        let is_change = |value: &&Value| {
            !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
        };
        if let Some(value) = specific.get(key).filter(is_change) {
            said.patch.insert(field.to_owned(), value.clone());
        }
    }
    if let Some(changes) = object(specific, "updated_input") {
        let old = input.envelope.get("tool_input").and_then(Value::as_object);
        let mut whole = old.cloned().unwrap_or_default();
        whole.extend(changes.clone());
        said.patch.insert(patch_field::TOOL_INPUT.to_owned(), Value::Object(whole));
    }
    let context = text(specific, "additional_context").filter(|text| !text.trim().is_empty());
    match (context, event.name) {
        (Some(context), COMPACT | WORKTREE) => plain(event, input, context.to_owned(), said),
        (Some(context), _) => said.context.push(context.to_owned()),
        (None, _) => {}
    }
    Ok(())
}

fn permission(word: &str) -> Option<VerdictDecision> {
    match word {
        "allow" => Some(Allow),
        "ask" => Some(Ask),
        "deny" => Some(Deny),
        _ => None,
    }
}

const fn effect_of(decision: VerdictDecision) -> HostEffect {
    match decision {
        VerdictDecision::Allow => HostEffect::Allow,
        VerdictDecision::Ask => HostEffect::Ask,
        _ => HostEffect::Deny,
    }
}
