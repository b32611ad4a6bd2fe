//! A step that waits for the user.

use hookgate_contract::Answer;

use super::refused::Decided;
use super::{Clearance, Denied, FromVerdict, HookStep, Reaches, Stamp};
use crate::decision::{Decision, Outcome};
use crate::hook_id::HookId;

/// The name in [`Decision::by`] of a decision of the user.
pub(crate) const USER: &str = "the user";

/// A step that waits for the user. The host shows the [`question`](Self::question), and then calls
/// [`approve`](Self::approve) or [`refuse`](Self::refuse).
///
/// An approval holds for the engine, the hooks, the session and the step that asked: a step that waited while
/// hooks of its event were swapped is evaluated anew, by the table that is in force when the user agrees.
///
/// ```
/// use hookgate::contract::BuiltHandler;
/// use hookgate::{Engine, Event, Gate, HandlerTable, HookEngine, Hook, Invocation};
/// use hookgate::{StepContext, ToolUse, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("to production?"))).event(Event::PreToolUse);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
///
/// let deploy = ToolUse::propose("Deploy", r#"{"target":"prod"}"#).unwrap();
/// let Gate::Asked(asked) = engine.dispatch(deploy, &StepContext::new("s")).await else { panic!() };
/// println!("{} {}", asked.question(), asked.payload().tool_input);
/// let denied = asked.refuse("not on a Friday");
/// assert_eq!(denied.feedback(), "denied by the user: not on a Friday");
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[must_use = "ask the user, then approve or refuse"]
pub struct Asked<S> {
    decided: Decided<S>,
    answer: Option<Answer>,
    stamp: Stamp,
}

impl<S: HookStep> FromVerdict<S> for Asked<S> {}

impl<S: HookStep> Reaches<S> for Asked<S> {
    const REACHABLE: bool = true;

    fn reach(
        step: S,
        clearance: Clearance,
        answer: Option<Answer>,
    ) -> Result<Self, (S, Clearance)> {
        let stamp = clearance.stamp;
        Decided::new(step, clearance).map(|decided| Self { decided, answer, stamp })
    }

    fn decision(&self) -> Option<&Decision> {
        Some(&self.decided.decision)
    }
}

impl<S: HookStep> Asked<S> {
    /// Returns the decision: which hooks asked and why, and what the hooks added.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.decided.decision
    }

    /// Returns the payload that the user decides about.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.decided.payload()
    }

    /// Returns the reasons of the hooks that asked.
    #[must_use]
    pub fn question(&self) -> &str {
        self.decided.reason()
    }

    /// Refuses the step: the user does not agree. [`reject`](Self::reject) records it, too.
    #[must_use]
    pub fn refuse(self, reason: impl Into<String>) -> Denied<S> {
        let mut decided = self.decided;
        let decision = &mut decided.decision;
        decision.outcome = Outcome::Deny;
        decision.by = HookId::from(USER).into();
        decision.reason = Some(reason.into());
        decision.reason_code = None;
        // Of a step that is refused, the host can tell it with the reason.
        decision.undelivered.clear();
        Denied(decided)
    }

    /// Returns the step without asking the user, for a host that has other arguments to propose. It
    /// is not cleared.
    #[must_use]
    pub fn into_step(self) -> S {
        self.decided.step
    }

    /// Returns a question that was asked before, in this process or another one.
    pub(crate) fn again(
        step: S,
        decision: Box<Decision>,
        answer: Option<Answer>,
        stamp: Stamp,
    ) -> Self {
        Self { decided: Decided { step, decision }, answer, stamp }
    }

    pub(crate) const fn stamp(&self) -> Stamp {
        self.stamp
    }

    pub(crate) const fn kept_answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    pub(crate) fn into_parts(self) -> (S, Box<Decision>, Option<Answer>, Stamp) {
        let Decided { step, decision } = self.decided;
        (step, decision, self.answer, self.stamp)
    }
}
