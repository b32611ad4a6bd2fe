//! What the answers of all hooks come to.

use serde_json::{Map, Value};

use super::answer::{ACTION, CONTENT, ELICITATION, RETRY};
use super::later::LATER;
use super::spill;
use crate::foreign::{Audience, ForeignVerdict, HookResult, Host, Outcome};

/// The effect: what the user reads of a message, whether a hook changed it or not.
const DISPLAYED: &str = "displayed";

/// Joins what all hooks came to. All contexts are kept; the strictest verdict counts.
pub(super) fn combine(
    event: &str,
    input: &Map<String, Value>,
    results: &[HookResult],
    host: &Host,
) -> Outcome {
    let mut outcome = Outcome {
        context: results.iter().flat_map(|result| result.context.clone()).collect(),
        halt: results.iter().any(|result| result.halt),
        halt_reason: results.iter().find_map(|result| result.halt_reason.clone()),
        ends_turn: results.iter().any(|result| result.ends_turn),
        system_message: joined(results.iter().map(|result| result.system_message.as_deref())),
        updated_output: last(results, |result| result.updated_output.as_ref()),
        effect: effects(results),
        ..Outcome::default()
    };
    decide(&mut outcome, results);
    shorten(&mut outcome, input, host);
    let told = outcome.reason.as_deref().filter(|_| outcome.reason_to == Some(Audience::User));
    let others = results.iter().map(|result| result.shown_to_user.as_deref());
    outcome.shown_to_user = joined(std::iter::once(told).chain(others));
    match event {
        "PermissionDenied" => {
            outcome.effect.entry(RETRY).or_insert(Value::Bool(false));
        }
        "MessageDisplay" => show_message(&mut outcome, input),
        "Elicitation" | "ElicitationResult" => answer_form(&mut outcome, results),
        _ => {}
    }
    outcome
}

/// The user reads the new text in the place of the message.
fn show_message(outcome: &mut Outcome, input: &Map<String, Value>) {
    let new = outcome.updated_output.as_ref();
    outcome.shown_to_user = new.and_then(Value::as_str).map(str::to_owned);
    if let Some(text) = new.or_else(|| input.get("delta")) {
        outcome.effect.insert(DISPLAYED.to_owned(), text.clone());
    }
}

/// A form has one answer: the last one of those who decide.
fn answer_form(outcome: &mut Outcome, results: &[HookResult]) {
    let mut deciding = results.iter().filter(|result| result.verdict == outcome.verdict);
    let answer = deciding.rfind(|result| result.effect.contains_key(ELICITATION));
    for name in [ACTION, CONTENT, ELICITATION] {
        match answer.and_then(|result| result.effect.get(name)) {
            Some(value) => drop(outcome.effect.insert(name.to_owned(), value.clone())),
            None => drop(outcome.effect.remove(name)),
        }
    }
}

fn decide(outcome: &mut Outcome, results: &[HookResult]) {
    let strictest = results.iter().map(|result| result.verdict).max().unwrap_or_default();
    // Who has to stop does not go on.
    let is_overruled = outcome.halt && strictest == ForeignVerdict::KeepGoing;
    outcome.verdict = if is_overruled { ForeignVerdict::None } else { strictest };
    let deciding = || {
        let with_reason = results.iter().filter(|result| result.reason_to.is_some());
        with_reason.filter(|result| result.verdict == strictest && !is_overruled)
    };
    outcome.reason = joined(deciding().map(|result| result.reason.as_deref()));
    outcome.reason_to = deciding().find_map(|result| result.reason_to);
    if strictest != ForeignVerdict::Deny {
        outcome.updated_input = last(results, |result| result.updated_input.as_ref());
    }
}

/// Returns what the hook said that finished last.
fn last(results: &[HookResult], value: impl Fn(&HookResult) -> Option<&Value>) -> Option<Value> {
    let said = results.iter().filter(|result| value(result).is_some());
    said.max_by_key(|result| result.finished).and_then(|result| value(result).cloned())
}

fn joined<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Option<String> {
    let texts: Vec<_> = texts.flatten().collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Joins the effects: lists become one list, a `true` stays, of all else the last counts.
pub(super) fn effects(results: &[HookResult]) -> Map<String, Value> {
    let mut joined = Map::new();
    for (name, value) in results.iter().flat_map(|result| &result.effect) {
        match (joined.get_mut(name), value) {
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
            (Some(known), Value::Object(more)) if name == LATER => merge_later(known, more),
            (Some(Value::Bool(true)), Value::Bool(_)) if name == RETRY => {}
            (Some(known), Value::Null) if !known.is_null() => {}
            _ => {
                joined.insert(name.clone(), value.clone());
            }
        }
    }
    joined
}

/// Joins what several hooks say with the next turn.
fn merge_later(known: &mut Value, more: &Map<String, Value>) {
    let Value::Object(known) = known else { return };
    for (name, value) in more {
        match (known.get_mut(name), value) {
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.iter().cloned()),
            _ => {
                known.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Shortens all texts that are too long.
fn shorten(outcome: &mut Outcome, input: &Map<String, Value>, host: &Host) {
    for text in &mut outcome.context {
        outcome.context_spilled |= spill::shorten(text, input, host);
    }
    let others = [&mut outcome.reason, &mut outcome.halt_reason, &mut outcome.system_message];
    for text in others.into_iter().flatten() {
        let _ = spill::shorten(text, input, host);
    }
}
