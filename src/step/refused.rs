//! A step that does not go on: denied, or halted together with the whole run.

use std::fmt;

use hookgate_contract::{Answer, EventKind};
use serde::{Serialize, Serializer};

use super::{Clearance, FromVerdict, HookStep, Reaches};
use crate::decision::{Decision, Outcome};

/// A step with the decision about it: what denied, halted and asked steps have in common.
#[derive(Debug)]
pub(super) struct Decided<S> {
    pub(super) step: S,
    pub(super) decision: Box<Decision>,
}

impl<S: HookStep> Decided<S> {
    /// Returns the step and its clearance if there is no decision.
    pub(super) fn new(step: S, clearance: Clearance) -> Result<Self, (S, Clearance)> {
        match clearance.decision {
            Some(decision) => Ok(Self { step, decision }),
            // INVARIANT: a gate has a decision wherever a step is not cleared.
            None => Err((step, clearance)),
        }
    }

    pub(super) fn payload(&self) -> &S::Payload {
        self.step.payload()
    }

    pub(super) fn reason(&self) -> &str {
        self.decision.reason.as_deref().unwrap_or("no reason given")
    }

    fn by(&self) -> String {
        self.decision.by.join(", ")
    }
}

/// A step that does not happen. It cannot be run; its payload can be looked at, and the proposal can be
/// taken out and dispatched again.
///
/// ```
/// use hookgate::contract::BuiltHandler;
/// use hookgate::{Engine, Event, Gate, HandlerTable, HookEngine, Hook, Invocation};
/// use hookgate::{StepContext, ToolUse, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::sync("no-bash", |_| Ok(Verdict::deny("no shell"))).event(Event::PreToolUse);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
///
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// let Gate::Denied(denied) = engine.dispatch(bash, &StepContext::new("s")).await else { panic!() };
/// assert_eq!((denied.reason(), denied.payload().tool_name.as_str()), ("no shell", "Bash"));
/// // What the model reads in place of the result.
/// assert_eq!(denied.feedback(), "denied by no-bash: no shell");
/// let arguments = denied.into_step().into_call().tool_input;
/// assert_eq!(arguments["command"], "ls");
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Denied<S>(pub(super) Decided<S>);

/// A step at which the whole run stops. It is an error, so a runtime can return it with `?`.
///
/// A denial is feedback for the model, which goes on; a halt is the end of the run, for the user:
///
/// ```
/// use hookgate::contract::BuiltHandler;
/// use hookgate::contract::payload::TurnBoundary;
/// use hookgate::{Engine, Event, Gate, HandlerTable, HookEngine, Hook, Invocation};
/// use hookgate::{StepContext, Verdict};
///
/// async fn next_turn(engine: &Engine) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
///     match engine.dispatch(TurnBoundary::default(), &StepContext::new("s")).await {
///         Gate::Cleared(_) => Ok(()),
///         Gate::Denied(denied) => Err(denied.feedback().into()),
///         Gate::Halted(halted) => Err(halted.into()),
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::sync("budget", |_| Ok(Verdict::halt("the budget is spent"))).event(Event::TurnBoundary);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
/// let error = next_turn(&engine).await.unwrap_err();
/// assert_eq!(error.to_string(), "halted by budget: the budget is spent");
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Halted<S>(Decided<S>);

impl<S: HookStep> FromVerdict<S> for Denied<S> {}

impl<S: HookStep> Reaches<S> for Denied<S> {
    const REACHABLE: bool = true;

    fn reach(step: S, clearance: Clearance, _: Option<Answer>) -> Result<Self, (S, Clearance)> {
        Decided::new(step, clearance).map(Self)
    }

    fn decision(&self) -> Option<&Decision> {
        Some(&self.0.decision)
    }
}

impl<S: HookStep> FromVerdict<S> for Halted<S> {}

impl<S: HookStep> Reaches<S> for Halted<S> {
    const REACHABLE: bool = true;

    fn reach(step: S, clearance: Clearance, _: Option<Answer>) -> Result<Self, (S, Clearance)> {
        Decided::new(step, clearance).map(Self)
    }

    fn decision(&self) -> Option<&Decision> {
        Some(&self.0.decision)
    }
}

impl<S: HookStep> Denied<S> {
    /// Returns the decision: which hooks decided and why, and what the hooks added.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.0.decision
    }

    /// Returns the payload that was denied.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.0.payload()
    }

    /// Returns whether no hook has denied the step: the host has cancelled its dispatch.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.decision.outcome == Outcome::Cancelled
    }

    /// Returns the reasons of the hooks that denied.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.0.reason()
    }

    /// Returns the text that takes the place of what was denied: the tool's error, a stub for a
    /// withheld result, the feedback to an agent that wanted to stop. It is the `Display` form.
    #[must_use]
    pub fn feedback(&self) -> String {
        self.to_string()
    }

    /// Returns the step as it was when it was denied, rewrites included. It is not cleared: it can only
    /// be looked at, changed and dispatched again.
    #[must_use]
    pub fn into_step(self) -> S {
        self.0.step
    }
}

impl<S: HookStep> fmt::Display for Denied<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cancelled() {
            return write!(f, "cancelled: {}", self.reason());
        }
        let verb = match self.payload_kind() {
            EventKind::Result => "withheld",
            _ => "denied",
        };
        write!(f, "{verb} by {}: {}", self.0.by(), self.reason())
    }
}

impl<S: HookStep> Denied<S> {
    fn payload_kind(&self) -> EventKind {
        hookgate_contract::payload::Payload::contract(self.payload()).kind
    }
}

impl<S: HookStep + fmt::Debug> std::error::Error for Denied<S> {}

/// Writes the text for the model, and the decision. The step is not in it: [`payload`](Denied::payload) is.
impl<S: HookStep> Serialize for Denied<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        Refusal { feedback: self.feedback(), decision: self.decision() }.serialize(serializer)
    }
}

impl<S: HookStep> Halted<S> {
    /// Returns the decision: which hooks decided and why, and what the hooks added.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.0.decision
    }

    /// Returns the payload at which the run was stopped.
    #[must_use]
    pub fn payload(&self) -> &S::Payload {
        self.0.payload()
    }

    /// Returns the reasons of the hooks that halted the run.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.0.reason()
    }

    /// Returns the step as it was when the run was halted, rewrites included. It is not cleared.
    #[must_use]
    pub fn into_step(self) -> S {
        self.0.step
    }
}

impl<S: HookStep> fmt::Display for Halted<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "halted by {}: {}", self.0.by(), self.reason())
    }
}

impl<S: HookStep + fmt::Debug> std::error::Error for Halted<S> {}

/// Writes the text for the user, and the decision. The step is not in it: [`payload`](Halted::payload) is.
impl<S: HookStep> Serialize for Halted<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        Refusal { feedback: self.to_string(), decision: self.decision() }.serialize(serializer)
    }
}

/// What is written of a refusal.
#[derive(Serialize)]
struct Refusal<'a> {
    feedback: String,
    decision: &'a Decision,
}
