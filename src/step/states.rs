//! What is left of a step in each state, and what can be done with it.

use std::fmt;

use hookgate_contract::payload::Payload;
use hookgate_contract::{Answer, Contribution, EventKind, ReasonCode, StepContext};

use super::{Clearance, Clears, FromCleared, FromVerdict, Gate, HookStep, Reaches, Stamp};
use crate::decision::{Decision, Outcome};
use crate::engine::HookEngine;
use crate::hook_id::HookId;

/// What the hooks added to a step.
pub(crate) const fn added(decision: &Option<Box<Decision>>) -> Option<&Decision> {
    match decision {
        Some(decision) if !decision.silent => Some(decision),
        _ => None,
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
    pub fn approved_by(&self) -> &[HookId] {
        added(&self.decision).map_or(&[], |decision| &decision.by)
    }

    /// All that the hooks decided and added; none where nobody said anything.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        added(&self.decision)
    }
}

impl<S: HookStep<Payload = S> + Payload> FromCleared<S> for Cleared<S> {}

impl<S: HookStep<Payload = S> + Payload> Clears<S> for Cleared<S> {
    #[inline]
    fn clear(step: S, seal: Clearance) -> Self {
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
    stamp: Stamp,
}

/// A step whose result a hook has supplied, for a step of the embedder.
#[derive(Debug)]
pub struct Answered<S> {
    step: S,
    answer: Answer,
    decision: Option<Box<Decision>>,
}

macro_rules! reach {
    ($($state:ident)*) => { $(
        impl<S: HookStep> FromVerdict<S> for $state<S> {}

        impl<S: HookStep> Reaches<S> for $state<S> {
            const REACHABLE: bool = true;

            fn reach(step: S, seal: Clearance, _: Option<Answer>) -> Result<Self, (S, Clearance)> {
                match seal.decision {
                    Some(decision) => Ok(Self { step, decision }),
                    // INVARIANT: a gate has a decision wherever a step is not cleared.
                    None => Err((step, seal)),
                }
            }
        }
    )* };
}

reach! { Denied Halted }

impl<S: HookStep> FromVerdict<S> for Asked<S> {}

impl<S: HookStep> Reaches<S> for Asked<S> {
    const REACHABLE: bool = true;

    fn reach(step: S, seal: Clearance, answer: Option<Answer>) -> Result<Self, (S, Clearance)> {
        let Clearance { stamp, decision } = seal;
        match decision {
            Some(decision) => Ok(Self { step, decision, answer, stamp }),
            None => Err((step, Clearance { stamp, decision: None })),
        }
    }
}

impl<S: HookStep> FromVerdict<S> for Answered<S> {}

impl<S: HookStep> Reaches<S> for Answered<S> {
    const REACHABLE: bool = true;

    fn reach(step: S, seal: Clearance, answer: Option<Answer>) -> Result<Self, (S, Clearance)> {
        match answer {
            Some(answer) => Ok(Self { step, answer, decision: seal.decision }),
            None => Err((step, seal)),
        }
    }
}

impl<S: HookStep> Answered<S> {
    /// The payload that was answered: the step itself does not run.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.step.payload()
    }

    /// The result that the hook supplied.
    #[must_use]
    pub const fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The result that the hook supplied, by value.
    #[must_use]
    pub fn into_answer(self) -> Answer {
        self.answer
    }

    /// All that the hooks decided and added.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        added(&self.decision)
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
            EventKind::Result => "withheld",
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

/// Who denies where no hook has.
const ENGINE: &str = "hookgate";

const NO_ENGINE: &str =
    "an engine with hooks asked about this step, so an engine without hooks cannot clear it";

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

    /// The user has agreed. The step is cleared if the engine and the table that asked are this
    /// engine and its table; else it is judged anew, by this engine. An engine without hooks
    /// ([`Noop`](crate::Noop)) cannot stand in for one that has asked: there it is denied.
    pub async fn approve<E: HookEngine>(self, engine: &E, context: &StepContext<'_>) -> Gate<S> {
        let Self { step, mut decision, answer, stamp } = self;
        if engine.identity() == stamp.engine && engine.generation() == decision.generation {
            decision.outcome = if answer.is_some() { Outcome::Answered } else { Outcome::Allow };
            decision.by = vec![USER.into()];
            decision.reason = None;
            decision.reason_code = None;
            if let Some(engine) = engine.as_engine() {
                engine.record_approval(step.payload(), context, &decision).await;
            }
        } else if engine.identity() == Stamp::NOBODY.engine {
            decision.outcome = Outcome::Deny;
            decision.by = vec![ENGINE.into()];
            decision.reason = Some(NO_ENGINE.to_owned());
            decision.reason_code = Some(ReasonCode::PolicyViolation);
        } else {
            return engine.dispatch(step, context).await;
        }
        Gate::open(step, Clearance { stamp, decision: Some(decision) }, answer)
    }

    /// The user has refused.
    #[must_use]
    pub fn refuse(self, reason: impl Into<String>) -> Denied<S> {
        let mut decision = self.decision;
        decision.outcome = Outcome::Deny;
        decision.by = vec![USER.into()];
        decision.reason = Some(reason.into());
        decision.reason_code = None;
        Denied { step: self.step, decision }
    }
}
