//! What one rule comes to, once the answer about it was read.

use hookgate_contract::{Failure, FailureClass, Verdict, VerdictDecision};
use serde_json::{Map, Value};

/// What a judge found, before its settings decide what becomes of it. An allow, for example, turns
/// into a spoken approval only with `speak_allow = true`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finding {
    /// The rule has nothing against the step. Holds the reason, which may be empty.
    Allow(String),
    /// The rule forbids the step. Holds the reason.
    Deny(String),
    /// A person has to decide. Holds the reason.
    Ask(String),
    /// A note for the agent; an empty one says nothing.
    Context(String),
    /// The fields of the payload to replace; an empty map changes nothing.
    Patch(Map<String, Value>),
    /// The verdict of an embedder's own answer format.
    Custom(Verdict),
}

impl Finding {
    /// Returns the decision, or `None` for a note, a patch and a custom verdict without one.
    pub(crate) fn decision(&self) -> Option<VerdictDecision> {
        match self {
            Self::Allow(_) => Some(VerdictDecision::Allow),
            Self::Ask(_) => Some(VerdictDecision::Ask),
            Self::Deny(_) => Some(VerdictDecision::Deny),
            Self::Context(_) | Self::Patch(_) => None,
            Self::Custom(verdict) => verdict.parts()?.decision,
        }
    }

    /// Tells whether two findings agree. Decisions agree whatever their reasons are; everything else
    /// has to be equal.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Allow(_), Self::Allow(_))
            | (Self::Deny(_), Self::Deny(_))
            | (Self::Ask(_), Self::Ask(_)) => true,
            _ => self == other,
        }
    }
}

/// Makes the failure for an answer that does not have the requested form. The detail is shown to the
/// writer of the hook, so it must not quote the answer: that may quote the rule or the step.
pub(crate) fn malformed(detail: impl Into<String>) -> Failure {
    Failure::new(FailureClass::Malformed, format!("the judge's answer: {}", detail.into()))
}
