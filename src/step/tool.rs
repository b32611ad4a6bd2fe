//! The use of a tool, from proposal to result.
//!
//! ```text
//! ToolUse<Proposed> ──dispatch──▶ ToolUse<Cleared> ──run──▶ ToolUse<Ran> ──dispatch──▶ ToolUse<Done>
//!     (this file)                     (run.rs)                (ran.rs)                  (ran.rs)
//! ```
//!
//! Each arrow consumes the state before it. A clearance is used up by running the tool, so it cannot be
//! kept for a second call; a result is dispatched like any other step, so a hook can rewrite or
//! withhold it; and only what has been dispatched has a text for the model.

mod ran;
mod result;
mod run;

use hookgate_contract::payload::{Provenance, Safety, ToolCall};
use hookgate_contract::{Contract, Event, json};

use serde_json::Value;

use super::clearance::{Marked, Stamp};
use super::{Asked, Clearance, Cleared, Clears, Denied, FromCleared, Halted, HookStep};
use crate::decision::Decision;
pub use ran::{Done, Ran};
pub use result::ToolResult;
pub use run::Running;

/// The use of a tool in a state: [`Proposed`], [`Cleared`], [`Ran`] or [`Done`].
///
/// A tool can only be run when it is cleared, and only an engine clears:
///
/// ```
/// use hookgate::{Engine, Gate, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (engine, context) = (Engine::without_hooks(), StepContext::new("s"));
/// let proposed = ToolUse::propose("Bash", r#"{"command":"ls"}"#)?;
/// let Gate::Cleared(cleared) = engine.dispatch(proposed, &context).await else { panic!() };
/// let ran = cleared.run(async |input| Ok::<_, String>(format!("ran {}", input["command"]))).await;
/// let Gate::Cleared(done) = engine.dispatch(ran, &context).await else { panic!() };
/// assert_eq!(done.into_message(), "ran \"ls\"");
/// # Ok::<_, hookgate::step::InputError>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct ToolUse<S: ToolState = Proposed> {
    state: S,
    /// For a cleared one: which engine and which table have evaluated it.
    mark: S::Mark,
}

/// A state of the use of a tool. It is sealed: there are no other states.
pub trait ToolState: Marked {}

macro_rules! states {
    ($($state:ty: $mark:ty;)*) => { $(
        impl ToolState for $state {}

        impl Marked for $state {
            type Mark = $mark;
        }
    )* };
}

states! {
    Proposed: ();
    Cleared: Stamp;
    Ran: ();
    Done: ();
}

/// The state of a tool call that the model wants, and that no hook has seen yet.
#[derive(Debug)]
pub struct Proposed {
    call: ToolCall,
}

/// The arguments of a tool call cannot be used.
///
/// ```
/// use hookgate::ToolUse;
///
/// let error = ToolUse::propose("Bash", r#"{"command":"ls","command":"rm"}"#).unwrap_err();
/// assert!(error.to_string().starts_with("the input of the tool cannot be used: "));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("the input of the tool cannot be used: {0}")]
pub struct InputError(#[from] serde_json::Error);

impl ToolUse {
    /// Proposes to run a tool with the arguments that the model wrote. They are parsed here and
    /// nowhere else, so that hooks and tool read the same values.
    ///
    /// # Errors
    /// An [`InputError`] if the arguments are not one JSON value, if a key is twice in an object, or if
    /// a number is one that not every reader understands alike; see [`json::parse`].
    pub fn propose(name: impl Into<String>, arguments: &str) -> Result<Self, InputError> {
        Self::propose_with(name, arguments, json::Integers::default())
    }

    /// As [`ToolUse::propose`], with the integers that are taken: those that the limits of the table
    /// name (`engine.table().limits().integers`).
    ///
    /// # Errors
    /// As [`ToolUse::propose`].
    pub fn propose_with(
        name: impl Into<String>,
        arguments: &str,
        integers: json::Integers,
    ) -> Result<Self, InputError> {
        let input = json::parse_with(arguments.as_bytes(), integers)?;
        Ok(Self::from(ToolCall::new(name, input)))
    }

    /// Proposes to run a tool with arguments that are JSON values already, as a client library of the
    /// model hands them over.
    ///
    /// It refuses what [`ToolUse::propose`] refuses of a text: an integer that not every reader
    /// understands alike, and nesting that could not be read back. The check walks through the value
    /// once and copies nothing.
    ///
    /// # Errors
    /// An integer beyond ±(2^53−1), or nesting of more than 127 levels; see [`json::check`].
    ///
    /// ```
    /// use hookgate::ToolUse;
    /// use serde_json::json;
    ///
    /// let list = ToolUse::from_value("Bash", json!({"command": "ls"}))?.category("shell").id("toolu_1");
    /// assert!(ToolUse::from_value("Delete", json!({"id": 9007199254740993_u64})).is_err());
    /// # Ok::<_, hookgate::step::InputError>(())
    /// ```
    pub fn from_value(name: impl Into<String>, arguments: Value) -> Result<Self, InputError> {
        Self::from_value_with(name, arguments, json::Integers::default())
    }

    /// As [`ToolUse::from_value`], with the integers that are taken: those that the limits of the
    /// table name (`engine.table().limits().integers`).
    ///
    /// # Errors
    /// As [`ToolUse::from_value`].
    pub fn from_value_with(
        name: impl Into<String>,
        arguments: Value,
        integers: json::Integers,
    ) -> Result<Self, InputError> {
        json::check(&arguments, integers)?;
        Ok(Self::from(ToolCall::new(name, arguments)))
    }

    /// Sets the id that the model gave the call.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.state.call.tool_use_id = Some(id.into());
        self
    }

    /// Names the group that the host puts the tool in.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.state.call.tool_category = Some(category.into());
        self
    }

    /// Sets what the tool can do to the world.
    #[must_use]
    pub fn safety(mut self, safety: Safety) -> Self {
        self.state.call.safety = Some(safety);
        self
    }

    /// Sets where the tool comes from.
    #[must_use]
    pub fn provenance(mut self, provenance: Provenance) -> Self {
        self.state.call.provenance = Some(Box::new(provenance));
        self
    }

    /// Returns the call by value: of a proposal that is not dispatched, or of one that was denied
    /// ([`Denied::into_step`]).
    #[must_use]
    pub fn into_call(self) -> ToolCall {
        self.state.call
    }
}

/// Proposes a call as it is. Nothing is checked: what another reader may take for another value, such as an integer
/// beyond 2^53 or a nesting of hundreds, is refused by [`ToolUse::propose`] and [`ToolUse::from_value`] only.
impl From<ToolCall> for ToolUse {
    #[inline]
    fn from(call: ToolCall) -> Self {
        Self { state: Proposed { call }, mark: () }
    }
}

impl HookStep for ToolUse {
    const CONTRACT: &'static Contract = Event::PreToolUse.contract();
    type Payload = ToolCall;
    type Cleared = ToolUse<Cleared>;
    type Denied = Denied<Self>;
    type Asked = Asked<Self>;
    type Answered = ToolUse<Ran>;
    type Halted = Halted<Self>;

    #[inline]
    fn payload(&self) -> &ToolCall {
        &self.state.call
    }

    #[inline]
    fn payload_mut(&mut self) -> &mut ToolCall {
        &mut self.state.call
    }
}

impl FromCleared<ToolUse> for ToolUse<Cleared> {}

impl Clears<ToolUse> for ToolUse<Cleared> {
    #[inline]
    fn clear(step: ToolUse, clearance: Clearance) -> Self {
        let state = Cleared { payload: step.state.call, decision: clearance.decision };
        Self { state, mark: clearance.stamp }
    }

    fn decision(&self) -> Option<&Decision> {
        self.state.decision()
    }
}
