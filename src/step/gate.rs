//! The states in which a step comes back.

use hookgate_contract::Answer;

use super::{Clear, HookStep, Reach, Seal};
use crate::decision::{Decision, Outcome};

/// How a step comes back from a dispatch.
#[derive(Debug)]
#[must_use = "a step that was not cleared must not happen"]
pub enum Gate<S: HookStep> {
    /// It may go on.
    Cleared(S::Cleared),
    /// A hook supplied the result.
    Answered(S::Answered),
    /// The user decides.
    Asked(S::Asked),
    /// It does not happen.
    Denied(S::Denied),
    /// The run stops.
    Halted(S::Halted),
}

impl<S: HookStep> Gate<S> {
    /// The cleared step, if it was cleared.
    pub fn cleared(self) -> Option<S::Cleared> {
        match self {
            Self::Cleared(cleared) => Some(cleared),
            _ => None,
        }
    }

    pub(crate) fn open(step: S, decision: Option<Box<Decision>>, answer: Option<Answer>) -> Self {
        let outcome = decision.as_ref().map_or(Outcome::Allow, |decision| decision.outcome);
        let seal = Seal::new(decision);
        let reached = match outcome {
            Outcome::Allow => return Self::Cleared(S::Cleared::clear(step, seal)),
            Outcome::Answered => S::Answered::reach(step, seal, answer).map(Self::Answered),
            Outcome::Ask => S::Asked::reach(step, seal, answer).map(Self::Asked),
            Outcome::Deny => S::Denied::reach(step, seal, answer).map(Self::Denied),
            Outcome::Halt => S::Halted::reach(step, seal, answer).map(Self::Halted),
        };
        // INVARIANT: no verdict passes the contract that names a state which `check` has found
        // unreachable, so there is always a way to reach it; without one nothing was decided.
        reached.unwrap_or_else(|step| Self::Cleared(S::Cleared::clear(step, Seal::new(None))))
    }
}
