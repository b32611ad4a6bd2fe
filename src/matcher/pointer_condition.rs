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

use regex::Regex;
use serde_json::Value;

use super::characters::shown;
use super::equality::equal;
use super::error::MatchError;
use super::pattern::{glob, refuse_control, regex};
use super::pointer::{Found, Token, follow, follow_all, is_wild, tokens};
use super::spec::{InputSpec, Test};
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
    Equals(Value),
    OneOf(Vec<Value>),
    Pattern(Regex),
}

/// Compiles a pattern for texts. An empty one is refused: it is written by mistake, and matches all
/// texts or none.
fn text_pattern(
    kind: &'static str,
    pattern: &str,
    source: impl FnOnce(&str) -> Result<String, MatchError>,
) -> Result<CompiledTest, MatchError> {
    if pattern.is_empty() {
        return Err(MatchError::Empty(kind));
    }
    refuse_control(pattern)?;
    Ok(CompiledTest::Pattern(regex(&source(pattern)?, pattern)?))
}

impl PointerCondition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// The pointer or a pattern cannot be read.
    pub(super) fn compile(spec: &InputSpec) -> Result<Self, MatchError> {
        let tests = spec.tests.iter().map(|input| {
            let compiled = match &input.test {
                Test::Exists(there) => CompiledTest::Exists(*there),
                Test::Equals(value) => CompiledTest::Equals(value.clone()),
                Test::OneOf(values) => CompiledTest::OneOf(values.clone()),
                Test::Glob(pattern) => text_pattern("glob", pattern, glob)?,
                Test::Regex(pattern) => text_pattern("regex", pattern, |text| Ok(text.to_owned()))?,
            };
            Ok((compiled, input.negated))
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
            let truth = match (test, found) {
                (_, Found::Unclear) => Truth::Unknown,
                (CompiledTest::Exists(there), found) => {
                    ((found != Found::Missing) == *there).into()
                }
                // A value that is missing meets no other test.
                (_, Found::Missing) => Truth::False,
                (CompiledTest::Equals(wanted), Found::Value(value)) => equal(wanted, value),
                (CompiledTest::OneOf(wanted), Found::Value(value)) => {
                    disjunction(wanted.iter().map(|wanted| equal(wanted, value)))
                }
                (CompiledTest::Pattern(pattern), Found::Value(Value::String(text))) => {
                    pattern.is_match(text).into()
                }
                (CompiledTest::Pattern(_), Found::Value(_)) => Truth::Unknown,
            };
            if *negated { !truth } else { truth }
        }))
    }

    /// Evaluates the condition on a text that is not kept as a value.
    pub(super) fn text_holds(&self, text: &str) -> Truth {
        conjunction(self.tests.iter().map(|(test, negated)| {
            let truth: Truth = match test {
                CompiledTest::Exists(there) => (*there).into(),
                CompiledTest::Equals(wanted) => equal_text(wanted, text),
                CompiledTest::OneOf(wanted) => {
                    disjunction(wanted.iter().map(|wanted| equal_text(wanted, text)))
                }
                CompiledTest::Pattern(pattern) => pattern.is_match(text).into(),
            };
            if *negated { !truth } else { truth }
        }))
    }
}

/// Compares as [`equal`] does, with a text that is not kept as a value.
fn equal_text(wanted: &Value, text: &str) -> Truth {
    match wanted {
        Value::String(wanted) => (wanted == text).into(),
        Value::Null => Truth::False,
        _ => Truth::Unknown,
    }
}
