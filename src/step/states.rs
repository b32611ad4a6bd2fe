//! What is left of a step in each state, and what can be done with it.

use std::fmt;

use hookgate_contract::payload::Payload;
use hookgate_contract::{Answer, Contribution, Kind, StepContext};

use super::{Clear, Gate, HookStep, Reach, Seal};
use crate::decision::{Decision, Outcome};
use crate::engine::HookEngine;

/// What the hooks added to a step.
pub(crate) const fn added(decision: &Option<Box<Decision>>) -> Option<&Decision> {
    match decision {
        Some(decision) => Some(decision),
        None => None,
    }
}

/// A step that may go on, with what the hooks added. It can be neither copied nor read from a
/// file.
#[derive(Debug)]
pub struct Cleared<P = hookgate_contract::payload::ToolCall> {
    pub(super) payload: P,
    pub(super) decision: Option<Box<Decision>>,
}

impl<P> Cleared<P> {
    /// The payload as it was judged.
    #[must_use]
    pub const fn payload(&self) -> &P {
        &self.payload
    }

    /// The payload as it was judged, by value.
    #[must_use]
    pub fn into_payload(self) -> P {
        self.payload
    }

    /// Text for the model.
    #[must_use]
    pub fn context(&self) -> &[String] {
        added(&self.decision).map_or(&[], |decision| &decision.context)
    }

    /// Text for the user.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        added(&self.decision).map_or(&[], |decision| &decision.messages)
    }

    /// Typed data for the runtime.
    #[must_use]
    pub fn contributions(&self) -> &[Contribution] {
        added(&self.decision).map_or(&[], |decision| &decision.contributions)
    }

    /// The hooks that spoke for the step. At `permission_request` this is an approval: where it is
    /// empty the user is asked.
    #[must_use]
    pub fn approved_by(&self) -> &[String] {
        added(&self.decision).map_or(&[], |decision| &decision.by)
    }

    /// All that the hooks decided and added; none where nobody said anything.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        added(&self.decision)
    }
}

impl<S: HookStep<Payload = S> + Payload> Clear<S> for Cleared<S> {
    #[inline]
    fn clear(step: S, seal: Seal) -> Self {
        Self { payload: step, decision: seal.decision }
    }
}

/// A step that does not happen. It cannot be run; its payload can be looked at.
#[derive(Debug)]
pub struct Denied<S> {
    step: S,
    decision: Box<Decision>,
}

/// A step after which the whole run stops.
#[derive(Debug)]
pub struct Halted<S> {
    step: S,
    decision: Box<Decision>,
}

/// A step that waits for the user.
#[derive(Debug)]
#[must_use = "ask the user, then approve or refuse"]
pub struct Asked<S> {
    step: S,
    decision: Box<Decision>,
    answer: Option<Answer>,
}

/// A step with what was decided about it; without a decision it stays what it is.
fn decided<S>(step: S, seal: Seal) -> Result<(S, Box<Decision>), S> {
    match seal.decision {
        Some(decision) => Ok((step, decision)),
        None => Err(step),
    }
}

impl<S: HookStep> Reach<S> for Denied<S> {
    const REACHABLE: bool = true;

    fn reach(step: S, seal: Seal, _: Option<Answer>) -> Result<Self, S> {
        decided(step, seal).map(|(step, decision)| Self { step, decision })
    }
}

impl<S: HookStep> Reach<S> for Halted<S> {
    const REACHABLE: bool = true;

    fn reach(step: S, seal: Seal, _: Option<Answer>) -> Result<Self, S> {
        decided(step, seal).map(|(step, decision)| Self { step, decision })
    }
}

impl<S: HookStep> Reach<S> for Asked<S> {
    const REACHABLE: bool = true;

    fn reach(step: S, seal: Seal, answer: Option<Answer>) -> Result<Self, S> {
        decided(step, seal).map(|(step, decision)| Self { step, decision, answer })
    }
}

impl<S: HookStep> Denied<S> {
    /// What was decided, by whom and why.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The payload that was denied.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.step.payload()
    }

    /// Why, in the words of the hooks.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.decision.reason.as_deref().unwrap_or("no reason given")
    }

    /// The text that takes the place of what was denied: the tool's error, a stub for a withheld
    /// result, the feedback to an agent that wanted to stop.
    #[must_use]
    pub fn feedback(&self) -> String {
        self.to_string()
    }
}

impl<S: HookStep> fmt::Display for Denied<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = self.decision.by.join(", ");
        let verb = match self.step.payload().contract().kind {
            Kind::Result => "withheld",
            _ => "denied",
        };
        write!(f, "{verb} by {by}: {}", self.reason())
    }
}

impl<S: HookStep + fmt::Debug> std::error::Error for Denied<S> {}

impl<S: HookStep> Halted<S> {
    /// What was decided, by whom and why.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The payload at which the run was stopped.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.step.payload()
    }

    /// Why, in the words of the hooks.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.decision.reason.as_deref().unwrap_or("no reason given")
    }
}

impl<S: HookStep> fmt::Display for Halted<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "halted by {}: {}", self.decision.by.join(", "), self.reason())
    }
}

impl<S: HookStep + fmt::Debug> std::error::Error for Halted<S> {}

/// Who decides when a hook has asked.
const USER: &str = "the user";

impl<S: HookStep> Asked<S> {
    /// What was decided, by whom and why.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What the user decides about.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.step.payload()
    }

    /// Why the user is asked, in the words of the hooks.
    #[must_use]
    pub fn question(&self) -> &str {
        self.decision.reason.as_deref().unwrap_or("no reason given")
    }

    /// The user has agreed. The step is cleared if the table that asked is still in force; else it
    /// is judged by the new one.
    pub async fn approve<E: HookEngine>(self, engine: &E, context: &StepContext<'_>) -> Gate<S> {
        if engine.generation() != self.decision.generation {
            return engine.dispatch(self.step, context).await;
        }
        let mut decision = self.decision;
        decision.outcome = if self.answer.is_some() { Outcome::Answered } else { Outcome::Allow };
        decision.by = vec![USER.to_owned()];
        decision.reason = None;
        decision.reason_code = None;
        Gate::open(self.step, Some(decision), self.answer)
    }

    /// The user has refused.
    #[must_use]
    pub fn refuse(self, reason: impl Into<String>) -> Denied<S> {
        let mut decision = self.decision;
        decision.outcome = Outcome::Deny;
        decision.by = vec![USER.to_owned()];
        decision.reason = Some(reason.into());
        decision.reason_code = None;
        Denied { step: self.step, decision }
    }
}
