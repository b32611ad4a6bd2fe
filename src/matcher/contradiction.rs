//! Tests of one pointer that no value meets together.
//!
//! A hook with such tests is never called, and its author believes that it guards something. It is
//! found where it can be told for certain: a test and its negation, a value that must be missing and
//! be tested, a value that fails another test, numbers and lengths without anything between them.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::characters::shown;
use super::equality::compare;
use super::error::MatchError;
use super::pointer_condition::PointerCondition;
use super::spec::{InputSpec, MatchSpec};
use super::test::{InputTest, Test};
use super::truth::Truth;

impl MatchSpec {
    /// Returns the conditions that no step meets, each with its key. Patterns that cannot be compiled
    /// are reported elsewhere.
    pub(crate) fn contradictions(&self) -> Vec<(&'static str, MatchError)> {
        let input = self.input.iter().map(|spec| ("input", spec));
        let all = input.chain(self.payload.iter().map(|spec| ("payload", spec)));
        all.filter_map(|(key, spec)| {
            let pointer = shown(&spec.pointer);
            Some((key, MatchError::Contradiction { pointer, why: contradiction(spec)? }))
        })
        .collect()
    }
}

/// Returns which tests contradict each other.
pub(super) fn contradiction(spec: &InputSpec) -> Option<String> {
    let tests = &spec.tests;
    let opposite = |a: &InputTest, b: &InputTest| {
        a.test == b.test && a.ignore_case == b.ignore_case && a.negated != b.negated
    };
    if tests.iter().any(|a| tests.iter().any(|b| opposite(a, b))) {
        return Some("a test is there together with its negation".to_owned());
    }
    let missing = |input: &InputTest| match input.test {
        Test::Exists(there) => there == input.negated,
        _ => false,
    };
    let needs_value = |input: &InputTest| match input.test {
        Test::Exists(there) => there != input.negated,
        _ => !input.negated,
    };
    if tests.iter().any(missing) && tests.iter().any(needs_value) {
        return Some("a value that is missing meets no other test".to_owned());
    }
    let positive: Vec<&Test> =
        tests.iter().filter(|input| !input.negated).map(|input| &input.test).collect();
    no_number(&positive)
        .or_else(|| no_length(&positive))
        .or_else(|| no_sort(&positive))
        .or_else(|| no_end(spec))
        .or_else(|| no_candidate(spec))
}

/// Looks for a test of a number beside one of a text: no value is both.
fn no_sort(tests: &[&Test]) -> Option<String> {
    let asks_number =
        |test: &&Test| matches!(test, Test::Gt(_) | Test::Ge(_) | Test::Lt(_) | Test::Le(_));
    let both = tests.iter().any(asks_number) && tests.iter().any(|test| asks_text(test));
    both.then(|| "a value is either a number or a text".to_owned())
}

fn asks_text(test: &Test) -> bool {
    match test {
        Test::Glob(_)
        | Test::Regex(_)
        | Test::Contains(_)
        | Test::StartsWith(_)
        | Test::EndsWith(_)
        | Test::Length { .. } => true,
        Test::Any(tests) => !tests.is_empty() && tests.iter().all(asks_text),
        _ => false,
    }
}

/// Looks for two starts, or two ends, of which none is a part of the other.
fn no_end(spec: &InputSpec) -> Option<String> {
    let tests = spec.tests.iter().filter(|input| !input.negated && !input.ignore_case);
    let tests: Vec<&Test> = tests.map(|input| &input.test).collect();
    let starts = |test: &&Test| {
        texts_of(test, |test| match test {
            Test::StartsWith(text) => Some(text.clone()),
            _ => None,
        })
    };
    let ends = |test: &&Test| {
        texts_of(test, |test| match test {
            Test::EndsWith(text) => Some(text.chars().rev().collect()),
            _ => None,
        })
    };
    let clash = |all: Vec<Vec<String>>| {
        let meet = |a: &String, b: &String| a.starts_with(b.as_str()) || b.starts_with(a.as_str());
        let exclude = |a: &[String], b: &[String]| {
            !a.iter().any(|one| b.iter().any(|other| meet(one, other)))
        };
        all.iter().enumerate().any(|(at, a)| all.iter().skip(at + 1).any(|b| exclude(a, b)))
    };
    let both = clash(tests.iter().filter_map(starts).collect())
        || clash(tests.iter().filter_map(ends).collect());
    both.then(|| "no text begins, or ends, with both".to_owned())
}

/// Returns the texts of a test, or of all tests in it of which one is enough.
fn texts_of(test: &Test, text: fn(&Test) -> Option<String>) -> Option<Vec<String>> {
    match test {
        Test::Any(tests) => tests.iter().map(text).collect(),
        test => text(test).map(|text| vec![text]),
    }
}

/// Looks for a number between the bounds.
fn no_number(tests: &[&Test]) -> Option<String> {
    let bounds = |test: &&Test| match test {
        Test::Gt(number) => Some((number.clone(), true, true)),
        Test::Ge(number) => Some((number.clone(), true, false)),
        Test::Lt(number) => Some((number.clone(), false, true)),
        Test::Le(number) => Some((number.clone(), false, false)),
        _ => None,
    };
    let all: Vec<(Number, bool, bool)> = tests.iter().filter_map(bounds).collect();
    let empty = all.iter().filter(|(_, lower, _)| *lower).any(|(low, _, low_open)| {
        all.iter().filter(|(_, lower, _)| !lower).any(|(high, _, high_open)| {
            match compare(low, high) {
                Some(Ordering::Greater) => true,
                Some(Ordering::Equal) => *low_open || *high_open,
                _ => false,
            }
        })
    });
    empty.then(|| "no number is between the bounds".to_owned())
}

/// Looks for a length within all bounds.
fn no_length(tests: &[&Test]) -> Option<String> {
    let (mut from, mut to) = (0, u64::MAX);
    for test in tests {
        if let Test::Length { least, most } = test {
            let most = most.unwrap_or(u64::MAX);
            if most < *least {
                // It is reported by itself.
                return None;
            }
            from = from.max(*least);
            to = to.min(most);
        }
    }
    (from > to).then(|| "no length is within the bounds".to_owned())
}

/// Looks for one of the listed values that meets the other tests.
fn no_candidate(spec: &InputSpec) -> Option<String> {
    let listed = spec.tests.iter().find_map(|input| match &input.test {
        _ if input.negated || input.ignore_case => None,
        Test::Equals(value) => Some(std::slice::from_ref(value)),
        Test::OneOf(values) => Some(values.as_slice()),
        _ => None,
    })?;
    let whole = InputSpec { pointer: String::new(), tests: spec.tests.clone() };
    let condition = PointerCondition::compile(&whole).ok()?;
    let fails = |value: &Value| condition.holds(value) == Truth::False;
    (!listed.is_empty() && listed.iter().all(fails))
        .then(|| "the value that it must be equal to fails another test".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn contradictions_are_found_and_nothing_else() {
        let spec =
            |tests: &[InputTest]| tests.iter().cloned().fold(InputSpec::new("/a"), InputSpec::test);
        let plain = InputTest::from;
        for tests in [
            [plain(Test::regex("a")), !Test::regex("a")],
            [plain(Test::Exists(false)), plain(Test::regex("a"))],
            [plain(Test::equals("a")), plain(Test::equals("b"))],
            [plain(Test::equals("a")), plain(Test::regex("b"))],
            [plain(Test::one_of(["a", "b"])), plain(Test::starts_with("c"))],
            [plain(Test::Gt(5.into())), plain(Test::Lt(5.into()))],
            [plain(Test::Gt(5.into())), plain(Test::contains("5"))],
            [plain(Test::starts_with("a")), plain(Test::starts_with("b"))],
            [plain(Test::ends_with("a")), plain(Test::any([Test::ends_with("b")]))],
            [plain(Test::length(0..=3)), plain(Test::length(4..=9))],
        ] {
            assert!(contradiction(&spec(&tests)).is_some(), "{tests:?}");
        }
        for tests in [
            [plain(Test::regex("a")), !Test::regex("b")],
            [plain(Test::Exists(false)), !Test::regex("a")],
            [plain(Test::one_of(["a", "b"])), !Test::equals("a")],
            [plain(Test::equals(5)), plain(Test::Gt(4.into()))],
            [plain(Test::equals(5)), plain(Test::regex("5"))],
            [plain(Test::equals(json!("A"))).ignore_case(), plain(Test::equals("a"))],
            [plain(Test::Ge(5.into())), plain(Test::Le(5.into()))],
            [plain(Test::Ge(5.into())), plain(Test::equals(5))],
            [plain(Test::starts_with("a")), plain(Test::starts_with("ab"))],
            [plain(Test::starts_with("a")), plain(Test::ends_with("b"))],
            [plain(Test::starts_with("a")), !Test::starts_with("b")],
        ] {
            assert_eq!(contradiction(&spec(&tests)), None, "{tests:?}");
        }
    }
}
