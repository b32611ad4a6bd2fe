//! What a script says that was written for Kimi Code.
//!
//! A deny is an exit status of 2, or a nested `permissionDecision` of an object with the exit status 0.
//! Everything else lets the step pass; at a prompt all that was printed is context.

use hookgate_contract::VerdictDecision::Deny;
use hookgate_contract::dialect::{HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Reply, VerdictDecision};
use serde_json::{Map, Value};

use crate::script_verdict::{Printed, Said, crashed, object, text};

/// Reads the answer of a script.
pub(super) fn reply(
    event: &'static HostEvent,
    _: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    match output.exit {
        0 => {}
        2 => return Said::deny_by_exit(&[output.stderr]).verdict(event.ours, output.stdout),
        _ => return Err(crashed(output)),
    }
    let said = match Printed::read(output.stdout)? {
        Printed::Object(answer) => read(event, &answer),
        Printed::Text(said) if event.name == "UserPromptSubmit" => {
            Said { context: vec![said], ..Said::default() }
        }
        _ => Said::default(),
    };
    said.verdict(event.ours, output.stdout)
}

fn read(event: &HostEvent, answer: &Map<String, Value>) -> Said {
    let mut said = Said::default();
    let specific = object(answer, "hookSpecificOutput");
    let message = text(answer, "message").or_else(|| text(specific?, "message"));
    if let Some(specific) = specific
        && text(specific, "permissionDecision") == Some(VerdictDecision::Deny.name())
    {
        said.decide(Deny, text(specific, "permissionDecisionReason").or(message));
    } else if event.name == "UserPromptSubmit" {
        said.add_context(message.map(Value::from).as_ref());
    }
    said
}
