//! A step whose result a hook has supplied.

use hookgate_contract::Answer;

use super::cleared::visible;
use super::{Clearance, FromVerdict, HookStep, Reaches};
use crate::decision::Decision;

/// A step whose result a hook has supplied: the step itself does not run. For a step of the embedder;
/// an answered tool call is a [`ToolUse<Ran>`](crate::step::Ran), an answered model request the response.
#[derive(Debug)]
pub struct Answered<S> {
    step: S,
    answer: Answer,
    decision: Option<Box<Decision>>,
}

impl<S: HookStep> FromVerdict<S> for Answered<S> {}

impl<S: HookStep> Reaches<S> for Answered<S> {
    const REACHABLE: bool = true;

    fn reach(
        step: S,
        clearance: Clearance,
        answer: Option<Answer>,
    ) -> Result<Self, (S, Clearance)> {
        match answer {
            Some(answer) => Ok(Self { step, answer, decision: clearance.decision }),
            None => Err((step, clearance)),
        }
    }

    fn decision(&self) -> Option<&Decision> {
        visible(&self.decision)
    }
}

impl<S: HookStep> Answered<S> {
    /// Returns the payload that was answered.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.step.payload()
    }

    /// Returns the result that the hook supplied.
    #[must_use]
    pub const fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Returns the result that the hook supplied, by value.
    #[must_use]
    pub fn into_answer(self) -> Answer {
        self.answer
    }

    /// Returns all that the hooks decided and added.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        visible(&self.decision)
    }
}
