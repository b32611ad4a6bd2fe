//! A tool that has run: its result is a step of its own, to be evaluated before the model reads it.

use std::convert::Infallible;
use std::time::Duration;

use hookgate_contract::payload::{PostToolUse, PostToolUseFailure, ToolCall};
use hookgate_contract::{Answer, Contract, Event};
use serde_json::Value;

use super::result::value_to_text;
use super::{ToolResult, ToolUse};
use crate::decision::Decision;
use crate::step::cleared::visible;
use crate::step::{Clearance, Clears, Denied, FromCleared, FromVerdict, Halted, HookStep, Reaches};

/// The state of a tool that has run, or whose result a hook supplied. It is a proposal again: the
/// result is dispatched before the model reads it.
///
/// ```
/// use hookgate::contract::BuiltHandler;
/// use hookgate::{Engine, Event, Gate, HandlerTable, HookEngine, Hook, Invocation, Role};
/// use hookgate::{StepContext, ToolUse, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::sync("cache", |_| Ok(Verdict::none().answer("from the cache", false))).event(Event::PreToolUse).role(Role::Rewrite);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
///
/// let context = StepContext::new("session-1");
/// let read = ToolUse::propose("Read", r#"{"path":"a.txt"}"#).unwrap();
/// let ran = match engine.dispatch(read, &context).await {
///     Gate::Cleared(tool) => tool.run(async |_| Ok::<_, String>("from the disk")).await,
///     Gate::Answered(ran) => ran,
///     _ => panic!(),
/// };
/// assert!(ran.is_supplied());
/// let Gate::Cleared(done) = engine.dispatch(ran, &context).await else { panic!() };
/// assert_eq!(done.into_message(), "from the cache");
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Ran {
    pub(super) result: ToolResult,
    pub(super) supplied: bool,
    /// What the hooks added before the tool ran.
    pub(super) before: Option<Box<Decision>>,
}

/// The state of a tool whose result has been evaluated.
#[derive(Debug)]
pub struct Done {
    result: ToolResult,
    before: Option<Box<Decision>>,
    after: Option<Box<Decision>>,
}

impl FromVerdict<ToolUse> for ToolUse<Ran> {}

impl Reaches<ToolUse> for ToolUse<Ran> {
    const REACHABLE: bool = true;

    fn reach(
        step: ToolUse,
        clearance: Clearance,
        answer: Option<Answer>,
    ) -> Result<Self, (ToolUse, Clearance)> {
        let Some(answer) = answer else { return Err((step, clearance)) };
        Ok(Self::supplied(step.into_call(), answer, clearance.decision))
    }

    fn decision(&self) -> Option<&Decision> {
        visible(&self.state.before)
    }
}

impl HookStep for ToolUse<Ran> {
    const CONTRACT: &'static Contract = Event::PostToolUse.contract();
    const SECOND_CONTRACT: Option<&'static Contract> = Some(Event::PostToolUseFailure.contract());
    type Payload = ToolResult;
    type Cleared = ToolUse<Done>;
    type Denied = Denied<Self>;
    type Asked = Infallible;
    type Answered = Infallible;
    type Halted = Halted<Self>;

    #[inline]
    fn payload(&self) -> &ToolResult {
        &self.state.result
    }

    #[inline]
    fn payload_mut(&mut self) -> &mut ToolResult {
        &mut self.state.result
    }

    #[inline]
    fn step_id(&self) -> Option<&str> {
        self.state.before.as_ref()?.step_id.as_deref()
    }
}

impl FromCleared<ToolUse<Ran>> for ToolUse<Done> {}

impl Clears<ToolUse<Ran>> for ToolUse<Done> {
    #[inline]
    fn clear(step: ToolUse<Ran>, clearance: Clearance) -> Self {
        let Ran { result, before, .. } = step.state;
        Self { state: Done { result, before, after: clearance.decision }, mark: () }
    }

    fn decision(&self) -> Option<&Decision> {
        visible(&self.state.after)
    }
}

impl ToolUse<Ran> {
    /// Makes the result of a tool that did not run.
    pub(super) fn supplied(call: ToolCall, answer: Answer, before: Option<Box<Decision>>) -> Self {
        let result = if answer.is_error {
            ToolResult::Failure(PostToolUseFailure::new(call, value_to_text(answer.content)))
        } else {
            ToolResult::Success(PostToolUse::new(call, answer.content))
        };
        Self { state: Ran { result, supplied: true, before }, mark: () }
    }

    /// Adds the result in blocks, images included. A rewrite of the result drops them.
    #[must_use]
    pub fn content_blocks(mut self, blocks: Value) -> Self {
        if let ToolResult::Success(result) = &mut self.state.result {
            result.content_blocks = Some(blocks);
        }
        self
    }

    /// Sets how long the tool took; hooks read it in milliseconds.
    #[must_use]
    pub fn duration(mut self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).ok();
        match &mut self.state.result {
            ToolResult::Success(result) => result.duration_ms = millis,
            ToolResult::Failure(result) => result.duration_ms = millis,
        }
        self
    }

    /// Returns whether a hook or the host supplied the result and the tool did not run.
    #[must_use]
    pub const fn is_supplied(&self) -> bool {
        self.state.supplied
    }
}

impl ToolUse<Done> {
    /// Returns the result, as the hooks left it.
    #[must_use]
    pub const fn result(&self) -> &ToolResult {
        &self.state.result
    }

    /// Returns whether the model is to read that the tool failed.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.state.result.is_error()
    }

    /// Returns the text for the model: the response, or the error of a tool that failed.
    #[must_use]
    pub fn into_message(self) -> String {
        self.state.result.into_text()
    }

    /// Returns text that hooks add for the model, from before and after the run.
    pub fn context(&self) -> impl Iterator<Item = &str> {
        [visible(&self.state.before), visible(&self.state.after)]
            .into_iter()
            .flatten()
            .flat_map(|decision| decision.context.iter().map(String::as_str))
    }

    /// Returns all that the hooks decided about the result; `None` if no hook had an opinion.
    #[must_use]
    pub const fn decision(&self) -> Option<&Decision> {
        visible(&self.state.after)
    }
}
