//! The gate: the one state in which a step comes back.

use hookgate_contract::Answer;

use hookgate_contract::ReasonCode;
use hookgate_contract::payload::AnyPayload;

use super::mismatch::{is_mismatched, mismatch};
use super::{Clearance, Clears, HookStep, Reaches};
use crate::decision::{Decision, Outcome};
use crate::generation::Generation;
use crate::log;

/// The state in which a step comes back from a dispatch.
///
/// A `match` has one arm for each state that the event can reach. The others have the type
/// [`Infallible`](std::convert::Infallible) and need no arm:
///
/// ```
/// use hookgate::contract::payload::{SessionEnd, UserPromptSubmit};
/// use hookgate::{Engine, Gate, HookEngine, StepContext};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (engine, context) = (Engine::without_hooks(), StepContext::new("session-1"));
/// match engine.dispatch(UserPromptSubmit::new("hello"), &context).await {
///     Gate::Cleared(prompt) => println!("{}", prompt.payload().prompt),
///     Gate::Asked(asked) => println!("ask the user: {}", asked.question()),
///     Gate::Denied(denied) => println!("{denied}"),
///     Gate::Halted(halted) => println!("{halted}"),
/// }
/// // A session that ends can neither be denied nor asked about: it is always cleared.
/// let Gate::Cleared(()) = engine.dispatch(SessionEnd::new("done"), &context).await;
/// # });
/// ```
///
/// Code that handles steps of all types (a log, a user interface) reads the
/// [`outcome`](Self::outcome) and the [`decision`](Self::decision) instead:
///
/// ```
/// use hookgate::{Gate, HookStep};
///
/// fn log<S: HookStep>(gate: &Gate<S>) -> String {
///     let by = gate.decision().map(|decision| decision.by.join(", ")).unwrap_or_default();
///     format!("{} {} {by}", S::CONTRACT.name, gate.outcome().name())
/// }
/// ```
#[derive(Debug)]
#[must_use = "a step that was not cleared must not happen"]
pub enum Gate<S: HookStep> {
    /// The step may go on.
    Cleared(S::Cleared),
    /// A hook supplied the result.
    Answered(S::Answered),
    /// The user decides.
    Asked(S::Asked),
    /// The step does not happen: hooks have denied it, or the host has cancelled its dispatch
    /// ([`Outcome::Cancelled`]).
    Denied(S::Denied),
    /// The run stops.
    Halted(S::Halted),
}

impl<S: HookStep> Gate<S> {
    /// Returns the cleared step, if it was cleared.
    pub fn cleared(self) -> Option<S::Cleared> {
        match self {
            Self::Cleared(cleared) => Some(cleared),
            _ => None,
        }
    }

    /// Returns whether the step was cleared: for tests and counts. What is run is the step in
    /// [`cleared`](Self::cleared); what a host kept of it beside the dispatch may be other than what was judged.
    #[must_use]
    pub const fn is_cleared(&self) -> bool {
        matches!(self, Self::Cleared(_))
    }

    /// Returns what came out.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Cleared(_) => Outcome::Allow,
            Self::Answered(_) => Outcome::Answered,
            Self::Asked(_) => Outcome::Ask,
            Self::Denied(denied) => match Reaches::decision(denied).map(|denied| denied.outcome) {
                Some(Outcome::Cancelled) => Outcome::Cancelled,
                _ => Outcome::Deny,
            },
            Self::Halted(_) => Outcome::Halt,
        }
    }

    /// Returns the decision: which hooks decided and why, and what the hooks added. `None` if no hook had an
    /// opinion, and for the few states that keep none (a cleared `session_end` is `()`, an answered
    /// model request is the response).
    #[must_use]
    pub fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Cleared(cleared) => Clears::decision(cleared),
            Self::Answered(answered) => Reaches::decision(answered),
            Self::Asked(asked) => Reaches::decision(asked),
            Self::Denied(denied) => Reaches::decision(denied),
            Self::Halted(halted) => Reaches::decision(halted),
        }
    }

    /// Prepares what came out for a step of this type: a step that names two events is denied, and
    /// [`settle`](Self::settle) does the rest.
    pub(crate) fn settle_any(
        payload: &dyn AnyPayload,
        generation: Generation,
        decision: &mut Option<Box<Decision>>,
        answer: &mut Option<Answer>,
    ) {
        if let Some(problem) = mismatch::<S>(payload.contract(), payload.event_name()) {
            deny_mismatched(S::CONTRACT.name, problem, generation, decision);
        }
        Self::settle(decision, answer);
    }

    /// Turns a decision for which the step has no state into the strictest one for which it has one.
    ///
    /// The contract refuses every verdict that names such a state, so this never happens with a
    /// built-in step. It is a second lock: whatever is overlooked must not clear a step.
    fn settle(decision: &mut Option<Box<Decision>>, answer: &mut Option<Answer>) {
        let Some(decision) = decision else { return };
        let has = |outcome| match outcome {
            Outcome::Allow => true,
            Outcome::Answered => S::Answered::REACHABLE,
            Outcome::Ask => S::Asked::REACHABLE,
            Outcome::Cancelled | Outcome::Deny => S::Denied::REACHABLE,
            Outcome::Halt => S::Halted::REACHABLE,
        };
        let missing = decision.outcome == Outcome::Answered && answer.is_none();
        if has(decision.outcome) && !missing {
            return;
        }
        let strictest = [Outcome::Deny, Outcome::Halt, Outcome::Ask].into_iter().find(|&o| has(o));
        let outcome = decision.outcome.name();
        let event = S::CONTRACT.name;
        decision.messages.push(match strictest {
            Some(other) => format!(
                "`{outcome}` cannot be expressed at `{event}`, so it counts as {}",
                other.name()
            ),
            None => format!(
                "`{outcome}` cannot be expressed at `{event}`, where nothing is refused: {}",
                decision.reason.as_deref().unwrap_or("no reason given")
            ),
        });
        decision.outcome = strictest.unwrap_or(Outcome::Allow);
        *answer = None;
    }

    /// Brings an evaluated step into its state.
    pub(crate) fn open(step: S, mut clearance: Clearance, mut answer: Option<Answer>) -> Self {
        if is_mismatched(&step) {
            Self::settle_any(
                step.payload(),
                clearance.stamp.generation(),
                &mut clearance.decision,
                &mut answer,
            );
        }
        Self::settle(&mut clearance.decision, &mut answer);
        let reached = match clearance.outcome() {
            Outcome::Allow => return Self::Cleared(S::Cleared::clear(step, clearance)),
            Outcome::Answered => S::Answered::reach(step, clearance, answer).map(Self::Answered),
            Outcome::Ask => S::Asked::reach(step, clearance, answer).map(Self::Asked),
            Outcome::Cancelled | Outcome::Deny => {
                S::Denied::reach(step, clearance, answer).map(Self::Denied)
            }
            Outcome::Halt => S::Halted::reach(step, clearance, answer).map(Self::Halted),
        };
        // INVARIANT: `settle` has left an outcome whose state the step has, and a state refuses a
        // step only without a decision or an answer. What is left is an event at which nothing can
        // be refused.
        reached
            .unwrap_or_else(|(step, clearance)| Self::Cleared(S::Cleared::clear(step, clearance)))
    }
}

/// Denies a step that names two events. A halt stays what it is.
#[cold]
fn deny_mismatched(
    event: &str,
    problem: String,
    generation: Generation,
    decision: &mut Option<Box<Decision>>,
) {
    log::illegal_step(Some(event), &problem);
    let decision = decision.get_or_insert_with(|| Box::new(Decision::empty(generation)));
    if decision.outcome == Outcome::Halt {
        return;
    }
    decision.deny_by_engine(format!("the step is illegal: {problem}"), ReasonCode::RuntimeError);
}
