//! What the answers of all hooks come to. Their order is that of the config, not of their ends.

use serde_json::{Map, Value};

use super::event::Event;
use crate::foreign::{ForeignVerdict, HookResult, Outcome};

/// Joins what all hooks came to.
pub(super) fn combine(event: Option<Event>, mut results: Vec<HookResult>) -> Outcome {
    let mut outcome = Outcome {
        halt: results.iter().any(|result| result.halt),
        halt_reason: results.iter().find_map(|result| result.halt_reason.clone()),
        ends_turn: results.iter().any(|result| result.ends_turn),
        system_message: joined(&results, "\n", |result| result.system_message.as_deref()),
        shown_to_user: joined(&results, "\n", |result| result.shown_to_user.as_deref()),
        effect: effects(&results),
        ..Outcome::default()
    };
    outcome.context_spilled = outcome.effect.contains_key("spilled");
    let is_stop = matches!(event, Some(Event::Stop | Event::SubagentStop));
    if !(is_stop && outcome.halt) {
        decide(&mut outcome, &results);
    }
    if event == Some(Event::PostToolUse) {
        // Each text takes the place of the result, that of a stop too.
        outcome.reason = joined(&results, "\n\n", |result| result.reason.as_deref());
        outcome.updated_output = outcome.reason.clone().map(Value::String);
    }
    outcome.context = results.iter_mut().flat_map(|result| result.context.drain(..)).collect();
    outcome
}

fn decide(outcome: &mut Outcome, results: &[HookResult]) {
    let verdict = results.iter().map(|result| result.verdict).max().unwrap_or_default();
    let deciding = || results.iter().filter(|result| result.verdict == verdict);
    outcome.verdict = verdict;
    outcome.reason_to = deciding().find_map(|result| result.reason_to);
    outcome.reason = match verdict {
        // All of them go to the model.
        ForeignVerdict::KeepGoing => joined(results, "\n\n", |result| result.reason.as_deref()),
        _ => deciding().find_map(|result| result.reason.clone()),
    };
    if verdict != ForeignVerdict::Deny {
        let rewrites = results.iter().filter(|result| result.updated_input.is_some());
        let last = rewrites.max_by_key(|result| result.finished);
        outcome.updated_input = last.and_then(|result| result.updated_input.clone());
    }
}

/// Joins the effects. What is an array in several of them becomes one.
fn effects(results: &[HookResult]) -> Map<String, Value> {
    let mut joined = Map::new();
    for (name, value) in results.iter().flat_map(|result| &result.effect) {
        merge(&mut joined, name, value);
    }
    joined
}

/// What the hooks that nobody waited for say with the next turn.
pub(super) fn later(results: &[HookResult]) -> Map<String, Value> {
    effects(results)
}

fn merge(joined: &mut Map<String, Value>, name: &str, value: &Value) {
    match (joined.get_mut(name), value) {
        (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
        (Some(Value::Object(fields)), Value::Object(more)) => {
            for (name, value) in more {
                merge(fields, name, value);
            }
        }
        (Some(Value::String(text)), Value::String(more)) => {
            text.push('\n');
            text.push_str(more);
        }
        _ => {
            joined.insert(name.to_owned(), value.clone());
        }
    }
}

fn joined<'a>(
    results: &'a [HookResult],
    between: &str,
    text: impl Fn(&'a HookResult) -> Option<&'a str>,
) -> Option<String> {
    let texts: Vec<_> = results.iter().filter_map(text).collect();
    (!texts.is_empty()).then(|| texts.join(between))
}
