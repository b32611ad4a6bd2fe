//! What a handler answers: a decision, a patch, context.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::contribution::Contribution;
use crate::failure::{Failure, FailureClass};
use crate::verdict::read::{Reader, anywhere, salvage};

mod read;

/// A decision of one hook. They are ordered by strictness: `halt > deny > ask > allow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum VerdictDecision {
    /// The step may go on, as far as this hook is concerned.
    Allow,
    /// The user decides.
    Ask,
    /// The step does not happen.
    Deny,
    /// The whole run stops.
    Halt,
}

impl VerdictDecision {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Halt => "halt",
        }
    }

    /// The decision of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny, Self::Halt]
            .into_iter()
            .find(|word| word.name() == name)
    }
}

impl fmt::Display for VerdictDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a step was refused, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReasonCode {
    /// It breaks a rule.
    PolicyViolation,
    /// It is dangerous.
    SafetyViolation,
    /// It has the wrong form.
    SchemaViolation,
    /// A hook did not answer in time. Given by the engine.
    Timeout,
    /// A hook failed. Given by the engine.
    RuntimeError,
    /// A budget is used up. Given by the engine.
    Budget,
    /// What must be guarded is not. Given by the engine.
    Unguarded,
}

impl ReasonCode {
    /// The code of a name that a hook may use.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "policy_violation" => Some(Self::PolicyViolation),
            "safety_violation" => Some(Self::SafetyViolation),
            "schema_violation" => Some(Self::SchemaViolation),
            _ => None,
        }
    }

    /// The code for a hook that failed.
    #[must_use]
    pub const fn of_failure(class: FailureClass) -> Self {
        match class {
            FailureClass::Timeout => Self::Timeout,
            FailureClass::Budget => Self::Budget,
            _ => Self::RuntimeError,
        }
    }
}

/// The result that a rewriter supplies in place of running the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The tool's result, or the text of the model.
    pub content: Value,
    /// Whether it is an error of the tool.
    #[serde(default)]
    pub is_error: bool,
}

/// The parts of a verdict that says something.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
#[non_exhaustive]
pub struct Parts {
    /// The decision, if the hook has an opinion.
    pub decision: Option<VerdictDecision>,
    /// Why.
    pub reason: Option<String>,
    /// Why, for programs.
    pub reason_code: Option<ReasonCode>,
    /// The payload fields to set.
    pub patch: Map<String, Value>,
    /// Text for the model.
    pub context: Vec<String>,
    /// Text for the user.
    pub message: Option<String>,
    /// The result, supplied.
    pub answer: Option<Answer>,
    /// Typed data for the runtime.
    pub contributions: Vec<Contribution>,
    /// Labels for logs and prompts.
    pub annotations: Map<String, Value>,
    /// Data that goes with the decision.
    pub payload: Option<Value>,
    /// How the handler came to answer, for the record of its vote. Not a part of the format.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub note: Option<String>,
}

impl Parts {
    /// Whether nothing is said, whatever the note tells.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        Self { note: self.note.clone(), ..Self::default() } == *self
    }
}

/// A handler's answer. One that says nothing costs nothing.
///
/// ```
/// use hookgate_contract::{Verdict, VerdictDecision};
///
/// let silent = Verdict::none();
/// let no = Verdict::deny("force push is not allowed here").context("main is protected");
/// assert!(silent.parts().is_none());
/// assert_eq!(no.parts().unwrap().decision, Some(VerdictDecision::Deny));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict(Option<Box<Parts>>);

impl Verdict {
    /// No opinion.
    #[must_use]
    #[inline]
    pub const fn none() -> Self {
        Self(None)
    }

    /// The step may go on.
    #[must_use]
    pub fn allow() -> Self {
        Self::none().with(|parts| parts.decision = Some(VerdictDecision::Allow))
    }

    /// The step does not happen.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide(VerdictDecision::Deny, reason)
    }

    /// The user decides.
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide(VerdictDecision::Ask, reason)
    }

    /// The whole run stops.
    #[must_use]
    pub fn halt(reason: impl Into<String>) -> Self {
        Self::decide(VerdictDecision::Halt, reason)
    }

    fn decide(word: VerdictDecision, reason: impl Into<String>) -> Self {
        Self::none().with(|parts| {
            parts.decision = Some(word);
            parts.reason = Some(reason.into());
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Parts)) -> Self {
        change(self.0.get_or_insert_default());
        self
    }

    /// Names the reason for programs.
    #[must_use]
    pub fn reason_code(self, code: ReasonCode) -> Self {
        self.with(|parts| parts.reason_code = Some(code))
    }

    /// Sets a field of the payload.
    #[must_use]
    pub fn patch(self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|parts| {
            parts.patch.insert(field.into(), value.into());
        })
    }

    /// Adds text for the model.
    #[must_use]
    pub fn context(self, text: impl Into<String>) -> Self {
        self.with(|parts| parts.context.push(text.into()))
    }

    /// Tells the user something.
    #[must_use]
    pub fn message(self, text: impl Into<String>) -> Self {
        self.with(|parts| parts.message = Some(text.into()))
    }

    /// Supplies the result.
    #[must_use]
    pub fn answer(self, content: impl Into<Value>, is_error: bool) -> Self {
        self.with(|parts| parts.answer = Some(Answer { content: content.into(), is_error }))
    }

    /// Hands data to the runtime.
    #[must_use]
    pub fn contribute(self, contribution: Contribution) -> Self {
        self.with(|parts| parts.contributions.push(contribution))
    }

    /// Adds a label.
    #[must_use]
    pub fn annotate(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with(|parts| {
            parts.annotations.insert(key.into(), value.into());
        })
    }

    /// Adds data that goes with the decision.
    #[must_use]
    pub fn payload(self, data: impl Into<Value>) -> Self {
        self.with(|parts| parts.payload = Some(data.into()))
    }

    /// Tells the record of the vote how the handler came to answer.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Self {
        self.with(|parts| parts.note = Some(text.into()))
    }

    /// What is said; nothing for no opinion.
    #[must_use]
    #[inline]
    pub fn parts(&self) -> Option<&Parts> {
        self.0.as_deref()
    }

    /// What is said, to be changed.
    #[must_use]
    #[inline]
    pub fn parts_mut(&mut self) -> Option<&mut Parts> {
        self.0.as_deref_mut()
    }

    /// The verdict with other texts in what people and models read: reason, message, context,
    /// annotations and note. So secrets are taken out of them. What it sets (patch, answer,
    /// contributions, payload) is data, and stays.
    #[must_use]
    pub fn map_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        if let Some(parts) = self.parts_mut() {
            let texts = [&mut parts.reason, &mut parts.message, &mut parts.note];
            for text in texts.into_iter().flatten().chain(&mut parts.context) {
                *text = change(text);
            }
            for value in parts.annotations.values_mut() {
                map_value(value, &change);
            }
        }
        self
    }

    /// What is said, by value.
    #[must_use]
    #[inline]
    pub fn into_parts(self) -> Option<Box<Parts>> {
        self.0
    }

    /// Reads a verdict from the bytes that a handler answered.
    ///
    /// The parser is strict and total: empty bytes and `{}` are no opinion, one well-formed object
    /// is a verdict, and everything else is a failure of class `malformed`. The strictest ask, deny
    /// or halt that could be made out in refused bytes stands in the failure, so that damage to a
    /// verdict never makes it weaker.
    ///
    /// # Errors
    /// A [`Failure`] of class [`FailureClass::Malformed`] whose detail says what is wrong and
    /// where.
    ///
    /// ```
    /// use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
    ///
    /// let refused = Verdict::parse(br#"{"decision":"deny","resaon":"typo"}"#).unwrap_err();
    /// assert_eq!(refused.class, FailureClass::Malformed);
    /// assert_eq!(refused.salvaged, Some(VerdictDecision::Deny));
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self, Failure> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self::none());
        }
        match Reader::read(bytes) {
            Ok(parts) if parts == Parts::default() => Ok(Self::none()),
            Ok(parts) => Ok(Self(Some(Box::new(parts)))),
            Err(detail) => {
                Err(Failure::new(FailureClass::Malformed, detail).with_salvaged(salvage(bytes)))
            }
        }
    }

    /// Looks for the strictest ask, deny or halt in whatever a handler wrote before it failed, in
    /// proportion to its length. `{"Decision":"DENY"}` is seen, too.
    ///
    /// ```
    /// use hookgate_contract::{Verdict, VerdictDecision};
    ///
    /// assert_eq!(Verdict::salvage(br#"{"decision":"deny","rea"#), Some(VerdictDecision::Deny));
    /// assert_eq!(Verdict::salvage(br#"{"decision":"allow"}"#), None);
    /// ```
    #[must_use]
    pub fn salvage(bytes: &[u8]) -> Option<VerdictDecision> {
        salvage(bytes)
    }

    /// As [`Verdict::salvage`], at whatever depth: for bytes in which a verdict stands inside
    /// something else.
    #[must_use]
    pub fn salvage_anywhere(bytes: &[u8]) -> Option<VerdictDecision> {
        anywhere(bytes)
    }
}

fn map_value(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_value(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| map_value(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
