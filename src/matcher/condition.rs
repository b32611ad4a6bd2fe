//! The conditions that are evaluated at dispatch.

use hookgate_contract::StepContext;
use hookgate_contract::payload::{AnyPayload, FieldRef, Safety};
use regex::Regex;
use serde_json::Value;

use super::{InputSpec, MatchError, MatchSpec, Test, glob, regex};

/// Whether a condition holds. The order is that of a conjunction: false beats cannot-tell beats
/// true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Truth {
    /// It does not hold.
    False,
    /// It cannot be told: the hook is asked all the same.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
    const fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// The compiled conditions of a hook, those on the tool's name excepted.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// Whether there are any.
    any: bool,
    safety: Vec<Safety>,
    agent: Vec<String>,
    cwd: Vec<Regex>,
    input: Vec<Pointer>,
    payload: Vec<Pointer>,
}

#[derive(Debug)]
struct Pointer {
    tokens: Vec<String>,
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
        let mut keep = |key, result: Result<Regex, MatchError>| match result {
            Ok(regex) => Some(regex),
            Err(error) => {
                errors.push((key, error));
                None
            }
        };
        let cwd: Vec<_> = spec
            .cwd_glob
            .iter()
            .filter_map(|pattern| {
                keep("cwd_glob", glob(pattern).and_then(|source| regex(&source, pattern)))
            })
            .collect();
        let mut pointers = |all: &[InputSpec]| {
            let compiled = all.iter().map(Pointer::compile);
            compiled
                .filter_map(|pointer| pointer.map_err(|error| errors.push(("input", error))).ok())
                .collect::<Vec<_>>()
        };
        let (input, payload) = (pointers(&spec.input), pointers(&spec.payload));
        let (safety, agent) = (spec.safety.clone(), spec.agent.clone());
        let mut conditions = Self { any: false, safety, agent, cwd, input, payload };
        conditions.any = !conditions.is_empty();
        conditions
    }

    const fn is_empty(&self) -> bool {
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
        let is = |name: Option<&str>| name.is_some_and(|name| self.agent.iter().any(|a| a == name));
        (self.agent.is_empty() || is(context.agent_id) || is(context.agent_type)).into()
    }

    fn cwd_holds(&self, context: &StepContext<'_>) -> Truth {
        if self.cwd.is_empty() {
            return Truth::True;
        }
        context
            .cwd
            .map_or(Truth::Unknown, |cwd| self.cwd.iter().any(|glob| glob.is_match(cwd)).into())
    }

    fn input_holds(&self, payload: &dyn AnyPayload) -> Truth {
        match payload.tool() {
            Some(call) => {
                all(self.input.iter().map(|pointer| pointer.holds(Some(&call.tool_input))))
            }
            None => payload_holds(&self.input, payload),
        }
    }
}

/// Most pointers into a payload name a text that it lends; only for the others a value is made.
fn payload_holds(pointers: &[Pointer], payload: &dyn AnyPayload) -> Truth {
    let mut whole = None;
    all(pointers.iter().map(|pointer| {
        if let [field] = pointer.tokens.as_slice()
            && let Some(FieldRef::Text(text)) = payload.field(field)
        {
            return pointer.text_holds(text);
        }
        pointer.holds(whole.get_or_insert_with(|| payload.to_value().ok()).as_ref())
    }))
}

/// A conjunction that ends at the first false.
fn all(parts: impl Iterator<Item = Truth>) -> Truth {
    let mut least = Truth::True;
    for part in parts {
        least = least.min(part);
        if least == Truth::False {
            break;
        }
    }
    least
}

impl Pointer {
    fn compile(spec: &InputSpec) -> Result<Self, MatchError> {
        let tests = spec.tests.iter().map(|input| {
            let compiled = match &input.test {
                Test::Exists(there) => Compiled::Exists(*there),
                Test::Equals(value) => Compiled::Equals(value.clone()),
                Test::OneOf(values) => Compiled::OneOf(values.clone()),
                Test::Glob(pattern) => Compiled::Pattern(regex(&glob(pattern)?, pattern)?),
                Test::Regex(pattern) => Compiled::Pattern(regex(pattern, pattern)?),
            };
            Ok((compiled, input.negated))
        });
        Ok(Self { tokens: tokens(&spec.pointer)?, tests: tests.collect::<Result<_, _>>()? })
    }

    fn holds(&self, root: Option<&Value>) -> Truth {
        let value = root
            .and_then(|root| self.tokens.iter().try_fold(root, |value, token| step(value, token)));
        all(self.tests.iter().map(|(test, negated)| {
            let truth = match (test, value) {
                (Compiled::Exists(there), value) => (value.is_some() == *there).into(),
                // What is not there has no value: every other test of it is false.
                (_, None) => Truth::False,
                (Compiled::Equals(wanted), Some(value)) => (value == wanted).into(),
                (Compiled::OneOf(wanted), Some(value)) => wanted.contains(value).into(),
                (Compiled::Pattern(pattern), Some(Value::String(text))) => {
                    pattern.is_match(text).into()
                }
                (Compiled::Pattern(_), Some(_)) => Truth::Unknown,
            };
            if *negated { truth.not() } else { truth }
        }))
    }

    /// As [`Self::holds`], of a text that is not kept as a value.
    fn text_holds(&self, text: &str) -> Truth {
        all(self.tests.iter().map(|(test, negated)| {
            let truth: Truth = match test {
                Compiled::Exists(there) => (*there).into(),
                Compiled::Equals(wanted) => (wanted.as_str() == Some(text)).into(),
                Compiled::OneOf(wanted) => wanted.iter().any(|w| w.as_str() == Some(text)).into(),
                Compiled::Pattern(pattern) => pattern.is_match(text).into(),
            };
            if *negated { truth.not() } else { truth }
        }))
    }
}

fn step<'v>(value: &'v Value, token: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(token),
        Value::Array(items) => {
            let canonical = token == "0" || (!token.starts_with('0') && !token.starts_with('+'));
            items.get(token.parse::<usize>().ok().filter(|_| canonical)?)
        }
        _ => None,
    }
}

fn tokens(pointer: &str) -> Result<Vec<String>, MatchError> {
    let wrong = || MatchError::Pointer(pointer.to_owned());
    if pointer.is_empty() {
        return Ok(Vec::new());
    }
    let rest = pointer.strip_prefix('/').ok_or_else(wrong)?;
    rest.split('/')
        .map(|token| {
            let escapes = token.matches('~').count();
            if escapes != token.matches("~0").count() + token.matches("~1").count() {
                return Err(wrong());
            }
            Ok(token.replace("~1", "/").replace("~0", "~"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use hookgate_contract::payload::{ToolCall, UserPromptSubmit};
    use serde_json::json;

    use super::super::InputTest;
    use super::*;

    fn truth(pointer: &str, test: Test, negated: bool, payload: &dyn AnyPayload) -> Truth {
        let spec = MatchSpec {
            input: vec![InputSpec {
                pointer: pointer.into(),
                tests: vec![InputTest { test, negated }],
            }],
            ..MatchSpec::default()
        };
        let mut errors = Vec::new();
        let conditions = Conditions::compile(&spec, &mut errors);
        assert_eq!(errors, []);
        conditions.hold(payload, &StepContext::new("s"))
    }

    #[test]
    fn missing_is_false_and_a_wrong_type_cannot_be_told() {
        let call = ToolCall::new(
            "Bash",
            json!({"command": "git push\n--force", "n": 1, "a/b": {"~": [1, 2]}}),
        );
        let regex = |text: &str| Test::Regex(text.into());
        assert_eq!(truth("/command", regex("push.*--force"), false, &call), Truth::True);
        assert_eq!(truth("/command", Test::Glob("git".into()), false, &call), Truth::False);
        assert_eq!(truth("/command", Test::Glob("git *".into()), false, &call), Truth::True);
        assert_eq!(truth("/n", regex("1"), false, &call), Truth::Unknown);
        assert_eq!(truth("/n", regex("1"), true, &call), Truth::Unknown);
        assert_eq!(truth("/gone", regex("1"), false, &call), Truth::False);
        assert_eq!(truth("/gone", regex("1"), true, &call), Truth::True);
        assert_eq!(truth("/gone", Test::Exists(false), false, &call), Truth::True);
        assert_eq!(truth("/n", Test::OneOf(vec![json!(1), json!("x")]), false, &call), Truth::True);
        assert_eq!(truth("/a~1b/~0/1", Test::Equals(json!(2)), false, &call), Truth::True);
        assert_eq!(truth("/a~1b/~0/01", Test::Exists(true), false, &call), Truth::False);
    }

    #[test]
    fn without_a_tool_the_pointer_starts_at_the_payload() {
        let prompt = UserPromptSubmit::new("please rm -rf /");
        assert_eq!(truth("/prompt", Test::Regex("rm -rf".into()), false, &prompt), Truth::True);
        assert_eq!(truth("/prompt", Test::Equals(json!("x")), true, &prompt), Truth::True);
        assert_eq!(truth("/source", Test::Equals(json!("user")), false, &prompt), Truth::True);
    }

    #[test]
    fn false_beats_cannot_tell() {
        let call = ToolCall::new("Bash", json!({"n": 1}));
        let spec = MatchSpec {
            safety: vec![Safety::Destructive],
            agent: vec!["reviewer".into()],
            cwd_glob: vec!["/srv/*".into()],
            ..MatchSpec::default()
        };
        let conditions = Conditions::compile(&spec, &mut Vec::new());
        let of = |context: StepContext<'_>| conditions.hold(&call, &context);
        assert_eq!(of(StepContext::new("s").agent("7", "reviewer")), Truth::Unknown);
        assert_eq!(of(StepContext::new("s").agent("7", "reviewer").cwd("/home")), Truth::False);
        assert_eq!(of(StepContext::new("s").cwd("/srv/a/b")), Truth::False);
    }

    #[test]
    fn pointers_are_checked() {
        for bad in ["command", "/a~2", "/a~"] {
            assert_eq!(tokens(bad), Err(MatchError::Pointer(bad.into())));
        }
    }
}
