//! The conditions that are evaluated at dispatch.

use hookgate_contract::StepContext;
use hookgate_contract::payload::{AnyPayload, FieldRef, Safety};
use regex::Regex;
use serde_json::Value;

use super::agent::Agents;
use super::equality::equal;
use super::pointer::{Found, Token, follow, follow_all, is_wild, tokens};
use super::{
    InputSpec, MatchError, MatchSpec, Test, Truth, all, any, controlled, folder, glob, name, regex,
    shown,
};

/// The compiled conditions of a hook, those on the tool's name excepted.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// Whether there are any.
    any: bool,
    safety: Vec<Safety>,
    agent: Agents,
    cwd: Vec<Regex>,
    input: Vec<Pointer>,
    payload: Vec<Pointer>,
}

#[derive(Debug)]
struct Pointer {
    tokens: Vec<Token>,
    /// Whether it may lead to several values.
    wild: bool,
    tests: Vec<(Compiled, bool)>,
}

#[derive(Debug)]
enum Compiled {
    Exists(bool),
    Equals(Value),
    OneOf(Vec<Value>),
    Pattern(Regex),
}

impl Conditions {
    /// Compiles the conditions; all that is wrong is reported, with the key that it stands under.
    pub(crate) fn compile(spec: &MatchSpec, errors: &mut Vec<(&'static str, MatchError)>) -> Self {
        let agent = Agents::compile(&spec.agent, errors);
        let mut cwd = Vec::new();
        for pattern in &spec.cwd_glob {
            match cwd_glob(pattern) {
                Ok(glob) => cwd.push(glob),
                Err(error) => errors.push(("cwd_glob", error)),
            }
        }
        let mut pointers = |key, all: &[InputSpec]| {
            let compiled = all.iter().map(Pointer::compile);
            compiled
                .filter_map(|pointer| pointer.map_err(|error| errors.push((key, error))).ok())
                .collect::<Vec<_>>()
        };
        let (input, payload) = (pointers("input", &spec.input), pointers("payload", &spec.payload));
        let safety = spec.safety.clone();
        let mut conditions = Self { any: false, safety, agent, cwd, input, payload };
        conditions.any = !conditions.is_empty();
        conditions
    }

    fn is_empty(&self) -> bool {
        self.safety.is_empty()
            && self.agent.is_empty()
            && self.cwd.is_empty()
            && self.input.is_empty()
            && self.payload.is_empty()
    }

    /// Whether there are any.
    #[inline]
    pub(crate) const fn any(&self) -> bool {
        self.any
    }

    /// Evaluates the conditions on a step.
    #[inline]
    pub(crate) fn hold(&self, payload: &dyn AnyPayload, context: &StepContext<'_>) -> Truth {
        if self.any { self.evaluate(payload, context) } else { Truth::True }
    }

    fn evaluate(&self, payload: &dyn AnyPayload, context: &StepContext<'_>) -> Truth {
        let parts: [&dyn Fn() -> Truth; 5] = [
            &|| self.safety_holds(payload),
            &|| self.agent_holds(context),
            &|| self.cwd_holds(context),
            &|| self.input_holds(payload),
            &|| payload_holds(&self.payload, payload),
        ];
        all(parts.into_iter().map(|part| part()))
    }

    fn safety_holds(&self, payload: &dyn AnyPayload) -> Truth {
        if self.safety.is_empty() {
            return Truth::True;
        }
        // A tool that nobody has classified may be of any class.
        payload
            .tool()
            .and_then(|call| call.safety)
            .map_or(Truth::Unknown, |safety| self.safety.contains(&safety).into())
    }

    fn agent_holds(&self, context: &StepContext<'_>) -> Truth {
        self.agent.hold(context.agent_id, context.agent_type)
    }

    fn cwd_holds(&self, context: &StepContext<'_>) -> Truth {
        if self.cwd.is_empty() {
            return Truth::True;
        }
        let Some(cwd) = context.cwd else { return Truth::Unknown };
        let normal = folder::normal(cwd);
        match self.cwd.iter().any(|glob| glob.is_match(&normal)) {
            // Nobody knows where a relative path starts.
            false if !folder::is_absolute(cwd) => Truth::Unknown,
            matches => matches.into(),
        }
    }

    fn input_holds(&self, payload: &dyn AnyPayload) -> Truth {
        match payload.tool() {
            Some(call) => all(self.input.iter().map(|pointer| pointer.holds(&call.tool_input))),
            None => payload_holds(&self.input, payload),
        }
    }
}

/// Most pointers into a payload name a field that it lends; only for the others a value is made.
fn payload_holds(pointers: &[Pointer], payload: &dyn AnyPayload) -> Truth {
    let mut whole = None;
    all(pointers.iter().map(|pointer| {
        if let Some((Token::Key(field), rest)) = pointer.tokens.split_first() {
            match payload.field(field) {
                Some(FieldRef::Text(text)) if rest.is_empty() => return pointer.text_holds(text),
                Some(FieldRef::Json(value)) => return pointer.rest_holds(value, rest),
                _ => {}
            }
        }
        match whole.get_or_insert_with(|| payload.to_value().ok()) {
            Some(value) => pointer.holds(value),
            // Who knows what it is.
            None => Truth::Unknown,
        }
    }))
}

fn cwd_glob(pattern: &str) -> Result<Regex, MatchError> {
    controlled(pattern)?;
    name::whole(pattern).map_err(|error| MatchError::name("cwd_glob", pattern, error))?;
    if let Some(problem) = folder::problem(pattern) {
        return Err(MatchError::Folder { glob: shown(pattern), problem });
    }
    regex(&glob(pattern)?, pattern)
}

/// A pattern for a text.
fn text_pattern(
    sort: &'static str,
    pattern: &str,
    source: impl FnOnce(&str) -> Result<String, MatchError>,
) -> Result<Compiled, MatchError> {
    if pattern.is_empty() {
        return Err(MatchError::Empty(sort));
    }
    controlled(pattern)?;
    Ok(Compiled::Pattern(regex(&source(pattern)?, pattern)?))
}

impl Pointer {
    fn compile(spec: &InputSpec) -> Result<Self, MatchError> {
        let tests = spec.tests.iter().map(|input| {
            let compiled = match &input.test {
                Test::Exists(there) => Compiled::Exists(*there),
                Test::Equals(value) => Compiled::Equals(value.clone()),
                Test::OneOf(values) => Compiled::OneOf(values.clone()),
                Test::Glob(pattern) => text_pattern("glob", pattern, glob)?,
                Test::Regex(pattern) => text_pattern("regex", pattern, |text| Ok(text.to_owned()))?,
            };
            Ok((compiled, input.negated))
        });
        let tokens = tokens(&spec.pointer)
            .map_err(|problem| MatchError::Pointer { pointer: shown(&spec.pointer), problem })?;
        Ok(Self { wild: is_wild(&tokens), tokens, tests: tests.collect::<Result<_, _>>()? })
    }

    fn holds(&self, root: &Value) -> Truth {
        self.rest_holds(root, &self.tokens)
    }

    /// As [`Self::holds`], of the value that the first tokens led to.
    fn rest_holds(&self, root: &Value, tokens: &[Token]) -> Truth {
        if self.wild {
            any(follow_all(root, tokens).into_iter().map(|found| self.found_holds(found)))
        } else {
            self.found_holds(follow(root, tokens))
        }
    }

    fn found_holds(&self, found: Found<'_>) -> Truth {
        all(self.tests.iter().map(|(test, negated)| {
            let truth = match (test, found) {
                (_, Found::Unclear) => Truth::Unknown,
                (Compiled::Exists(there), found) => ((found != Found::Missing) == *there).into(),
                // What is not there has no value: every other test of it is false.
                (_, Found::Missing) => Truth::False,
                (Compiled::Equals(wanted), Found::Value(value)) => equal(wanted, value),
                (Compiled::OneOf(wanted), Found::Value(value)) => {
                    any(wanted.iter().map(|wanted| equal(wanted, value)))
                }
                (Compiled::Pattern(pattern), Found::Value(Value::String(text))) => {
                    pattern.is_match(text).into()
                }
                (Compiled::Pattern(_), Found::Value(_)) => Truth::Unknown,
            };
            if *negated { truth.not() } else { truth }
        }))
    }

    /// As [`Self::holds`], of a text that is not kept as a value.
    fn text_holds(&self, text: &str) -> Truth {
        all(self.tests.iter().map(|(test, negated)| {
            let truth: Truth = match test {
                Compiled::Exists(there) => (*there).into(),
                Compiled::Equals(wanted) => text_is(wanted, text),
                Compiled::OneOf(wanted) => any(wanted.iter().map(|wanted| text_is(wanted, text))),
                Compiled::Pattern(pattern) => pattern.is_match(text).into(),
            };
            if *negated { truth.not() } else { truth }
        }))
    }
}

/// As [`equal`], of a text that is not kept as a value.
fn text_is(wanted: &Value, text: &str) -> Truth {
    match wanted {
        Value::String(wanted) => (wanted == text).into(),
        Value::Null => Truth::False,
        _ => Truth::Unknown,
    }
}

#[cfg(test)]
mod tests;
