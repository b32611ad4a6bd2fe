//! The hooks for programs.

use hookgate::Mode;
use serde_json::{Value, json};

use super::row::Row;
use crate::conditions;
use crate::postures::postures_json;

/// Returns a hook at its event; one that is off at each of its events, without a place in their order.
pub(super) fn lines(row: &Row<'_>) -> impl Iterator<Item = Value> {
    row.events.iter().map(|event| line(row, event))
}

fn line(row: &Row<'_>, event: &str) -> Value {
    let Row { spec, called, .. } = row;
    let listed = called.map(|(_, listed)| listed);
    json!({
        "event": event,
        "place": called.map(|(number, _)| number),
        "id": spec.id(),
        "kind": spec.kind(),
        "role": listed.map(|hook| hook.role()),
        "mode": listed.map_or(Mode::Off, |hook| hook.mode()),
        "background": spec.is_background(),
        "priority": spec.priority(),
        "timeout_ms": listed.and_then(|hook| hook.timeout()).map(|timeout| timeout.as_millis() as u64),
        "postures": listed.map(|hook| postures_json(&hook)),
        "matcher": conditions::to_short(spec.matcher()),
        "tags": spec.tags(),
        "origin": spec.origin(),
        "trust": row.standing,
        "set_aside": spec.why_set_aside(),
    })
}
