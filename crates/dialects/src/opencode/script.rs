//! What a script says that was written for the plugin: an object with a `decision`, or an exit status of 2.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny};
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Reply, patch_field};

use super::envelope::PLACES;
use crate::script_verdict::{Printed, Said, crashed, text};
use crate::wire::reply::malformed;

/// Reads the answer of a script for an event of ours.
pub(super) fn reply(
    event: &'static HostEvent,
    input: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let ours = PLACES.ours_of(event, input);
    match output.exit {
        0 => {}
        2 => return Said::deny_by_exit(&[output.stderr]).verdict(ours, output.stdout),
        _ => return Err(crashed(output)),
    }
    let Printed::Object(answer) = Printed::read(output.stdout)? else {
        return Err(malformed("it must say `decision`: pass or deny", output.stdout));
    };
    let mut said = Said::default();
    match text(&answer, "decision") {
        Some("deny") => said.decide(Deny, text(&answer, "reason")),
        Some("pass") => {}
        _ => return Err(malformed("`decision` must be pass or deny", output.stdout)),
    }
    match text(&answer, "status") {
        Some("ask") => said.decide(Ask, None),
        Some("allow") => said.decide(Allow, None),
        _ => {}
    }
    for (key, field) in [
        ("args", patch_field::TOOL_INPUT),
        ("prompt", patch_field::PROMPT),
        ("output", patch_field::TOOL_RESPONSE),
    ] {
        if let Some(value) = answer.get(key).filter(|value| !value.is_null()) {
            said.patch.insert(field.to_owned(), value.clone());
        }
    }
    said.add_context(answer.get("context"));
    said.verdict(ours, output.stdout)
}
