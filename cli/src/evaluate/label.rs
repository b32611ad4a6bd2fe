//! What a step should come to, and what it came to.

use hookgate::Outcome;
use serde::{Deserialize, Serialize};

/// One of the three things that can become of a step, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Label {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

impl Label {
    /// All labels, in the order of tables.
    pub(crate) const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Whether the step is kept from simply running.
    pub(crate) const fn stops(self) -> bool {
        !matches!(self, Self::Allow)
    }
}

impl From<Outcome> for Label {
    /// A halt stops the step as well; an answer takes its place without anybody objecting.
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Allow | Outcome::Answered => Self::Allow,
            Outcome::Ask => Self::Ask,
            Outcome::Deny | Outcome::Halt => Self::Deny,
        }
    }
}
