//! What a script says that was written for Meerkat: one object, whatever it has to say.

use hookgate_contract::VerdictDecision::{Allow, Deny};
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Failure, ReasonCode, Reply, VerdictDecision, patch_field};
use serde_json::{Map, Value};

use super::envelope::PLACES;
use crate::script_verdict::{Printed, Said, crashed, text, unknown};
use crate::wire::reply::{self, malformed};

/// The keys that an answer may have; `patches` was one before version 0.6.
const KEYS: [&str; 2] = ["decision", "patches"];

/// The kinds of patches: the name, and where its values are in it and in ours.
const PATCHES: [(&str, &[(&str, &str)]); 5] = [
    ("tool_args", &[("args", patch_field::TOOL_INPUT)]),
    (
        "tool_result",
        &[
            ("content", patch_field::TOOL_RESPONSE),
            ("content", patch_field::ERROR),
            ("is_error", patch_field::IS_ERROR),
        ],
    ),
    ("assistant_text", &[("text", patch_field::ASSISTANT_TEXT)]),
    ("run_result", &[("text", patch_field::RESULT_TEXT)]),
    (
        "llm_request",
        &[
            ("max_tokens", patch_field::MAX_TOKENS),
            ("temperature", patch_field::TEMPERATURE),
            ("provider_params", patch_field::PROVIDER_PARAMS),
        ],
    ),
];

/// Reads the answer of a script for an event of ours.
pub(super) fn reply(
    event: &'static HostEvent,
    input: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let ours = PLACES.ours_of(event, input);
    read(ours, output).map_err(|failure| {
        let salvaged = failure.salvaged.max(denied(output.stdout));
        failure.with_salvaged(salvaged)
    })
}

/// Finds a deny in an answer that counts as a failure: its place is inside of another object.
fn denied(stdout: &[u8]) -> Option<VerdictDecision> {
    let object = reply::object(stdout)?;
    (text(object.get("decision")?.as_object()?, "decision") == Some("deny")).then_some(Deny)
}

fn read(ours: &str, output: &ScriptOutput<'_>) -> Reply {
    if output.exit != 0 {
        return Err(crashed(output));
    }
    let Printed::Object(answer) = Printed::read(output.stdout)? else {
        return Err(malformed("Meerkat wants one JSON object, such as `{}`", output.stdout));
    };
    if let Some(key) = answer.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(malformed(format!("Meerkat rejects the key `{key}`"), output.stdout));
    }
    let mut said = Said::default();
    match answer.get("decision") {
        None | Some(Value::Null) => {}
        Some(Value::Object(decision)) => decide(decision, &mut said, output)?,
        Some(other) => return Err(unknown("decision", other)),
    }
    let patches = match answer.get("patches") {
        None => &[][..],
        Some(Value::Array(patches)) => patches.as_slice(),
        Some(_) => return Err(malformed("`patches` is no list", output.stdout)),
    };
    for patch in patches {
        apply(patch, &mut said, output)?;
    }
    said.verdict(ours, output.stdout)
}

fn decide(
    decision: &Map<String, Value>,
    said: &mut Said,
    output: &ScriptOutput<'_>,
) -> Result<(), Failure> {
    match text(decision, "decision") {
        Some("allow") => said.decide(Allow, None),
        Some("deny") => {
            for key in ["hook_id", "reason_code", "message"] {
                if text(decision, key).is_none() {
                    return Err(malformed(format!("a deny needs `{key}`"), output.stdout));
                }
            }
            let code = text(decision, "reason_code").unwrap_or_default();
            if ReasonCode::from_name(code).is_none() {
                return Err(malformed(format!("no reason code is `{code}`"), output.stdout));
            }
            said.decide(Deny, text(decision, "message"));
        }
        _ => return Err(malformed("`decision` is neither allow nor deny", output.stdout)),
    }
    Ok(())
}

fn apply(patch: &Value, said: &mut Said, output: &ScriptOutput<'_>) -> Result<(), Failure> {
    let kind = patch.get("patch_type").and_then(Value::as_str).unwrap_or_default();
    let Some((_, fields)) = PATCHES.iter().find(|(name, _)| *name == kind) else {
        return Err(malformed(format!("no patch is of the type `{kind}`"), output.stdout));
    };
    for (theirs, ours) in *fields {
        if let Some(value) = patch.get(theirs).filter(|value| !value.is_null()) {
            said.patch.insert((*ours).to_owned(), value.clone());
        }
    }
    Ok(())
}
