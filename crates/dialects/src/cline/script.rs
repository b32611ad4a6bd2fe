//! What a script says that was written for Cline: one object, whatever the exit status is.

use hookgate_contract::Reply;
use hookgate_contract::VerdictDecision::Deny;
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::patch_field;
use serde_json::Value;

use super::envelope::PLACES;
use crate::script_verdict::{Printed, Said, crashed, text};

/// Reads the answer of a script for an event of ours.
pub(super) fn reply(
    event: &'static HostEvent,
    input: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let ours = PLACES.ours_of(event, input);
    let answer = match Printed::read(output.stdout)? {
        Printed::Object(answer) => answer,
        // Cline would let the step pass, but no script that worked ends so.
        _ if output.exit != 0 => return Err(crashed(output)),
        _ => return Said::default().verdict(ours, output.stdout),
    };
    let mut said = Said::default();
    if answer.get("cancel") == Some(&Value::Bool(true)) {
        said.decide(Deny, text(&answer, "errorMessage"));
    } else {
        said.message = text(&answer, "errorMessage").map(str::to_owned);
    }
    said.add_context(answer.get("contextModification"));
    if let Some(input) = answer.get("overrideInput").filter(|input| input.is_object()) {
        said.patch.insert(patch_field::TOOL_INPUT.to_owned(), input.clone());
    }
    said.verdict(ours, output.stdout)
}
