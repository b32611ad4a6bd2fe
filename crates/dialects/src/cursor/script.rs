//! What a script says that was written for Cursor.
//!
//! An object counts on the exit status 0 only, an exit status of 2 denies, and all else is a failure.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny};
use hookgate_contract::dialect::{HostEffect, HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, Reply, patch_field};
use serde_json::{Map, Value};

use crate::script_verdict::{Printed, Said, crashed, text, unknown};
use crate::wire::reply::malformed;

/// Reads the answer of a script.
pub(super) fn reply(
    event: &'static HostEvent,
    _: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    match output.exit {
        0 => {}
        2 => {
            let printed = Printed::read(output.stdout).ok();
            let reason = match &printed {
                Some(Printed::Object(answer)) => message(answer),
                _ => None,
            };
            let said = Said::deny_by_exit(&[reason.unwrap_or_default(), output.stderr]);
            return said.verdict(event.ours, output.stdout);
        }
        _ => return Err(crashed(output)),
    }
    let said = match Printed::read(output.stdout)? {
        Printed::Object(answer) => read(event, &answer)?,
        // A hook that answers must answer in JSON, or its agent takes it for a failure.
        Printed::Text(_) if event.can(HostEffect::Deny) => {
            return Err(malformed("stdout is no JSON object", output.stdout));
        }
        _ => Said::default(),
    };
    said.verdict(event.ours, output.stdout)
}

fn message(answer: &Map<String, Value>) -> Option<&str> {
    text(answer, "agent_message").or_else(|| text(answer, "user_message"))
}

fn read(event: &HostEvent, answer: &Map<String, Value>) -> Result<Said, Failure> {
    let mut said =
        Said { message: text(answer, "user_message").map(str::to_owned), ..Said::default() };
    match answer.get("permission") {
        None | Some(Value::Null) => {}
        Some(word) => match word.as_str() {
            Some("deny") => said.decide(Deny, message(answer)),
            Some("ask") => said.decide(Ask, text(answer, "user_message")),
            Some("allow") => said.decide(Allow, None),
            _ => return Err(unknown("permission", word)),
        },
    }
    if answer.get("continue") == Some(&Value::Bool(false)) {
        said.decide(Deny, message(answer));
    }
    if event.can(HostEffect::KeepGoing)
        && let Some(next) = text(answer, "followup_message")
    {
        said.decide(Deny, Some(next));
    }
    said.add_context(answer.get("additional_context"));
    for (key, field) in [
        ("updated_input", patch_field::TOOL_INPUT),
        ("updated_mcp_tool_output", patch_field::TOOL_RESPONSE),
    ] {
        if let Some(value) = answer.get(key).filter(|value| !value.is_null()) {
            said.patch.insert(field.to_owned(), value.clone());
        }
    }
    Ok(said)
}
