//! The result of a tool, as a payload: one type for the two events that a result can be at.
//!
//! A tool that ran is at `post_tool_use`, a tool that failed at `post_tool_use_failure`. The runtime
//! dispatches `ToolUse<Ran>` in both cases, and the payload says which contract holds. Handlers that
//! downcast get the payload of the event itself, not this enum.

use hookgate_contract::payload::{FieldRef, Payload, PostToolUse, PostToolUseFailure, ToolCall};
use hookgate_contract::{Contract, Event};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The result of a tool: the payload of `post_tool_use` or of `post_tool_use_failure`.
///
/// Which event it is depends on the tool, not on the runtime, so that a hook at either cannot be
/// missed. [`ToolUse<Done>`](crate::ToolUse) has it when all hooks have evaluated it.
///
/// ```
/// use hookgate::step::ToolResult;
/// use hookgate::{Gate, HookEngine, Noop, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let context = StepContext::new("s");
/// let read = ToolUse::propose("Read", r#"{"path":"/nowhere"}"#).unwrap();
/// let cleared = Noop.dispatch(read, &context).await.cleared().unwrap();
/// let ran = cleared.run(async |_| Err::<String, _>("no such file")).await;
/// let done = Noop.dispatch(ran, &context).await.cleared().unwrap();
/// assert!(matches!(done.result(), ToolResult::Failure(failure) if failure.error == "no such file"));
/// assert!(done.is_error());
/// # });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum ToolResult {
    /// The tool ran.
    Success(PostToolUse),
    /// The tool failed.
    Failure(PostToolUseFailure),
}

impl ToolResult {
    /// Returns whether the model is to read that the tool failed.
    pub(super) const fn is_error(&self) -> bool {
        match self {
            Self::Success(result) => matches!(result.is_error, Some(true)),
            Self::Failure(_) => true,
        }
    }

    const fn tool_call(&self) -> &ToolCall {
        match self {
            Self::Success(result) => &result.call,
            Self::Failure(result) => &result.call,
        }
    }

    pub(super) fn into_text(self) -> String {
        match self {
            Self::Success(result) => value_to_text(result.tool_response),
            Self::Failure(result) => result.error,
        }
    }
}

/// Returns a value as text for the model: a string as it is, anything else as JSON.
pub(super) fn value_to_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Success(result) => result.serialize(serializer),
            Self::Failure(result) => result.serialize(serializer),
        }
    }
}

impl Payload for ToolResult {
    fn contract(&self) -> &'static Contract {
        match self {
            Self::Success(_) => Event::PostToolUse.contract(),
            Self::Failure(_) => Event::PostToolUseFailure.contract(),
        }
    }

    fn engine_type(&self) -> Option<std::any::TypeId> {
        Some(std::any::TypeId::of::<Self>())
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(self.tool_call())
    }

    fn typed(&self) -> &dyn std::any::Any {
        match self {
            Self::Success(result) => result,
            Self::Failure(result) => result,
        }
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        match self {
            Self::Success(result) => Payload::field(result, name),
            Self::Failure(result) => Payload::field(result, name),
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        match self {
            Self::Success(result) => Payload::set(result, name, value),
            Self::Failure(result) => Payload::set(result, name, value),
        }
    }
}
