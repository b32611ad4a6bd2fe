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
        let input = if contract.tool { &[][..] } else { &self.input };
        let input = input.iter().map(|spec| ("input", spec));
        let all = input.chain(self.payload.iter().map(|spec| ("payload", spec)));
        let own = all.filter_map(|(key, spec)| Some((key, unknown(spec, contract)?)));
        let mut found: Vec<_> = own.collect();
        let any = self.any.iter().flatten().map(|table| ("any", table));
        for (key, table) in any.chain(self.not.iter().map(|table| ("not", table))) {
            found.extend(table.unknown_fields(contract).into_iter().map(|(_, error)| (key, error)));
        }
        found
    }
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
