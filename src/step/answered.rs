//! A step whose result a hook has supplied.

use hookgate_contract::Answer;

use super::cleared::visible;
use super::{Clearance, FromVerdict, HookStep, Reaches};
use crate::decision::Decision;

/// A step whose result a hook has supplied: the step itself does not run. For a step of the embedder;
/// an answered tool call is a [`ToolUse<Ran>`](crate::step::Ran), an answered model request the response.
///
/// ```
/// use hookgate::contract::BuiltHandler;
/// use hookgate::contract::payload::Payload;
/// use hookgate::{Contract, Engine, EventKind, Gate, HandlerTable, HookEngine, Hook};
/// use hookgate::{Invocation, Role, StepContext, Verdict};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Lookup { key: String }
///
/// static LOOKUP: Contract = Contract::custom("x.lookup", EventKind::Gate).takes_answer();
///
/// impl Payload for Lookup {
///     fn contract(&self) -> &'static Contract { &LOOKUP }
/// }
///
/// hookgate::hook_step!(Lookup: &LOOKUP => Cleared, Denied, Answered);
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::sync("cache", |_| Ok(Verdict::none().answer(42, false))).custom_event("x.lookup").role(Role::Rewrite);
/// let engine = Engine::new(HandlerTable::builder().contract(&LOOKUP).insert(hook).build()?);
///
/// let gate = engine.dispatch(Lookup { key: "answer".into() }, &StepContext::new("s")).await;
/// let Gate::Answered(answered) = gate else { panic!() };
/// assert_eq!(answered.payload().key, "answer");
/// assert_eq!(answered.into_answer().content, 42);
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
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
