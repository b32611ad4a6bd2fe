//! Fields that a condition names and the payload of an event does not have.
//!
//! Such a condition could never hold, so a guard with it would never be called. It is refused when
//! the table is built, with the field that was most likely meant. Events of the embedder are not
//! checked, and neither is the input of a tool, which can have any key.

use hookgate_contract::payload::fields;
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Contract, Event, HEADER_FIELDS};

use super::characters::shown;
use super::error::MatchError;
use super::pointer::{Token, tokens};
use super::spec::{InputSpec, MatchSpec};

/// The field of the envelope with the decision, which only observers get: conditions on the payload may look
/// into it.
pub(super) const DECISION: &str = "decision";

/// The fields of the decision.
const OF_DECISION: [&str; 4] = ["outcome", "by", "reason", "patched"];

impl MatchSpec {
    /// Returns the conditions on fields that the payload of an event never has, each with its key.
    /// The fields of an event of the embedder are not known, so none is refused. A hook that `observes` sees
    /// the decision as well.
    pub(crate) fn unknown_fields(
        &self,
        contract: &Contract,
        observes: bool,
    ) -> Vec<(&'static str, MatchError)> {
        if contract.event == Event::Custom {
            return Vec::new();
        }
        // At an event with a tool `input` looks into the tool's input, which can have any key.
        let of_input = |spec: &InputSpec| match contract.tool {
            true => outside(spec, contract),
            false => unknown(spec, contract, false),
        };
        let input = self.input.iter().filter_map(|spec| Some(("input", of_input(spec)?)));
        let payload = self.payload.iter();
        let payload =
            payload.filter_map(|spec| Some(("payload", unknown(spec, contract, observes)?)));
        let mut found: Vec<_> = input.chain(payload).collect();
        let any = self.any.iter().flatten().map(|table| ("any", table));
        for (key, table) in any.chain(self.not.iter().map(|table| ("not", table))) {
            let inside = table.unknown_fields(contract, observes);
            found.extend(inside.into_iter().map(|(_, error)| (key, error)));
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
fn unknown(spec: &InputSpec, contract: &Contract, observes: bool) -> Option<MatchError> {
    let tokens = tokens(&spec.pointer).ok()?;
    let Some(Token::Key(field)) = tokens.first() else { return None };
    let known = fields(contract.event);
    if known.contains(&field.as_str()) {
        return None;
    }
    let below = match tokens.get(1) {
        Some(Token::Key(below)) => below.as_str(),
        _ => "",
    };
    let hint = if field == DECISION && observes {
        if below.is_empty() || OF_DECISION.contains(&below) {
            return None;
        }
        let near = Suggestion::nearest(below, &OF_DECISION);
        format!(" with `{}`{near}; it has {}", shown(below), list(&OF_DECISION))
    } else if field == DECISION {
        ": only a hook with `role = \"observe\"` sees it, after the decision".to_owned()
    } else if let Some(near) = Suggestion::nearest(field, known).as_deref() {
        format!("; did you mean `/{near}`?")
    } else if HEADER_FIELDS.contains(&field.as_str()) {
        format!(": it is in the header, and conditions look at {}", list(known))
    } else {
        format!(", only {}", list(known))
    };
    Some(MatchError::Field { event: contract.name.to_owned(), field: shown(field), hint })
}

fn list(fields: &[&str]) -> String {
    fields.join(", ")
}
