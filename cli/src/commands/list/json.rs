//! The hooks for programs.

use std::time::Duration;

use hookgate::{HookSpec, Mode};
use serde_json::{Map, Value, json};

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
    let mut line = json!({
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
    });
    if let Some(line) = line.as_object_mut() {
        line.extend(execution(spec));
        if row.wants_whole_text {
            line.insert("wants_whole_text".to_owned(), true.into());
        }
    }
    line
}

/// Returns what is special about how a hook is called, and the manifest of its handler.
fn execution(spec: &HookSpec) -> Map<String, Value> {
    let mut keys = Map::new();
    let mut add = |key: &str, value: Value| {
        keys.insert(key.to_owned(), value);
    };
    if let Some(name) = spec.shared_handler() {
        add("handler", name.into());
    }
    if let Some(declared) = spec.capabilities() {
        let manifest = json!({
            "contributes": declared.contributes,
            "events": declared.events,
            "needs": declared.needs,
            "sends": declared.sends,
        });
        add("capabilities", manifest);
    }
    if spec.is_recorded() {
        add("recorded", true.into());
    }
    if spec.is_visible_to_user() {
        add("visible_to_user", true.into());
    }
    if spec.is_required() {
        add("required", true.into());
    }
    if !spec.needs().is_empty() {
        add("needs", spec.needs().into());
    }
    if !spec.fallback().is_empty() {
        add("fallback", json!(spec.fallback()));
    }
    if let Some(retry) = spec.retry() {
        let millis = |time: Duration| time.as_millis() as u64;
        let attempt = retry.attempt.map(millis);
        let retry = json!({
            "times": retry.times,
            "backoff_ms": millis(retry.backoff),
            "attempt_ms": attempt,
            "on": retry.on,
        });
        add("retry", retry);
    }
    if let Some(window) = spec.text_window() {
        add("stream", json!({"window": window.bytes, "overlap": window.overlap}));
    }
    keys
}
