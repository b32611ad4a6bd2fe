//! Joins what all hooks of an event came to: where they differ, the stronger source counts.

use super::event::CursorEvent;
use super::source::Source;
use crate::foreign::{ForeignVerdict, HookResult, Outcome};

/// Joins the results.
pub(super) fn combine(mut results: Vec<HookResult>) -> Outcome {
    // Among hooks of one source the strictest answer goes first.
    results.sort_by_key(|result| (Source::of(&result.layer), std::cmp::Reverse(result.verdict)));
    let mut outcome = Outcome::default();
    let mut decided = false;
    for result in results {
        let can_block = CursorEvent::from_name(&result.event).is_some_and(CursorEvent::can_block);
        if result.verdict != ForeignVerdict::None && !decided {
            decided = true;
            outcome.verdict = result.verdict;
            outcome.reason = result.reason;
            outcome.reason_to = result.reason_to;
            outcome.shown_to_user = result.shown_to_user;
        } else if !can_block {
            outcome.shown_to_user = outcome.shown_to_user.or(result.shown_to_user);
        }
        outcome.context.extend(result.context);
        outcome.updated_input = outcome.updated_input.or(result.updated_input);
        outcome.updated_output = outcome.updated_output.or(result.updated_output);
        for (name, value) in result.effect {
            match (outcome.effect.get_mut(&name), value) {
                // Variables of several hooks come together; a weaker source does not replace one.
                (Some(serde_json::Value::Object(known)), serde_json::Value::Object(more)) => {
                    for (name, value) in more {
                        known.entry(name).or_insert(value);
                    }
                }
                (Some(_), _) => {}
                (None, value) => {
                    outcome.effect.insert(name, value);
                }
            }
        }
    }
    if outcome.verdict == ForeignVerdict::Deny {
        outcome.updated_input = None;
    }
    outcome
}
