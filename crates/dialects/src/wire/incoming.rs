//! From the envelope of an agent to ours.

use hookgate_contract::dialect::{Dialect, DialectError, HostEvent};
use hookgate_contract::{HEADER_FIELDS, is_custom_name};
use serde_json::{Map, Value};

use super::field;

/// The fields of our header that an agent may send under the same name.
const HEADER: [&str; 4] = ["session_id", "cwd", "agent_id", "agent_type"];

/// Returns whether a field of our header has another meaning, whatever an agent sends under its name.
pub(super) fn is_reserved(field: &str) -> bool {
    HEADER_FIELDS.contains(&field) && !HEADER.contains(&field)
}

/// What all envelopes of an agent have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The field that names the event.
    pub(crate) event: &'static str,
    /// Fields of our header that have another name here: theirs, and ours.
    pub(crate) header: &'static [(&'static str, &'static str)],
    /// Facts about the session that belong to no event; they are facts of the host at events `x.*`, too,
    /// whose payload is everything else.
    pub(crate) facts: &'static [&'static str],
}

/// Returns the event of an envelope. What the envelope says goes first, then what the command line says.
pub(crate) fn event_of(
    dialect: &dyn Dialect,
    layout: &Layout,
    given: Option<&str>,
    native: &Map<String, Value>,
) -> Result<&'static HostEvent, DialectError> {
    let name = match native.get(layout.event) {
        None => given,
        Some(Value::String(name)) => Some(name.as_str()),
        Some(_) => return Err(DialectError::NoEvent { field: layout.event }),
    };
    let name = name.ok_or(DialectError::NoEvent { field: layout.event })?;
    dialect
        .event(name)
        .ok_or_else(|| DialectError::UnknownEvent { agent: dialect.title(), name: name.to_owned() })
}

/// An envelope of ours that is put together from one of an agent.
#[derive(Debug)]
pub(crate) struct Ours {
    event: &'static HostEvent,
    fields: Map<String, Value>,
    host: Map<String, Value>,
}

impl Ours {
    /// Moves every field to its place: into our header, into the payload of the event, or, if it has no
    /// place there or cannot be read as what ours is, to the facts of the host under its own name.
    pub(crate) fn of(
        layout: &Layout,
        event: &'static HostEvent,
        native: &Map<String, Value>,
    ) -> Self {
        let mut ours = Self { event, fields: Map::new(), host: Map::new() };
        for (theirs, value) in native {
            if theirs == layout.event && value.as_str() == Some(event.name) {
                continue;
            }
            match place(layout, event, theirs, value) {
                // Two fields with one place: the first is in it, and the other is not lost either.
                Some(place) if !ours.fields.contains_key(place) => {
                    ours.fields.insert(place.to_owned(), value.clone());
                }
                _ => {
                    ours.host.insert(theirs.clone(), value.clone());
                }
            }
        }
        ours
    }

    /// Sets a field of ours that the agent does not have. What it sends under that name is another thing: a
    /// fact of the host.
    pub(crate) fn set(&mut self, field: &str, value: impl Into<Value>) {
        if let Some(theirs) = self.fields.insert(field.to_owned(), value.into()) {
            self.host.entry(field).or_insert(theirs);
        }
    }

    /// Leaves out a field of ours that the agent does not have, and which nothing else says.
    pub(crate) fn unset(&mut self, field: &str) {
        self.fields.remove(field);
    }

    /// Sets a field of ours to what follows from the envelope, unless the envelope itself says it.
    pub(crate) fn fill(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.entry(field).or_insert_with(|| value.into());
    }

    /// Returns the envelope.
    ///
    /// # Errors
    /// If a field is missing that the payload must have.
    pub(crate) fn finish(mut self) -> Result<Map<String, Value>, DialectError> {
        for ours in field::required(self.event.ours) {
            if !self.fields.contains_key(*ours) {
                let named = self.event.fields.iter().find(|(_, place)| place == ours);
                let kind = field::kind(self.event.ours, ours);
                return Err(DialectError::Field {
                    event: self.event.name.to_owned(),
                    field: named.map_or(*ours, |(theirs, _)| theirs).to_owned(),
                    expected: kind.map_or("there", |kind| kind.expected),
                });
            }
        }
        if !self.host.is_empty() {
            self.fields.insert("host".to_owned(), Value::Object(self.host));
        }
        self.fields.insert("hook_event_name".to_owned(), self.event.ours.into());
        Ok(self.fields)
    }
}

/// Returns the field of ours that a field of an agent is, or `None` if it is a fact of the host.
fn place<'a>(
    layout: &Layout,
    event: &HostEvent,
    theirs: &'a str,
    value: &Value,
) -> Option<&'a str> {
    let renamed = layout.header.iter().chain(event.fields).find(|(name, _)| *name == theirs);
    let ours = match renamed {
        Some((_, ours)) => *ours,
        None if layout.facts.contains(&theirs) || is_reserved(theirs) => return None,
        None => theirs,
    };
    if HEADER.contains(&ours) {
        return value.is_string().then_some(ours);
    }
    if is_custom_name(event.ours) {
        return Some(ours);
    }
    field::kind(event.ours, ours).filter(|kind| (kind.takes)(value)).map(|_| ours)
}
