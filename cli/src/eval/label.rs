//! What should become of a step, and what became of it.

use std::fmt;
use std::str::FromStr;

use hookgate::Outcome;
use serde::{Deserialize, Serialize};

/// One of the three things that can become of a step, from the mildest to the strictest.
///
/// ```
/// use hookgate::Outcome;
/// use hookgate_cli::eval::Label;
///
/// assert_eq!("ask".parse(), Ok(Label::Ask));
/// // A halt stops the step as well, and an answer replaces it without an objection.
/// assert_eq!(Label::from(Outcome::Halt), Label::Deny);
/// assert_eq!(Label::from(Outcome::Answered), Label::Allow);
/// assert!(Label::Ask.stops() && !Label::Allow.stops());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// The step runs.
    Allow,
    /// A person decides.
    Ask,
    /// The step does not run.
    Deny,
}

impl Label {
    /// All labels, in the order of tables: the strictest first.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// Returns the name: `allow`, `ask` or `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Whether the step is kept from simply running, which is what counts as positive.
    #[must_use]
    pub const fn stops(self) -> bool {
        !matches!(self, Self::Allow)
    }
}

impl From<Outcome> for Label {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Allow | Outcome::Answered => Self::Allow,
            Outcome::Ask => Self::Ask,
            Outcome::Cancelled | Outcome::Deny | Outcome::Halt => Self::Deny,
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text is not the name of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be allow, ask or deny")]
#[non_exhaustive]
pub struct UnknownLabel;

impl FromStr for Label {
    type Err = UnknownLabel;

    fn from_str(name: &str) -> Result<Self, UnknownLabel> {
        Self::ALL.into_iter().find(|label| label.name() == name).ok_or(UnknownLabel)
    }
}
