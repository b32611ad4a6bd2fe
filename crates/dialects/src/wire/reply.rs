//! What scripts answer that were written for an agent: the parts that are read alike for several.

use hookgate_contract::json::{self, Integers, type_name};
use hookgate_contract::{Failure, FailureClass, Reply, Verdict, VerdictDecision};
use serde_json::{Map, Value};

/// How many characters of stderr are quoted.
const QUOTED: usize = 300;

/// Reads stdout as one JSON object; `None` if it is something else.
pub(crate) fn object(stdout: &[u8]) -> Option<Map<String, Value>> {
    match json::parse_with(stdout.trim_ascii(), Integers::Exact) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Returns the failure of a script that ended with a status which its agent takes for a crash. A deny that
/// it printed before still counts.
pub(crate) fn crashed(exit: i32, stdout: &[u8], stderr: &str) -> Failure {
    let said = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    let said: String = said.chars().take(QUOTED).collect();
    let detail = format!("the script ended with status {exit} and wrote to stderr: {said}");
    Failure::new(FailureClass::Exit, detail).with_salvaged(salvaged(stdout))
}

/// Returns the failure of an answer that its agent would not take.
pub(crate) fn malformed(detail: impl Into<String>, stdout: &[u8]) -> Failure {
    Failure::new(FailureClass::Malformed, detail.into()).with_salvaged(salvaged(stdout))
}

/// Finds the strictest decision that is written in an answer, after a line of log, too. A `continue` that
/// is false counts as halt.
pub(crate) fn salvaged(stdout: &[u8]) -> Option<VerdictDecision> {
    let begin = stdout.iter().position(|&byte| byte == b'{')?;
    let rest = stdout.get(begin..)?;
    let halts = object(rest).is_some_and(|object| object.get("continue") == Some(&false.into()));
    let asked = halts.then_some(VerdictDecision::Halt);
    Verdict::salvage(rest).max(asked)
}

/// Returns a reply, unless the script wrote a stricter decision than was `understood`: the agent would
/// overlook it, and the action would happen.
pub(crate) fn unless_overlooked(
    reply: Verdict,
    understood: Option<VerdictDecision>,
    stdout: &[u8],
) -> Reply {
    match salvaged(stdout) {
        Some(meant) if Some(meant) > understood => Err(malformed(
            format!("the script wrote `{meant}` in a form that its agent does not obey here"),
            stdout,
        )),
        _ => Ok(reply),
    }
}

/// Puts the decision and the reason of `by` into a verdict.
pub(crate) fn decided(mut verdict: Verdict, by: Verdict) -> Verdict {
    let Some(parts) = verdict.parts_mut() else { return by };
    if let Some(by) = by.into_parts() {
        parts.decision = by.decision;
        parts.reason = by.reason;
        if parts.decision >= Some(VerdictDecision::Deny) {
            parts.patch.clear();
        }
    }
    verdict
}

/// Returns a text, or another one if it is blank.
pub(crate) fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.trim().is_empty() { otherwise } else { text }
}

/// An answer that is taken apart key by key, with the types that the agent demands.
#[derive(Debug)]
pub(crate) struct Keys {
    object: Map<String, Value>,
    problem: Option<String>,
}

impl Keys {
    /// Takes the keys of an object.
    pub(crate) const fn of(object: Map<String, Value>) -> Self {
        Self { object, problem: None }
    }

    /// Takes a string.
    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        match self.object.remove(key)? {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => self.wrong(key, "a string", &other),
        }
    }

    /// Takes a flag.
    pub(crate) fn flag(&mut self, key: &str) -> Option<bool> {
        match self.object.remove(key)? {
            Value::Bool(flag) => Some(flag),
            other => self.wrong(key, "true or false", &other),
        }
    }

    /// Takes a value of any type but null.
    pub(crate) fn value(&mut self, key: &str) -> Option<Value> {
        self.object.remove(key).filter(|value| !value.is_null())
    }

    /// Takes an object.
    pub(crate) fn keys(&mut self, key: &str) -> Option<Self> {
        match self.object.remove(key)? {
            Value::Null => None,
            Value::Object(object) => Some(Self::of(object)),
            other => self.wrong(key, "an object", &other),
        }
    }

    /// Takes a string that is one of these.
    pub(crate) fn word(&mut self, key: &str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text(key)?;
        let known = words.iter().find(|word| **word == text).copied();
        if known.is_none() {
            self.refuse(format!("`{key}` is not one of {}", words.join(", ")));
        }
        known
    }

    /// Notes what is wrong; the first such thing is kept.
    pub(crate) fn refuse(&mut self, problem: impl Into<String>) {
        self.problem.get_or_insert_with(|| problem.into());
    }

    /// Returns what is wrong.
    pub(crate) fn problem(&mut self) -> Option<String> {
        self.problem.take()
    }

    /// Returns the keys that were not taken.
    pub(crate) fn rest(self) -> Map<String, Value> {
        self.object
    }

    fn wrong<T>(&mut self, key: &str, expected: &str, found: &Value) -> Option<T> {
        self.refuse(format!("`{key}` must be {expected}, not {}", type_name(found)));
        None
    }
}
