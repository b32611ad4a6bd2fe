//! What a handler answers: a decision, a patch, context.

use std::borrow::Cow;

use crate::input::salvage::{self, Salvage};
use crate::json;
use serde_json::Value;

use crate::contribution::Contribution;
use crate::decision::VerdictDecision;
use crate::failure::{Failure, FailureClass};

mod parts;
mod patch;
mod read;

pub use parts::{Answer, Parts, ReasonCode};
pub use patch::Patch;
use read::read_parts;

/// The answer of a handler. A verdict without an opinion ([`Verdict::none`]) allocates nothing.
///
/// A constructor gives the decision, and setters add to it. What exceeds the role of the hook or the
/// contract of the event makes the verdict illegal, which is a failure of the hook.
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
    /// Makes a verdict without an opinion: the step goes on as far as this hook is concerned.
    #[must_use]
    #[inline]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Allows the step. Unlike [`Verdict::none`] it is recorded, and is an approval where the contract
    /// says so.
    #[must_use]
    pub fn allow() -> Self {
        Self::none().with(|parts| parts.decision = Some(VerdictDecision::Allow))
    }

    /// Denies the step. The reason goes to the model or the user, as the event has it.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide(VerdictDecision::Deny, reason)
    }

    /// Asks the user. The reason is shown to the user.
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide(VerdictDecision::Ask, reason)
    }

    /// Stops the whole run.
    #[must_use]
    pub fn halt(reason: impl Into<String>) -> Self {
        Self::decide(VerdictDecision::Halt, reason)
    }

    fn decide(decision: VerdictDecision, reason: impl Into<String>) -> Self {
        Self::none().with(|parts| {
            parts.decision = Some(decision);
            parts.reason = Some(reason.into());
        })
    }

    fn with(mut self, change: impl FnOnce(&mut Parts)) -> Self {
        change(self.0.get_or_insert_default());
        self
    }

    /// Gives the reason a code, for programs.
    #[must_use]
    pub fn reason_code(self, code: ReasonCode) -> Self {
        self.with(|parts| parts.reason_code = Some(code))
    }

    /// Sets a field of the payload. For a rewriter; [`patch_field`](crate::patch_field) has the names.
    #[must_use]
    pub fn patch(self, field: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.with(|parts| {
            parts.patch.insert(field, value.into());
        })
    }

    /// Adds text for the model.
    #[must_use]
    pub fn context(self, text: impl Into<String>) -> Self {
        self.with(|parts| parts.context.push(text.into()))
    }

    /// Sets the text for the user.
    #[must_use]
    pub fn message(self, text: impl Into<String>) -> Self {
        self.with(|parts| parts.message = Some(text.into()))
    }

    /// Supplies the result, so that the step does not run. For a rewriter.
    #[must_use]
    pub fn answer(self, content: impl Into<Value>, is_error: bool) -> Self {
        let answer = Answer { content: content.into(), is_error };
        self.with(|parts| parts.answer = Some(answer))
    }

    /// Hands data to the runtime.
    #[must_use]
    pub fn contribute(self, contribution: impl Into<Contribution>) -> Self {
        self.with(|parts| parts.contributions.push(contribution.into()))
    }

    /// Adds a label, for logs and for templates of other hooks.
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

    /// Sets the note of the record: how the handler came to answer.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Self {
        self.with(|parts| parts.note = Some(text.into()))
    }

    /// Returns the parts, or `None` if there is no opinion.
    #[must_use]
    #[inline]
    pub fn parts(&self) -> Option<&Parts> {
        self.0.as_deref()
    }

    /// Returns the parts, to be changed.
    #[must_use]
    #[inline]
    pub fn parts_mut(&mut self) -> Option<&mut Parts> {
        self.0.as_deref_mut()
    }

    /// Replaces the texts that people and models read (reason, message, context, annotations, note),
    /// for instance to take secrets out of them. What the verdict sets (patch, answer, contributions,
    /// payload) is data, and stays.
    #[must_use]
    pub fn map_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        if let Some(parts) = self.parts_mut() {
            let texts = [&mut parts.reason, &mut parts.message, &mut parts.note];
            for text in texts.into_iter().flatten().chain(&mut parts.context) {
                *text = change(text);
            }
            for value in parts.annotations.values_mut() {
                json::map_strings(value, &change);
            }
        }
        self
    }

    /// Takes the parts out.
    #[must_use]
    #[inline]
    pub fn into_parts(self) -> Option<Box<Parts>> {
        self.0
    }

    /// Reads a verdict from the bytes that a handler answered.
    ///
    /// The parser is strict and total: empty bytes and `{}` are no opinion, one well-formed object
    /// is a verdict, and everything else is a failure of class `malformed`. The strictest ask, deny
    /// or halt that can be made out in refused bytes is kept in the failure, so that damage to a
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
        match read_parts(bytes) {
            Ok(parts) if parts == Parts::default() => Ok(Self::none()),
            Ok(parts) => Ok(Self(Some(Box::new(parts)))),
            Err(detail) => {
                Err(Failure::new(FailureClass::Malformed, detail)
                    .with_salvaged(Self::salvage(bytes)))
            }
        }
    }

    /// Searches what a handler wrote before it failed for the strictest ask, deny or halt, in time in
    /// proportion to the length. `{"Decision":"DENY"}` is found, too.
    #[must_use]
    pub fn salvage(bytes: &[u8]) -> Option<VerdictDecision> {
        salvage::top_level(bytes).filter(|decision| *decision > VerdictDecision::Allow)
    }

    /// As [`Verdict::salvage`], at any depth: for bytes in which a verdict is inside something else.
    #[must_use]
    pub fn salvage_anywhere(bytes: &[u8]) -> Option<VerdictDecision> {
        salvage::anywhere(bytes).filter(|decision| *decision > VerdictDecision::Allow)
    }
}

/// The names that other agents use for a deny are known, too.
impl Salvage for VerdictDecision {
    fn from_written(name: &str) -> Option<Self> {
        match name {
            "block" | "blocked" | "denied" | "forbid" | "reject" | "rejected" => Some(Self::Deny),
            ours => Self::from_name(ours),
        }
    }
}

#[cfg(test)]
mod tests;
