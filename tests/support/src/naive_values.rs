//! Conditions on JSON values as they are explained to people, to compare the real ones with.

use hookgate::matcher::{InputSpec, InputTest, Test};
use regex::Regex;
use serde_json::{Number, Value};

use crate::naive_glob::naive_glob;

/// Whether something holds: yes, no, or unknown.
type Truth = Option<bool>;

/// What a pointer leads to.
enum Found<'v> {
    Value(&'v Value),
    Nothing,
    Unknown,
}

fn walk<'v>(value: &'v Value, tokens: &[&str]) -> Vec<Found<'v>> {
    let Some((&first, rest)) = tokens.split_first() else { return vec![Found::Value(value)] };
    let inside: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(map) => map.values().collect(),
        Value::String(_) if first == "**" => return vec![Found::Value(value), Found::Unknown],
        _ => return vec![Found::Unknown],
    };
    if first == "*" && !inside.is_empty() {
        return inside.iter().flat_map(|item| walk(item, rest)).collect();
    }
    if first == "**" {
        let texts = strings(value);
        if !texts.is_empty() {
            return texts.into_iter().map(Found::Value).collect();
        }
    }
    if first == "*" || first == "**" {
        return vec![Found::Nothing];
    }
    let key = first.replace("~1", "/").replace("~0", "~");
    let next = match value {
        Value::Array(items) => match key.parse::<usize>() {
            Ok(index) if index.to_string() == key => items.get(index),
            _ => return vec![Found::Unknown],
        },
        other => other.get(&key),
    };
    next.map_or_else(|| vec![Found::Nothing], |next| walk(next, rest))
}

fn strings(value: &Value) -> Vec<&Value> {
    match value {
        Value::String(_) => vec![value],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// A number in one notation.
fn canonical(number: &Number) -> String {
    match number.as_f64() {
        Some(double) if number.is_f64() && double.fract() == 0.0 => {
            format!("{double:.0}").replace("-0", "0")
        }
        Some(double) if number.is_f64() => format!("{double:e}"),
        _ => number.to_string(),
    }
}

fn equal(wanted: &Value, value: &Value) -> Truth {
    match (wanted, value) {
        (Value::Number(a), Value::Number(b)) => Some(canonical(a) == canonical(b)),
        (Value::Array(a), Value::Array(b)) => {
            if a.len() == b.len() {
                every(a.iter().zip(b).map(|(a, b)| equal(a, b)))
            } else {
                Some(false)
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            if a.keys().eq(b.keys()) {
                every(a.keys().map(|key| equal(&a[key], &b[key])))
            } else {
                Some(false)
            }
        }
        (Value::Null, _) | (_, Value::Null) => Some(wanted == value),
        (Value::String(_), Value::String(_)) | (Value::Bool(_), Value::Bool(_)) => {
            Some(wanted == value)
        }
        _ => None,
    }
}

fn every(truths: impl Iterator<Item = Truth>) -> Truth {
    let all: Vec<_> = truths.collect();
    if all.contains(&Some(false)) {
        Some(false)
    } else if all.contains(&None) {
        None
    } else {
        Some(true)
    }
}

fn some(truths: impl Iterator<Item = Truth>) -> Truth {
    every(truths.map(|truth| truth.map(|holds| !holds))).map(|none| !none)
}

/// Lowers the letters of a text or of a value that is one.
fn lower(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| text.to_lowercase().into())
}

fn lower_test(test: &Test) -> Test {
    match test {
        Test::Equals(wanted) => Test::Equals(lower(wanted)),
        Test::OneOf(wanted) => Test::OneOf(wanted.iter().map(lower).collect()),
        Test::Glob(text) => Test::Glob(text.to_lowercase()),
        Test::Regex(text) => Test::Regex(text.to_lowercase()),
        Test::Contains(text) => Test::Contains(text.to_lowercase()),
        Test::StartsWith(text) => Test::StartsWith(text.to_lowercase()),
        Test::EndsWith(text) => Test::EndsWith(text.to_lowercase()),
        Test::Any(tests) => Test::Any(tests.iter().map(lower_test).collect()),
        other => other.clone(),
    }
}

/// Compares two numbers by what they are as decimal texts: all numbers of these tests are short.
fn order(a: &Number, b: &Number) -> Option<std::cmp::Ordering> {
    if canonical(a) == canonical(b) {
        return Some(std::cmp::Ordering::Equal);
    }
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn test_of(test: &Test, found: &Found<'_>) -> Truth {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ordered = |wanted: &Number, allowed: &[std::cmp::Ordering]| match found {
        Found::Value(Value::Number(number)) => {
            order(number, wanted).map(|order| allowed.contains(&order))
        }
        Found::Value(_) | Found::Unknown => None,
        Found::Nothing => Some(false),
    };
    match test {
        Test::Any(tests) => return some(tests.iter().map(|test| test_of(test, found))),
        Test::Gt(wanted) => return ordered(wanted, &[Greater]),
        Test::Ge(wanted) => return ordered(wanted, &[Greater, Equal]),
        Test::Lt(wanted) => return ordered(wanted, &[Less]),
        Test::Le(wanted) => return ordered(wanted, &[Less, Equal]),
        _ => {}
    }
    match (test, found) {
        (_, Found::Unknown) => None,
        (Test::Exists(there), found) => Some(matches!(found, Found::Value(_)) == *there),
        (_, Found::Nothing) => Some(false),
        (Test::Equals(wanted), Found::Value(value)) => equal(wanted, value),
        (Test::OneOf(wanted), Found::Value(value)) => some(wanted.iter().map(|w| equal(w, value))),
        (Test::Glob(glob), Found::Value(Value::String(text))) => Some(naive_glob(glob, text)),
        (Test::Regex(source), Found::Value(Value::String(text))) => {
            Some(Regex::new(&format!("(?s){source}")).unwrap().is_match(text))
        }
        (Test::Contains(part), Found::Value(Value::String(text))) => Some(text.contains(part)),
        (Test::StartsWith(part), Found::Value(Value::String(text))) => Some(text.starts_with(part)),
        (Test::EndsWith(part), Found::Value(Value::String(text))) => Some(text.ends_with(part)),
        (Test::Length { least, most }, Found::Value(value)) => {
            let length = match value {
                Value::String(text) => text.chars().count(),
                Value::Array(items) => items.len(),
                Value::Object(map) => map.len(),
                _ => return None,
            };
            Some((*least..=most.unwrap_or(u64::MAX)).contains(&(length as u64)))
        }
        _ => None,
    }
}

/// Evaluates a test; without regard to case both sides are lowered.
fn tested(input: &InputTest, found: &Found<'_>) -> Truth {
    if !input.ignore_case {
        return test_of(&input.test, found);
    }
    let test = lower_test(&input.test);
    match found {
        // Inside of arrays and objects the case counts.
        Found::Value(value) if value.is_string() => test_of(&test, &Found::Value(&lower(value))),
        found => test_of(&test, found),
    }
}

/// A hook is invoked unless a condition is known to be false.
pub fn naive_conditions(conditions: &[InputSpec], input: &Value) -> bool {
    conditions.iter().all(|condition| {
        let tokens: Vec<_> = condition.pointer.split('/').skip(1).collect();
        let holds = some(walk(input, &tokens).iter().map(|found| {
            every(
                condition
                    .tests
                    .iter()
                    .map(|test| tested(test, found).map(|holds| holds != test.negated)),
            )
        }));
        holds != Some(false)
    })
}
