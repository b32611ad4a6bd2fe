//! From our envelope to that of an agent.

use hookgate_contract::dialect::{Dialect, DialectError, HostEvent};
use serde_json::{Map, Value};

use super::incoming::{Layout, is_reserved};

/// Returns the event of the agent that an envelope of ours is about.
///
/// # Errors
/// [`DialectError::NoCounterpart`].
pub(crate) fn counterpart(
    dialect: &dyn Dialect,
    envelope: &Map<String, Value>,
) -> Result<&'static HostEvent, DialectError> {
    let name = envelope.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    dialect.events().iter().find(|event| event.ours == name).ok_or_else(|| {
        DialectError::NoCounterpart { agent: dialect.title(), event: name.to_owned() }
    })
}

/// Moves every field of our envelope to its place in that of the agent. The facts of the host come from
/// the agent, or are told as if they did; what else has no place keeps its name.
pub(crate) fn theirs(
    layout: &Layout,
    event: &HostEvent,
    envelope: &Map<String, Value>,
) -> Map<String, Value> {
    let mut native = Map::new();
    for (ours, value) in envelope {
        if is_reserved(ours) {
            continue;
        }
        let renamed = event.fields.iter().chain(layout.header).find(|(_, place)| place == ours);
        let name = renamed.map_or(ours.as_str(), |(theirs, _)| theirs);
        native.insert(name.to_owned(), value.clone());
    }
    if let Some(Value::Object(host)) = envelope.get("host") {
        for (name, value) in host {
            native.entry(name.as_str()).or_insert_with(|| value.clone());
        }
    }
    native.insert(layout.event.to_owned(), event.name.into());
    native
}

/// Takes a field of ours out that the agent does not have. What it had sent under that name comes back.
pub(crate) fn take(
    native: &mut Map<String, Value>,
    envelope: &Map<String, Value>,
    field: &str,
) -> Option<Value> {
    let ours = native.remove(field);
    let host = envelope.get("host").and_then(Value::as_object);
    if let Some(theirs) = host.and_then(|host| host.get(field)) {
        native.insert(field.to_owned(), theirs.clone());
    }
    ours
}
