//! The use of a tool, from proposal to result.
//!
//! ```text
//! ToolUse<Proposed> ──dispatch──▶ ToolUse<Cleared> ──run──▶ ToolUse<Ran> ──dispatch──▶ ToolUse<Done>
//! ```

mod result;

use std::time::Duration;

use hookgate_contract::payload::{PostToolUse, PostToolUseFailure, Provenance, Safety, ToolCall};
use hookgate_contract::{Answer, Contract, Event, json};
use serde_json::Value;

use super::seal::{Marked, Stamp};
use super::{
    Asked, Clearance, Cleared, Clears, Denied, FromCleared, FromVerdict, Halted, HookStep, Reaches,
    added,
};
use crate::decision::Decision;
use crate::engine::HookEngine;
pub use result::ToolResult;
use result::plain;

/// The use of a tool in a state: [`Proposed`], [`Cleared`], [`Ran`] or [`Done`].
///
/// A tool can only be run when it is cleared, and only an engine clears:
///
/// ```
/// use hookgate::{Engine, Gate, HookEngine, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (engine, context) = (Engine::default(), StepContext::new("s"));
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
    /// For a cleared one: who has judged it.
    mark: S::Mark,
}

/// A state of the use of a tool. There are no others.
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

/// The model wants to run a tool.
#[derive(Debug)]
pub struct Proposed {
    call: ToolCall,
}

/// The tool has run, or a hook supplied its result.
#[derive(Debug)]
pub struct Ran {
    result: ToolResult,
    supplied: bool,
    /// What the hooks added before the tool ran.
    before: Option<Box<Decision>>,
}

/// The result has been judged.
#[derive(Debug)]
pub struct Done {
    result: ToolResult,
    before: Option<Box<Decision>>,
    after: Option<Box<Decision>>,
}

/// The arguments of a tool cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the input of the tool cannot be used: {0}")]
pub struct InputError(#[from] serde_json::Error);

impl ToolUse {
    /// Proposes to run a tool with the arguments that the model wrote. They are parsed here and
    /// nowhere else, so that hooks and tool read the same values.
    ///
    /// # Errors
    /// Where the arguments are not one JSON value, a key stands twice in an object, or a number is
    /// one that not every reader understands alike; see [`json::parse`].
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

    /// Names the call, as the model does.
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

    /// Says what the tool can do to the world.
    #[must_use]
    pub fn safety(mut self, safety: Safety) -> Self {
        self.state.call.safety = Some(safety);
        self
    }

    /// Says where the tool comes from.
    #[must_use]
    pub fn provenance(mut self, provenance: Provenance) -> Self {
        self.state.call.provenance = Some(provenance);
        self
    }
}

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
    fn clear(step: ToolUse, seal: Clearance) -> Self {
        let state = Cleared { payload: step.state.call, decision: seal.decision };
        Self { state, mark: seal.stamp }
    }
}

impl FromVerdict<ToolUse> for ToolUse<Ran> {}

impl Reaches<ToolUse> for ToolUse<Ran> {
    const REACHABLE: bool = true;

    fn reach(
        step: ToolUse,
        seal: Clearance,
        answer: Option<Answer>,
    ) -> Result<Self, (ToolUse, Clearance)> {
        let Some(answer) = answer else { return Err((step, seal)) };
        let call = step.state.call;
        let result = if answer.is_error {
            ToolResult::Failure(PostToolUseFailure::new(call, plain(answer.content)))
        } else {
            ToolResult::Success(PostToolUse::new(call, answer.content))
        };
        Ok(Self { state: Ran { result, supplied: true, before: seal.decision }, mark: () })
    }
}

impl ToolUse<Cleared> {
    /// The call, with the arguments that were judged.
    #[must_use]
    pub const fn call(&self) -> &ToolCall {
        &self.state.payload
    }

    /// All that the hooks decided and added; none where nobody said anything.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        self.state.decision()
    }

    /// Whether this engine has judged the call, for a runtime that has several.
    pub fn is_cleared_by<E: HookEngine>(&self, engine: &E) -> bool {
        self.mark.engine == engine.identity()
    }

    pub(crate) const fn stamp(&self) -> Stamp {
        self.mark
    }

    /// What was kept of the dispatch, also where nobody said anything.
    pub(crate) fn judged(&self) -> Option<&Decision> {
        self.state.decision.as_deref()
    }

    /// Runs the tool: hands exactly the judged arguments to the executor and keeps what it gives
    /// back. An error of the executor is a failed tool, with the error as its text.
    ///
    /// # Cancel safety
    /// Dropping the future drops the executor's; the clearance is used up either way.
    pub async fn run<T, E, F>(self, executor: F) -> ToolUse<Ran>
    where
        T: Into<Value>,
        E: std::fmt::Display,
        F: AsyncFnOnce(&Value) -> Result<T, E>,
    {
        let running = self.start();
        let result = executor(running.input()).await;
        running.finish(result)
    }

    /// Starts the tool, for a runtime that cannot hand over a closure.
    #[must_use = "hand the result of the tool to `finish`"]
    pub fn start(self) -> Running {
        Running { call: self.state.payload, before: self.state.decision }
    }
}

/// A tool that is running. The clearance is used up.
#[derive(Debug)]
pub struct Running {
    call: ToolCall,
    before: Option<Box<Decision>>,
}

impl Running {
    /// The arguments that were judged.
    #[must_use]
    pub const fn input(&self) -> &Value {
        &self.call.tool_input
    }

    /// The call.
    #[must_use]
    pub const fn call(&self) -> &ToolCall {
        &self.call
    }

    /// The tool has given something back, or failed.
    pub fn finish<T, E>(self, result: Result<T, E>) -> ToolUse<Ran>
    where
        T: Into<Value>,
        E: std::fmt::Display,
    {
        let result = match result {
            Ok(response) => ToolResult::Success(PostToolUse::new(self.call, response)),
            Err(error) => {
                ToolResult::Failure(PostToolUseFailure::new(self.call, error.to_string()))
            }
        };
        ToolUse { state: Ran { result, supplied: false, before: self.before }, mark: () }
    }
}

impl HookStep for ToolUse<Ran> {
    const CONTRACT: &'static Contract = Event::PostToolUse.contract();
    const SECOND_CONTRACT: Option<&'static Contract> = Some(Event::PostToolUseFailure.contract());
    type Payload = ToolResult;
    type Cleared = ToolUse<Done>;
    type Denied = Denied<Self>;
    type Asked = std::convert::Infallible;
    type Answered = std::convert::Infallible;
    type Halted = Halted<Self>;

    #[inline]
    fn payload(&self) -> &ToolResult {
        &self.state.result
    }

    #[inline]
    fn payload_mut(&mut self) -> &mut ToolResult {
        &mut self.state.result
    }
}

impl FromCleared<ToolUse<Ran>> for ToolUse<Done> {}

impl Clears<ToolUse<Ran>> for ToolUse<Done> {
    #[inline]
    fn clear(step: ToolUse<Ran>, seal: Clearance) -> Self {
        let Ran { result, before, .. } = step.state;
        Self { state: Done { result, before, after: seal.decision }, mark: () }
    }
}

impl ToolUse<Ran> {
    /// Adds the result in blocks, images included. A rewrite of the result drops them.
    #[must_use]
    pub fn content_blocks(mut self, blocks: Value) -> Self {
        if let ToolResult::Success(result) = &mut self.state.result {
            result.content_blocks = Some(blocks);
        }
        self
    }

    /// Says how long the tool took.
    #[must_use]
    pub fn duration(mut self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).ok();
        match &mut self.state.result {
            ToolResult::Success(result) => result.duration_ms = millis,
            ToolResult::Failure(result) => result.duration_ms = millis,
        }
        self
    }

    /// Whether a hook supplied the result and the tool did not run.
    #[must_use]
    pub const fn is_supplied(&self) -> bool {
        self.state.supplied
    }
}

impl ToolUse<Done> {
    /// The result, as the hooks left it.
    #[must_use]
    pub const fn result(&self) -> &ToolResult {
        &self.state.result
    }

    /// Whether the model is told that the tool failed.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.state.result.is_error()
    }

    /// The text for the model.
    #[must_use]
    pub fn into_message(self) -> String {
        self.state.result.into_text()
    }

    /// Text that the hooks add for the model, from before and after the run.
    pub fn context(&self) -> impl Iterator<Item = &str> {
        [added(&self.state.before), added(&self.state.after)]
            .into_iter()
            .flatten()
            .flat_map(|decision| decision.context.iter().map(String::as_str))
    }

    /// All that the hooks decided about the result; none where nobody said anything.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        added(&self.state.after)
    }
}
