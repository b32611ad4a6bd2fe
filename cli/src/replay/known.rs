//! What came out of a step, as far as it is known.

use std::fmt;

use hookgate::Outcome;
use serde_json::{Map, Value};

/// What came out of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    /// It is known.
    Sure(Outcome),
    /// A hook was not called: it would be this, or something stricter.
    AtLeast(Outcome),
}

/// What has changed between two outcomes of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Change {
    /// It is let further than before.
    Weaker,
    /// It is stopped earlier than before.
    Stricter,
    /// It goes on with other values than before, or with another answer.
    Rewritten,
    /// Nobody knows, since a hook was not called.
    Unknown,
    /// Nothing.
    Same,
}

impl Known {
    /// Returns the outcome, or the least that it is.
    pub(crate) const fn least(self) -> Outcome {
        match self {
            Self::Sure(outcome) | Self::AtLeast(outcome) => outcome,
        }
    }

    /// Whether the step does not simply go on, or may not.
    pub(crate) fn stops(self) -> bool {
        self.least() >= Outcome::Ask
    }

    /// Returns what has changed since another outcome.
    pub(crate) fn since(self, before: Self) -> Change {
        let (least, was) = (self.least(), before.least());
        match (before, self) {
            (Self::Sure(_), Self::Sure(_)) if least < was => Change::Weaker,
            (Self::Sure(_), Self::Sure(_)) if least == was => Change::Same,
            // Stricter than all that was, whatever the hook says that was not called.
            (Self::Sure(_), _) if least > was => Change::Stricter,
            _ => Change::Unknown,
        }
    }

    /// Puts it into a JSON object.
    pub(crate) fn put_into(self, object: &mut Map<String, Value>) {
        match self {
            Self::Sure(outcome) => object.insert("decision".to_owned(), outcome.name().into()),
            Self::AtLeast(outcome) => {
                object.insert("at_least".to_owned(), outcome.name().into());
                object.insert("decision".to_owned(), "unknown".into())
            }
        };
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sure(outcome) => f.write_str(outcome.name()),
            Self::AtLeast(outcome) => write!(f, "unknown(≥ {})", outcome.name()),
        }
    }
}

impl Change {
    /// All of them, as they are counted.
    pub(crate) const ALL: [Self; 5] =
        [Self::Same, Self::Stricter, Self::Weaker, Self::Rewritten, Self::Unknown];

    /// Returns the name in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Weaker => "weaker",
            Self::Stricter => "stricter",
            Self::Rewritten => "rewritten",
            Self::Unknown => "unknown",
            Self::Same => "same",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_no_change_that_is_known() {
        use Known::{AtLeast, Sure};
        let cases = [
            (Sure(Outcome::Deny), Sure(Outcome::Deny), Change::Same),
            (Sure(Outcome::Deny), Sure(Outcome::Allow), Change::Weaker),
            (Sure(Outcome::Allow), Sure(Outcome::Ask), Change::Stricter),
            (Sure(Outcome::Allow), AtLeast(Outcome::Ask), Change::Stricter),
            (Sure(Outcome::Ask), AtLeast(Outcome::Ask), Change::Unknown),
            (Sure(Outcome::Deny), AtLeast(Outcome::Allow), Change::Unknown),
            (AtLeast(Outcome::Allow), Sure(Outcome::Deny), Change::Unknown),
            (AtLeast(Outcome::Deny), AtLeast(Outcome::Deny), Change::Unknown),
        ];
        for (before, now, change) in cases {
            assert_eq!(now.since(before), change, "{before} to {now}");
        }
    }
}
