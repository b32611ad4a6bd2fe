//! What a script says that was written for defect.
//!
//! What `control` means differs from step to step, and where defect would overlook that a tool is to be
//! skipped, the script has failed here.

use hookgate_contract::VerdictDecision::{Deny, Halt};
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, Reply, VerdictDecision, patch_field};
use serde_json::{Map, Value};

use super::envelope::PLACES;
use crate::script_verdict::{Printed, Said, crashed, text, unknown};
use crate::wire::reply::malformed;

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
            if let Some(decision) = refusal(event, "veto") {
                said.decide(decision, Some(output.stderr.trim()));
            } else {
                said.add_context(Some(&output.stderr.into()));
            }
            return said.verdict(ours, b"");
        }
        _ => return Err(crashed(output)),
    }
    if let Printed::Object(answer) = Printed::read(output.stdout)? {
        read(event, &answer, &mut said, output)?;
    }
    said.verdict(ours, output.stdout)
}

/// Returns what a word of `control` decides at a step; `None` if it goes on.
fn refusal(event: &HostEvent, control: &str) -> Option<VerdictDecision> {
    match (event.name, control) {
        ("before_ingest" | "before_generate" | "before_tool_apply", "veto" | "break") => Some(Deny),
        ("before_compact", "veto" | "skip") => Some(Deny),
        ("before_turn_end", "veto" | "continue") => Some(Deny),
        ("after_tool_batch", "veto" | "break") => Some(Halt),
        _ => None,
    }
}

fn read(
    event: &HostEvent,
    answer: &Map<String, Value>,
    said: &mut Said,
    output: &ScriptOutput<'_>,
) -> Result<(), Failure> {
    let wrong = |field: &str| malformed(format!("`{field}` is of another type"), output.stdout);
    let texts =
        texts(answer.get("additional_context")).ok_or_else(|| wrong("additional_context"))?;
    match answer.get("control") {
        None | Some(Value::Null) => {}
        Some(Value::String(word)) => match (word.as_str(), refusal(event, word)) {
            ("proceed" | "continue" | "skip" | "veto" | "break", Some(decision)) => {
                let feedback = texts.join("\n");
                said.decide(decision, Some(feedback.as_str()));
            }
            ("skip", None) if event.name == "before_tool_apply" => {
                let failure = malformed("defect would run the tool: say `veto`", output.stdout);
                return Err(failure.with_salvaged(Some(Deny)));
            }
            ("proceed" | "continue" | "skip" | "veto" | "break", None) => {}
            _ => return Err(unknown("control", &word.as_str().into())),
        },
        Some(_) => return Err(wrong("control")),
    }
    // With a decision they are its reason.
    if said.decision.is_none() {
        said.context.extend(texts);
    }
    for (key, field) in [("args", patch_field::TOOL_INPUT), ("model", patch_field::MODEL)] {
        if let Some(value) = answer.get(key).filter(|value| !value.is_null()) {
            said.patch.insert(field.to_owned(), value.clone());
        }
    }
    for (key, field) in [("input", patch_field::PROMPT), ("prepend_input", patch_field::PREPEND)] {
        if let Some(value) = answer.get(key).filter(|value| !value.is_null()) {
            let text = match value {
                Value::String(text) => text.clone(),
                list => self::texts(Some(list)).ok_or_else(|| wrong(key))?.join("\n"),
            };
            said.patch.insert(field.to_owned(), text.into());
        }
    }
    if let Some(reply) = text(answer, "assistant") {
        said.answer = Some((reply.into(), false));
    }
    if let Some(result) = answer.get("result").filter(|result| !result.is_null()) {
        let body = ["text", "value", "blocks"].iter().find_map(|key| result.get(key));
        let is_error = answer.get("is_error") == Some(&Value::Bool(true));
        said.answer = Some((body.ok_or_else(|| wrong("result"))?.clone(), is_error));
    }
    Ok(())
}

/// Reads a list of texts; nothing is an empty one.
fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        }
        Some(_) => None,
    }
}
