//! One condition on the value at a JSON pointer.
//!
//! | value | `exists` | other tests |
//! |---|---|---|
//! | there, of the type that the test expects | true | by the test |
//! | there, of another type | true | unknown |
//! | missing: the object has no such key | false | false |
//! | unclear: there is no object to look into | unknown | unknown |
//!
//! A negated test swaps true and false, and keeps unknown. If the pointer leads to several values,
//! one that meets all tests is enough.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::{Number, Value};

use super::characters::shown;
use super::equality::{compare, equal};
use super::error::MatchError;
use super::glob::anchored;
use super::pattern::{glob, refuse_control, regex};
use super::pointer::{Found, Token, follow, follow_all, is_wild, tokens};
use super::spec::InputSpec;
use super::test::{InputTest, Test};
use super::truth::{Truth, conjunction, disjunction};

/// A compiled condition on the value at one pointer.
#[derive(Debug)]
pub(super) struct PointerCondition {
    pub(super) tokens: Vec<Token>,
    /// Whether the pointer may lead to several values.
    wild: bool,
    /// The tests, and whether each is negated.
    tests: Vec<(CompiledTest, bool)>,
}

/// A compiled [`Test`].
#[derive(Debug)]
enum CompiledTest {
    Exists(bool),
    Equals(Wanted),
    Pattern(Regex),
    /// The orders that the value may have to the number.
    Number(Number, &'static [Ordering]),
    Length {
        least: u64,
        most: Option<u64>,
    },
    Any(Vec<Self>),
}

/// A value that another one is compared with.
#[derive(Debug)]
enum Wanted {
    Value(Value),
    /// A text in which upper and lower case are the same.
    AnyCase(Regex),
}

/// A value, or a text that is not kept as one.
#[derive(Clone, Copy)]
enum Tested<'v> {
    Value(&'v Value),
    Text(&'v str),
}

impl<'v> Tested<'v> {
    const fn text(self) -> Option<&'v str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Value(Value::String(text)) => Some(text.as_str()),
            Self::Value(_) => None,
        }
    }

    /// Returns the number of characters or entries; a value of another type has none.
    fn length(self) -> Option<usize> {
        match (self.text(), self) {
            (Some(text), _) => Some(text.chars().count()),
            (_, Self::Value(Value::Array(items))) => Some(items.len()),
            (_, Self::Value(Value::Object(map))) => Some(map.len()),
            _ => None,
        }
    }
}

impl Wanted {
    /// # Errors
    /// The text is too long for a pattern.
    fn compile(value: &Value, ignore_case: bool) -> Result<Self, MatchError> {
        match value {
            Value::String(text) if ignore_case => {
                let source = anchored(&regex::escape(text));
                Ok(Self::AnyCase(text_regex(&source, text, true)?))
            }
            other => Ok(Self::Value(other.clone())),
        }
    }

    fn equal(&self, tested: Tested<'_>) -> Truth {
        match (self, tested) {
            (Self::Value(wanted), Tested::Value(value)) => equal(wanted, value),
            (Self::Value(Value::String(wanted)), Tested::Text(text)) => (wanted == text).into(),
            (Self::Value(Value::Null), Tested::Text(_)) => Truth::False,
            (Self::Value(_), Tested::Text(_)) => Truth::Unknown,
            (Self::AnyCase(pattern), tested) => match (tested.text(), tested) {
                (Some(text), _) => pattern.is_match(text).into(),
                (None, Tested::Value(Value::Null)) => Truth::False,
                (None, _) => Truth::Unknown,
            },
        }
    }
}

/// Compiles a regular expression for texts.
fn text_regex(source: &str, written: &str, ignore_case: bool) -> Result<Regex, MatchError> {
    if ignore_case { regex(&format!("(?i:{source})"), written) } else { regex(source, written) }
}

/// Compiles a pattern for texts. An empty one is refused: it is written by mistake, and matches all
/// texts or none.
fn text_pattern(
    kind: &'static str,
    pattern: &str,
    ignore_case: bool,
    source: impl FnOnce(&str) -> Result<String, MatchError>,
) -> Result<CompiledTest, MatchError> {
    if pattern.is_empty() {
        return Err(MatchError::Empty(kind));
    }
    refuse_control(pattern)?;
    let source = source(pattern)?;
    // It is compiled alone too: a `(?x)` comment in it must not swallow the bracket around it.
    let plain = regex(&source, pattern)?;
    let pattern = if ignore_case { text_regex(&source, pattern, true)? } else { plain };
    Ok(CompiledTest::Pattern(pattern))
}

impl CompiledTest {
    /// # Errors
    /// A pattern cannot be read, or bounds exclude everything.
    fn compile(test: &Test, ignore_case: bool) -> Result<Self, MatchError> {
        use Ordering::{Equal, Greater, Less};
        let pattern = |kind, pattern: &str, source: fn(&str) -> Result<String, MatchError>| {
            text_pattern(kind, pattern, ignore_case, source)
        };
        match test {
            Test::Exists(there) => Ok(Self::Exists(*there)),
            Test::Equals(value) => Ok(Self::Equals(Wanted::compile(value, ignore_case)?)),
            Test::OneOf(values) => {
                let wanted = values.iter().map(|value| Wanted::compile(value, ignore_case));
                let tests = wanted.map(|wanted| wanted.map(Self::Equals));
                Ok(Self::Any(tests.collect::<Result<_, _>>()?))
            }
            Test::Glob(text) => pattern("glob", text, glob),
            Test::Regex(text) => pattern("regex", text, |text| Ok(text.to_owned())),
            Test::Contains(text) => pattern("contains", text, |text| Ok(regex::escape(text))),
            Test::StartsWith(text) => {
                pattern("starts_with", text, |text| Ok(format!(r"\A{}", regex::escape(text))))
            }
            Test::EndsWith(text) => {
                pattern("ends_with", text, |text| Ok(format!(r"{}\z", regex::escape(text))))
            }
            Test::Gt(number) => Ok(Self::Number(number.clone(), &[Greater])),
            Test::Ge(number) => Ok(Self::Number(number.clone(), &[Greater, Equal])),
            Test::Lt(number) => Ok(Self::Number(number.clone(), &[Less])),
            Test::Le(number) => Ok(Self::Number(number.clone(), &[Less, Equal])),
            Test::Length { least, most } if most.is_some_and(|most| most < *least) => {
                Err(MatchError::Length)
            }
            Test::Length { least, most } => Ok(Self::Length { least: *least, most: *most }),
            Test::Any(tests) => {
                let tests = tests.iter().map(|test| Self::compile(test, ignore_case));
                Ok(Self::Any(tests.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Evaluates the test on a value that is there.
    fn holds(&self, tested: Tested<'_>) -> Truth {
        match self {
            Self::Exists(there) => (*there).into(),
            Self::Equals(wanted) => wanted.equal(tested),
            Self::Pattern(pattern) => {
                tested.text().map_or(Truth::Unknown, |text| pattern.is_match(text).into())
            }
            Self::Number(wanted, orders) => match tested {
                Tested::Value(Value::Number(number)) => compare(number, wanted)
                    .map_or(Truth::Unknown, |order| orders.contains(&order).into()),
                // A tool may read a number in a text.
                _ => Truth::Unknown,
            },
            Self::Length { least, most } => tested.length().map_or(Truth::Unknown, |length| {
                let length = u64::try_from(length).unwrap_or(u64::MAX);
                (length >= *least && most.is_none_or(|most| length <= most)).into()
            }),
            Self::Any(tests) => disjunction(tests.iter().map(|test| test.holds(tested))),
        }
    }

    /// Evaluates the test where there is no value: nothing meets it but `exists = false`.
    fn holds_without_value(&self) -> Truth {
        match self {
            Self::Exists(there) => (!there).into(),
            Self::Any(tests) => disjunction(tests.iter().map(|test| test.holds_without_value())),
            _ => Truth::False,
        }
    }
}

impl PointerCondition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// The pointer or a pattern cannot be read.
    pub(super) fn compile(spec: &InputSpec) -> Result<Self, MatchError> {
        let tests = spec.tests.iter().map(|InputTest { test, negated, ignore_case }| {
            Ok((CompiledTest::compile(test, *ignore_case)?, *negated))
        });
        let tokens = tokens(&spec.pointer)
            .map_err(|problem| MatchError::Pointer { pointer: shown(&spec.pointer), problem })?;
        Ok(Self { wild: is_wild(&tokens), tokens, tests: tests.collect::<Result<_, _>>()? })
    }

    /// Evaluates the condition on a value.
    pub(super) fn holds(&self, root: &Value) -> Truth {
        self.rest_holds(root, &self.tokens)
    }

    /// Evaluates the condition on the value that the first tokens led to.
    pub(super) fn rest_holds(&self, root: &Value, tokens: &[Token]) -> Truth {
        if self.wild {
            disjunction(follow_all(root, tokens).into_iter().map(|found| self.found_holds(found)))
        } else {
            self.found_holds(follow(root, tokens))
        }
    }

    fn found_holds(&self, found: Found<'_>) -> Truth {
        conjunction(self.tests.iter().map(|(test, negated)| {
            let truth = match found {
                Found::Unclear => Truth::Unknown,
                Found::Missing => test.holds_without_value(),
                Found::Value(value) => test.holds(Tested::Value(value)),
            };
            if *negated { !truth } else { truth }
        }))
    }

    /// Evaluates the condition on a text that is not kept as a value.
    pub(super) fn text_holds(&self, text: &str) -> Truth {
        conjunction(self.tests.iter().map(|(test, negated)| {
            let truth = test.holds(Tested::Text(text));
            if *negated { !truth } else { truth }
        }))
    }
}
