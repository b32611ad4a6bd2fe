//! A step that may go on.

use hookgate_contract::payload::{Payload, ToolCall};

use super::{Clearance, Clears, FromCleared, HookStep};
use crate::decision::{Contributed, Decision};
use crate::hook_id::HookId;

/// Returns the decision of a state, unless it is kept for its step id only.
pub(super) const fn visible(decision: &Option<Box<Decision>>) -> Option<&Decision> {
    match decision {
        Some(decision) if !decision.silent => Some(decision),
        _ => None,
    }
}

/// A step that may go on, with what the hooks added. It cannot be cloned, deserialised or built by
/// other code; its payload can be read and taken out, but not changed.
///
/// For the use of a tool it is a state, [`ToolUse<Cleared>`](crate::ToolUse); all other events come
/// back as `Cleared` with their payload:
///
/// ```
/// use hookgate::contract::BuiltHandler;
/// use hookgate::contract::payload::UserPromptSubmit;
/// use hookgate::{Engine, Event, HandlerTable, HookEngine, Hook, Invocation, StepContext};
/// use hookgate::Verdict;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::sync("style", |_| Ok(Verdict::none().context("be brief"))).event(Event::UserPromptSubmit);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
///
/// let gate = engine.dispatch(UserPromptSubmit::new("hello"), &StepContext::new("s")).await;
/// let prompt = gate.cleared().unwrap();
/// assert_eq!(prompt.context(), ["be brief"]);
/// assert_eq!(prompt.into_payload().prompt, "hello");
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Cleared<P = ToolCall> {
    pub(super) payload: P,
    pub(super) decision: Option<Box<Decision>>,
}

impl<P> Cleared<P> {
    /// Returns the payload as it was evaluated.
    #[must_use]
    pub const fn payload(&self) -> &P {
        &self.payload
    }

    /// Returns the payload as it was evaluated, by value.
    #[must_use]
    pub fn into_payload(self) -> P {
        self.payload
    }

    /// Returns text that the hooks add for the model, in the order of the hooks.
    #[must_use]
    pub fn context(&self) -> &[String] {
        visible(&self.decision).map_or(&[], |decision| &decision.context)
    }

    /// Returns text that the hooks add for the user, in the order of the hooks.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        visible(&self.decision).map_or(&[], |decision| &decision.messages)
    }

    /// Returns typed data for the runtime, in the order of the hooks, each with its hook.
    #[must_use]
    pub fn contributions(&self) -> &[Contributed] {
        visible(&self.decision).map_or(&[], |decision| &decision.contributions)
    }

    /// Returns the hooks that allowed the step. At `permission_request` an allow is an approval: if
    /// this is empty, the user is asked.
    #[must_use]
    pub fn approved_by(&self) -> &[HookId] {
        visible(&self.decision).map_or(&[], |decision| &decision.by)
    }

    /// Returns all that the hooks decided and added; `None` if no hook had an opinion.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        visible(&self.decision)
    }
}

impl<S: HookStep<Payload = S> + Payload> FromCleared<S> for Cleared<S> {}

impl<S: HookStep<Payload = S> + Payload> Clears<S> for Cleared<S> {
    #[inline]
    fn clear(step: S, clearance: Clearance) -> Self {
        Self { payload: step, decision: clearance.decision }
    }

    fn decision(&self) -> Option<&Decision> {
        visible(&self.decision)
    }
}
