//! What can go wrong with a hook, and what a failed hook counts as.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::verdict::VerdictDecision;

/// What a failed hook counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Posture {
    /// As a deny.
    Deny,
    /// As an ask.
    Ask,
    /// As if the hook had said nothing.
    Allow,
}

impl Posture {
    /// All postures, the strictest first.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }

    /// The posture of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|posture| posture.name() == name)
    }

    /// The decision that the posture stands for; none for [`Posture::Allow`].
    #[must_use]
    pub const fn word(self) -> Option<VerdictDecision> {
        match self {
            Self::Deny => Some(VerdictDecision::Deny),
            Self::Ask => Some(VerdictDecision::Ask),
            Self::Allow => None,
        }
    }
}

/// The ways in which a hook can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureClass {
    /// It did not answer within its deadline, or within that of the dispatch.
    Timeout,
    /// It could not be started.
    Spawn,
    /// Its process ended with a status that is neither 0 nor 2.
    Exit,
    /// Its process was killed by a signal.
    Signal,
    /// It answered something that is no verdict.
    Malformed,
    /// Its verdict says what it must not say at this event or in this role.
    Illegal,
    /// The envelope or the answer is larger than allowed.
    Oversize,
    /// The service could not be reached.
    Unreachable,
    /// The service answered with an error status.
    HttpStatus,
    /// The service refused the credentials.
    Auth,
    /// Too many calls are waiting.
    Overloaded,
    /// It panicked.
    Panic,
    /// The dispatch was cancelled.
    Cancelled,
    /// Its budget is used up.
    Budget,
    /// A judge could not tell.
    Unsure,
    /// It is not trusted.
    Untrusted,
}

impl FailureClass {
    /// All classes, at their index.
    pub const ALL: [Self; 16] = [
        Self::Timeout,
        Self::Spawn,
        Self::Exit,
        Self::Signal,
        Self::Malformed,
        Self::Illegal,
        Self::Oversize,
        Self::Unreachable,
        Self::HttpStatus,
        Self::Auth,
        Self::Overloaded,
        Self::Panic,
        Self::Cancelled,
        Self::Budget,
        Self::Unsure,
        Self::Untrusted,
    ];

    /// How many classes there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The place in arrays that are indexed by class.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name in files and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Spawn => "spawn",
            Self::Exit => "exit",
            Self::Signal => "signal",
            Self::Malformed => "malformed",
            Self::Illegal => "illegal",
            Self::Oversize => "oversize",
            Self::Unreachable => "unreachable",
            Self::HttpStatus => "http_status",
            Self::Auth => "auth",
            Self::Overloaded => "overloaded",
            Self::Panic => "panic",
            Self::Cancelled => "cancelled",
            Self::Budget => "budget",
            Self::Unsure => "unsure",
            Self::Untrusted => "untrusted",
        }
    }

    /// The class of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A hook failed: in which way, and what is known about it.
///
/// The detail is for the writer of the hook: it says what was found and what to do, and never
/// repeats secrets or the judged data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
pub struct Failure {
    /// The way in which it failed.
    pub class: FailureClass,
    /// What was found, for the writer of the hook.
    pub detail: Cow<'static, str>,
    /// The ask, deny or halt that stood in a verdict which was refused. The outcome is the
    /// stricter of this and the hook's posture.
    pub salvaged: Option<VerdictDecision>,
}

impl Failure {
    /// A failure in which no decision stood.
    #[must_use]
    pub fn new(class: FailureClass, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { class, detail: detail.into(), salvaged: None }
    }

    /// The failure with another detail: so secrets are taken out of it.
    #[must_use]
    pub fn map_detail(mut self, change: impl FnOnce(&str) -> String) -> Self {
        self.detail = change(&self.detail).into();
        self
    }

    /// Keeps the decision that stood in the refused verdict.
    #[must_use]
    pub fn with_salvaged(mut self, word: Option<VerdictDecision>) -> Self {
        self.salvaged = word;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_at_their_index() {
        for (index, class) in FailureClass::ALL.into_iter().enumerate() {
            assert_eq!(class.index(), index);
            assert_eq!(FailureClass::from_name(class.name()), Some(class));
            assert_eq!(serde_json::to_value(class).unwrap(), class.name());
        }
    }
}
