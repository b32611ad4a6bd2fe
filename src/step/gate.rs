//! The states in which a step comes back.

use hookgate_contract::Answer;

use super::{Clearance, Clears, HookStep, Reaches};
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

    /// What came out.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Cleared(_) => Outcome::Allow,
            Self::Answered(_) => Outcome::Answered,
            Self::Asked(_) => Outcome::Ask,
            Self::Denied(_) => Outcome::Deny,
            Self::Halted(_) => Outcome::Halt,
        }
    }

    /// Turns a decision that the step has no state for into the strictest that it has one for.
    ///
    /// No verdict passes its contract that names such a state, so this is for what nobody has
    /// thought of: it must not fall open.
    pub(crate) fn settle(decision: &mut Option<Box<Decision>>, answer: &mut Option<Answer>) {
        let Some(decision) = decision else { return };
        let has = |outcome| match outcome {
            Outcome::Allow => true,
            Outcome::Answered => S::Answered::REACHABLE,
            Outcome::Ask => S::Asked::REACHABLE,
            Outcome::Deny => S::Denied::REACHABLE,
            Outcome::Halt => S::Halted::REACHABLE,
        };
        let missing = decision.outcome == Outcome::Answered && answer.is_none();
        if has(decision.outcome) && !missing {
            return;
        }
        let strictest = [Outcome::Deny, Outcome::Halt, Outcome::Ask].into_iter().find(|&o| has(o));
        let said = decision.outcome.name();
        let event = S::CONTRACT.name;
        decision.messages.push(match strictest {
            Some(other) => format!(
                "`{said}` cannot be expressed at `{event}`, so it counts as {}",
                other.name()
            ),
            None => format!("`{said}` cannot be expressed at `{event}`, where nothing is refused"),
        });
        decision.outcome = strictest.unwrap_or(Outcome::Allow);
        *answer = None;
    }

    pub(crate) fn open(step: S, mut seal: Clearance, mut answer: Option<Answer>) -> Self {
        Self::settle(&mut seal.decision, &mut answer);
        let reached = match seal.outcome() {
            Outcome::Allow => return Self::Cleared(S::Cleared::clear(step, seal)),
            Outcome::Answered => S::Answered::reach(step, seal, answer).map(Self::Answered),
            Outcome::Ask => S::Asked::reach(step, seal, answer).map(Self::Asked),
            Outcome::Deny => S::Denied::reach(step, seal, answer).map(Self::Denied),
            Outcome::Halt => S::Halted::reach(step, seal, answer).map(Self::Halted),
        };
        // INVARIANT: `settle` has left nothing but an outcome whose state the step has, and a state
        // refuses a step only where there is no decision or no answer. What is left is an event at
        // which nothing can be refused.
        reached.unwrap_or_else(|(step, seal)| Self::Cleared(S::Cleared::clear(step, seal)))
    }
}
