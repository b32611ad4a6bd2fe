//! What a script says that was written for GitHub Copilot.
//!
//! Lines of progress are left out, and the rest must be one JSON object. Before a tool and at a permission
//! any exit status but 0 denies; elsewhere it lets the step pass, which is a failure here.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, Reply, json, patch_field};
use serde_json::{Map, Value};

use crate::script_verdict::{Printed, Said, crashed, object, text, unknown};

/// Reads the answer of a script.
pub(super) fn reply(
    event: &'static HostEvent,
    _: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let stdout = without_progress(output.stdout);
    let is_gate = matches!(event.ours, "pre_tool_use" | "permission_request");
    if output.exit != 0 && !is_gate && output.exit != 2 {
        return Err(crashed(output));
    }
    let mut said = match Printed::read(&stdout) {
        Ok(Printed::Object(answer)) => read(event, &answer)?,
        Ok(_) => Said::default(),
        Err(_) if output.exit != 0 => Said::default(),
        Err(failure) => return Err(failure),
    };
    if output.exit != 0 && said.decision < Some(Deny) {
        said.decide(Deny, said.message.clone().as_deref().or(Some(output.stderr)));
    }
    if output.exit != 0 && said.reason.is_none() {
        said.reason = Some(output.stderr.trim().to_owned()).filter(|text| !text.is_empty());
    }
    said.verdict(event.ours, output.stdout)
}

fn without_progress(stdout: &[u8]) -> Vec<u8> {
    let is_progress = |line: &&[u8]| match json::parse(line.trim_ascii()) {
        Ok(value) => value.get("type").and_then(Value::as_str) == Some("progress"),
        Err(_) => false,
    };
    let lines: Vec<&[u8]> =
        stdout.split(|byte| *byte == b'\n').filter(|line| !is_progress(line)).collect();
    lines.join(&b'\n')
}

fn read(event: &HostEvent, answer: &Map<String, Value>) -> Result<Said, Failure> {
    let mut said = Said::default();
    match answer.get("decision").filter(|word| !word.is_null()) {
        None => {}
        Some(word) => match word.as_str() {
            Some("block") => said.decide(Deny, text(answer, "reason")),
            Some("allow" | "approve") => said.decide(Allow, None),
            _ => return Err(unknown("decision", word)),
        },
    }
    if event.ours == "permission_request" {
        let why = text(answer, "message");
        match answer.get("behavior").filter(|word| !word.is_null()) {
            None => {}
            Some(word) => match word.as_str() {
                Some("deny") if answer.get("interrupt") == Some(&Value::Bool(true)) => {
                    said.decide(Halt, why);
                }
                Some("deny") => said.decide(Deny, why),
                Some("allow") => said.decide(Allow, None),
                _ => return Err(unknown("behavior", word)),
            },
        }
        // It goes with a deny that the exit status says.
        said.message = why.map(str::to_owned).filter(|_| said.decision.is_none());
    }
    permission(&mut said, answer)?;
    said.add_context(answer.get("additionalContext"));
    let mut set = |field: &str, value: Option<&Value>| {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            said.patch.insert(field.to_owned(), value.clone());
        }
    };
    set(patch_field::TOOL_INPUT, answer.get("modifiedArgs"));
    set(patch_field::PROMPT, answer.get("modifiedPrompt").filter(|text| *text != ""));
    set(patch_field::TOOL_RESPONSE, answer.get("modifiedResult"));
    // The other keys are read in that form only.
    if event.name.starts_with(|first: char| first.is_ascii_uppercase())
        && let Some(specific) = object(answer, "hookSpecificOutput")
    {
        set(patch_field::TOOL_INPUT, specific.get("updatedInput"));
        permission(&mut said, specific)?;
        said.add_context(specific.get("additionalContext"));
    }
    Ok(said)
}

fn permission(said: &mut Said, keys: &Map<String, Value>) -> Result<(), Failure> {
    let reason = text(keys, "permissionDecisionReason");
    match keys.get("permissionDecision").filter(|word| !word.is_null()) {
        None => {}
        Some(word) => match word.as_str() {
            Some("deny") => said.decide(Deny, reason),
            Some("ask") => said.decide(Ask, reason),
            Some("allow") => said.decide(Allow, reason),
            _ => return Err(unknown("permissionDecision", word)),
        },
    }
    Ok(())
}
