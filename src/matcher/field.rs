//! Fields that a condition names and the payload of an event does not have.

use hookgate_contract::payload::fields;
use hookgate_contract::suggest::nearest;
use hookgate_contract::{Contract, Event};

use super::pointer::{Token, tokens};
use super::{InputSpec, MatchError, MatchSpec, shown};

/// What stands in the header of an envelope.
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
    /// The conditions on fields that the payload of an event never has, each with its key. What an
    /// event of the embedder carries is not known.
    pub(crate) fn unknown_fields(&self, contract: &Contract) -> Vec<(&'static str, MatchError)> {
        if contract.event == Event::Custom {
            return Vec::new();
        }
        // At an event with a tool `input` looks into the tool's input, which can have any key.
        let input = if contract.tool { &[][..] } else { &self.input };
        let input = input.iter().map(|spec| ("input", spec));
        let all = input.chain(self.payload.iter().map(|spec| ("payload", spec)));
        all.filter_map(|(key, spec)| Some((key, unknown(spec, contract)?))).collect()
    }
}

fn unknown(spec: &InputSpec, contract: &Contract) -> Option<MatchError> {
    let tokens = tokens(&spec.pointer).ok()?;
    let Some(Token::Key(field)) = tokens.first() else { return None };
    let known = fields(contract.event);
    if known.contains(&field.as_str()) {
        return None;
    }
    let hint = if let Some(near) = nearest(field, known) {
        format!("; did you mean `/{near}`?")
    } else if HEADER.contains(&field.as_str()) {
        format!(": that stands in the header, and conditions look at {}", list(known))
    } else {
        format!(", only {}", list(known))
    };
    Some(MatchError::Field { event: contract.name.to_owned(), field: shown(field), hint })
}

fn list(fields: &[&str]) -> String {
    fields.join(", ")
}
