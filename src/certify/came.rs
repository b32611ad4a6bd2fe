//! What came of a step that was sent to a hook.

use serde_json::{Map, Value};

use super::proof::Sent;
use crate::decision::{Outcome, Vote};
use crate::report::Report;

/// What came of a step.
#[derive(Debug)]
pub struct Came {
    /// The record.
    pub report: Report,
    /// The vote of the hook, if it was called.
    pub vote: Option<Vote>,
    /// Whether it was not called, and may be at another time or in another place.
    pub(super) may_be_called_elsewhere: bool,
    /// Why what was decided would not be done; `None` if it would, or if nobody knows who is to do it.
    pub disobeyed: Option<String>,
}

/// Notes that a step was sent, and what came of it.
#[must_use]
pub fn note(
    step: &Map<String, Value>,
    made_up: bool,
    expected: Option<Outcome>,
    came: Option<&Came>,
) -> Sent {
    let event = step.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let got = came.map(|came| came.report.decision);
    Sent { event: event.to_owned(), made_up, expected, got }
}
