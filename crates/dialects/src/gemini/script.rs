//! What a script says that was written for Gemini CLI.
//!
//! An object decides on every exit status. Without one, a text is shown to the user after the exit
//! status 0 and 1, and is the reason of a deny after any other.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, Reply, patch_field};
use serde_json::{Map, Value};

use super::envelope::PLACES;
use crate::script_verdict::{Printed, Said, crashed, object, text, unknown};

/// Reads the answer of a script for an event of ours.
pub(super) fn reply(
    event: &'static HostEvent,
    input: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let ours = PLACES.ours_of(event, input);
    let is_silent = output.stdout.iter().all(u8::is_ascii_whitespace);
    // Without stdout an object on stderr counts.
    let printed = match Printed::read(output.stdout)? {
        Printed::Nothing if output.stderr.trim_start().starts_with('{') => {
            Printed::read(output.stderr.as_bytes())?
        }
        printed => printed,
    };
    let said = match printed {
        Printed::Object(said) => read(&said, output)?,
        Printed::Text(shown) if output.exit == 0 => {
            Said { message: Some(shown), ..Said::default() }
        }
        Printed::Nothing if output.exit == 0 => Said::default(),
        // With both streams empty it would go on after any exit status.
        _ if output.exit == 1 || (output.exit != 2 && is_silent && output.stderr.is_empty()) => {
            return Err(crashed(output));
        }
        Printed::Text(stdout) => Said::deny_by_exit(&[&stdout]),
        Printed::Nothing => Said::deny_by_exit(&[output.stderr]),
    };
    said.verdict(ours, output.stdout)
}

fn read(answer: &Map<String, Value>, output: &ScriptOutput<'_>) -> Result<Said, Failure> {
    let mut said =
        Said { message: text(answer, "systemMessage").map(str::to_owned), ..Said::default() };
    let reason = text(answer, "reason");
    match answer.get("decision") {
        None | Some(Value::Null) => {}
        Some(Value::String(word)) => match word.as_str() {
            "deny" | "block" => said.decide(Deny, reason.or(Some(output.stderr))),
            "ask" => said.decide(Ask, reason.or(text(answer, "systemMessage"))),
            "allow" | "approve" => said.decide(Allow, reason),
            _ => return Err(unknown("decision", &word.as_str().into())),
        },
        Some(other) => return Err(unknown("decision", other)),
    }
    if answer.get("continue") == Some(&Value::Bool(false)) {
        said.decide(Halt, text(answer, "stopReason").or(reason));
    }
    // An exit status of 2 is meant as a deny, even where the object beside it would undo that.
    if output.exit == 2 && said.decision.is_none_or(|decision| decision < Deny) {
        said.decide(Deny, reason.or(Some(output.stderr)));
    }
    if let Some(specific) = object(answer, "hookSpecificOutput") {
        read_specific(&mut said, specific);
    }
    Ok(said)
}

fn read_specific(said: &mut Said, specific: &Map<String, Value>) {
    said.add_context(specific.get("additionalContext"));
    let mut set = |field: &str, value: Option<&Value>| {
        if let Some(value) = value {
            said.patch.insert(field.to_owned(), value.clone());
        }
    };
    set(patch_field::TOOL_INPUT, specific.get("tool_input").filter(|input| input.is_object()));
    let names = specific.get("toolConfig").and_then(|config| config.get("allowedFunctionNames"));
    set(patch_field::TOOL_NAMES, names);
    if let Some(request) = object(specific, "llm_request") {
        set(patch_field::MODEL, request.get("model"));
        set(patch_field::MESSAGES, request.get("messages"));
        let config = request.get("config");
        set(patch_field::TEMPERATURE, config.and_then(|config| config.get("temperature")));
        set(patch_field::MAX_TOKENS, config.and_then(|config| config.get("maxOutputTokens")));
    }
    let Some(parts) = specific
        .get("llm_response")
        .and_then(|response| response.pointer("/candidates/0/content/parts")?.as_array())
    else {
        return;
    };
    let whole: String = parts.iter().filter_map(Value::as_str).collect();
    if parts.is_empty() {
        return;
    }
    if said.decision == Some(Deny) {
        // A deny beside a response means that the response takes the place of the request.
        said.decision = None;
        said.answer = Some((whole.into(), false));
    } else {
        said.patch.insert(patch_field::ASSISTANT_TEXT.to_owned(), whole.into());
    }
}
