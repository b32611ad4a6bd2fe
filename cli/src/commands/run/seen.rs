//! What is worth noticing in a decision record.

use std::collections::BTreeSet;

use hookgate::decision::VoteOutcome;
use hookgate::{FailureClass, Outcome, Report};

/// One thing that a record can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Seen {
    /// The decision is allow.
    Allow,
    /// A hook supplied the result.
    Answered,
    /// The user would be asked.
    Ask,
    /// The step does not happen.
    Deny,
    /// The run stops.
    Halt,
    /// A hook changed the step.
    Rewrote,
    /// A hook added context for the model.
    Context,
    /// A hook failed, in whatever way.
    Failed,
    /// A hook could not tell its conditions.
    Unclear,
    /// A hook in shadow, or one that only warns, had something to say.
    Would,
    /// The line is not a step.
    Unreadable,
}

impl Seen {
    /// Returns all that a record shows.
    pub(crate) fn of(report: &Report) -> BTreeSet<Self> {
        let decision = match report.decision {
            Outcome::Allow => Self::Allow,
            Outcome::Answered => Self::Answered,
            Outcome::Ask => Self::Ask,
            Outcome::Cancelled | Outcome::Deny => Self::Deny,
            Outcome::Halt => Self::Halt,
        };
        let any = |test: fn(&hookgate::decision::Vote) -> bool| report.votes.iter().any(test);
        let facts = [
            (!report.patched.is_empty(), Self::Rewrote),
            (!report.context.is_empty(), Self::Context),
            (any(|vote| vote.failure.is_some()), Self::Failed),
            (any(|vote| vote.failure == Some(FailureClass::Unclear)), Self::Unclear),
            (any(|vote| vote.outcome == VoteOutcome::Would), Self::Would),
            (report.event.is_none(), Self::Unreadable),
        ];
        let facts = facts.into_iter().filter(|(holds, _)| *holds).map(|(_, fact)| fact);
        facts.chain([decision]).collect()
    }
}
