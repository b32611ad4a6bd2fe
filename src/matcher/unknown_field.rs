//! Fields that a condition names and the payload of an event does not have.
//!
//! Such a condition could never hold, so a guard with it would never be called. It is refused when
//! the table is built, with the field that was most likely meant. Events of the embedder are not
//! checked, and neither is the input of a tool, which can have any key.

use hookgate_contract::payload::fields;
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Contract, Event};

use super::characters::shown;
use super::error::MatchError;
use super::pointer::{Token, tokens};
use super::spec::{InputSpec, MatchSpec};

/// The fields of the header of an envelope.
const HEADER: [&str; 10] = [
    "protocol",
    "hook_event_name",
    "step_id",
    "session_id",
    "turn",
    "cwd",
    "agent_id",
    "agent_type",
    "generation",
    "host",
];

impl MatchSpec {
    /// Returns the conditions on fields that the payload of an event never has, each with its key.
    /// The fields of an event of the embedder are not known, so none is refused.
    pub(crate) fn unknown_fields(&self, contract: &Contract) -> Vec<(&'static str, MatchError)> {
        if contract.event == Event::Custom {
            return Vec::new();
        }
        // At an event with a tool `input` looks into the tool's input, which can have any key.
        let of_input = if contract.tool { outside } else { unknown };
        let input = self.input.iter().filter_map(|spec| Some(("input", of_input(spec, contract)?)));
        let payload = self.payload.iter();
        let payload = payload.filter_map(|spec| Some(("payload", unknown(spec, contract)?)));
        let mut found: Vec<_> = input.chain(payload).collect();
        let any = self.any.iter().flatten().map(|table| ("any", table));
        for (key, table) in any.chain(self.not.iter().map(|table| ("not", table))) {
            found.extend(table.unknown_fields(contract).into_iter().map(|(_, error)| (key, error)));
        }
        found
    }
}

/// Returns the error for a condition on the tool's input whose pointer begins one level too high: with
/// a field of the payload that no input has.
fn outside(spec: &InputSpec, contract: &Contract) -> Option<MatchError> {
    let tokens = tokens(&spec.pointer).ok()?;
    let Some(Token::Key(first)) = tokens.first() else { return None };
    let after = spec.pointer.get(1 + first.len()..).unwrap_or_default();
    let (field, dotted) = first.split_once('.').unwrap_or((first, ""));
    let below = if dotted.is_empty() {
        after.to_owned()
    } else {
        format!("/{}{after}", dotted.replace('.', "/"))
    };
    let hint = match field {
        "tool_input" if below.is_empty() => ": write `\"\"` for the whole of it".to_owned(),
        "tool_input" => format!(": write `{}`", shown(&below)),
        "tool_response" | "hook_event_name" if !fields(contract.event).contains(&field) => {
            format!(", and `{}` has no field `{field}`", contract.name)
        }
        "tool_response" => format!(
            ", and the result is beside it: write `payload = {{ \"/tool_response{}\" = … }}`",
            shown(&below)
        ),
        _ => return None,
    };
    Some(MatchError::Outside { pointer: shown(&spec.pointer), hint })
}

/// Returns the error for a condition whose first key is not a field of the event.
fn unknown(spec: &InputSpec, contract: &Contract) -> Option<MatchError> {
    let tokens = tokens(&spec.pointer).ok()?;
    let Some(Token::Key(field)) = tokens.first() else { return None };
    let known = fields(contract.event);
    if known.contains(&field.as_str()) {
        return None;
    }
    let hint = if let Some(near) = Suggestion::nearest(field, known).as_deref() {
        format!("; did you mean `/{near}`?")
    } else if HEADER.contains(&field.as_str()) {
        format!(": it is in the header, and conditions look at {}", list(known))
    } else {
        format!(", only {}", list(known))
    };
    Some(MatchError::Field { event: contract.name.to_owned(), field: shown(field), hint })
}

fn list(fields: &[&str]) -> String {
    fields.join(", ")
}
