//! What a script says that was written for Qwen Code.
//!
//! An exit status of 2 with a text on stderr denies; on every other one a JSON object decides, on stderr,
//! too. Text on stdout is context at two events.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, Reply};
use serde_json::{Map, Value};

use crate::script_verdict::{Printed, Said, crashed, object, text, unknown};

/// The events at which text on stdout is context.
const TEXT_IS_CONTEXT: [&str; 2] = ["SessionStart", "UserPromptSubmit"];

/// Reads the answer of a script.
pub(super) fn reply(
    event: &'static HostEvent,
    _: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    if output.exit == 2 {
        let printed = Printed::read(output.stdout).ok();
        let reason = match &printed {
            Some(Printed::Object(said)) => text(said, "reason"),
            Some(Printed::Text(said)) => Some(said.as_str()),
            _ => None,
        };
        return Said::deny_by_exit(&[output.stderr, reason.unwrap_or_default()])
            .verdict(event.ours, output.stdout);
    }
    let printed = match Printed::read(output.stdout)? {
        Printed::Nothing if output.stderr.trim_start().starts_with('{') => {
            Printed::read(output.stderr.as_bytes())?
        }
        printed => printed,
    };
    let said = match printed {
        Printed::Object(said) => read(event, &said)?,
        _ if output.exit != 0 => return Err(crashed(output)),
        Printed::Text(said) if TEXT_IS_CONTEXT.contains(&event.name) => {
            Said { context: vec![said], ..Said::default() }
        }
        _ => Said::default(),
    };
    said.verdict(event.ours, output.stdout)
}

fn read(event: &HostEvent, answer: &Map<String, Value>) -> Result<Said, Failure> {
    let mut said =
        Said { message: text(answer, "systemMessage").map(str::to_owned), ..Said::default() };
    let reason = text(answer, "reason");
    match answer.get("decision") {
        None | Some(Value::Null) => {}
        Some(word) => match word.as_str() {
            Some("deny" | "block") => said.decide(Deny, reason),
            Some("ask") => said.decide(Ask, reason),
            Some("allow" | "approve") => said.decide(Allow, reason),
            _ => return Err(unknown("decision", word)),
        },
    }
    if answer.get("continue") == Some(&Value::Bool(false)) {
        let why = text(answer, "stopReason").or(reason);
        // At a stop it makes the agent go on, and before and after a tool it is a deny.
        let is_deny = matches!(event.name, "Stop" | "SubagentStop" | "PreToolUse" | "PostToolUse");
        said.decide(if is_deny { Deny } else { Halt }, why);
    }
    let Some(specific) = object(answer, "hookSpecificOutput") else { return Ok(said) };
    said.add_context(specific.get("additionalContext"));
    let reason = text(specific, "permissionDecisionReason");
    match specific.get("permissionDecision") {
        None | Some(Value::Null) => {}
        Some(word) => match word.as_str() {
            Some("deny") => said.decide(Deny, reason),
            Some("ask") => said.decide(Ask, reason),
            Some("allow") => said.decide(Allow, reason),
            _ => return Err(unknown("permissionDecision", word)),
        },
    }
    if let Some(decision) = object(specific, "decision") {
        match text(decision, "behavior") {
            Some("deny") => said.decide(Deny, text(decision, "message")),
            Some("allow") => said.decide(Allow, None),
            _ => return Err(unknown("behavior", &Value::Null)),
        }
    }
    Ok(said)
}
