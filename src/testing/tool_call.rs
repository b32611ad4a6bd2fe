//! A builder of tool calls.

use hookgate_contract::payload::{Safety, ToolCall};
use serde_json::{Map, Value};

use crate::engine::HookEngine;
use crate::engine::noop::Noop;
use crate::step::{Ran, ToolUse};

/// Begins a tool call without arguments.
///
/// ```
/// use hookgate::testing;
///
/// let edit = testing::tool_call("Edit").input("path", "a.rs").input("line", 3);
/// assert_eq!(edit.clone().call().tool_input["line"], 3);
/// assert_eq!(edit.clone().step().into_call().tool_name, "Edit");
/// // The same call after it has run: the step of `post_tool_use`, or `post_tool_use_failure`.
/// assert!(!edit.clone().ran("done").is_supplied());
/// assert!(!edit.failed("no such file").is_supplied());
/// ```
pub fn tool_call(name: impl Into<String>) -> ToolCallBuilder {
    ToolCallBuilder { call: ToolCall::new(name, Value::Object(Map::new())) }
}

/// A tool call that is being built: see [`tool_call`].
#[derive(Debug, Clone)]
#[must_use = "take the call out of it with `step`, `call`, `ran` or `failed`"]
pub struct ToolCallBuilder {
    call: ToolCall,
}

impl ToolCallBuilder {
    /// Adds an argument; one of the same name is replaced.
    pub fn input(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Value::Object(arguments) = &mut self.call.tool_input {
            arguments.insert(key.into(), value.into());
        }
        self
    }

    /// Sets the id that the model gave the call.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.call.tool_use_id = Some(id.into());
        self
    }

    /// Sets what the tool can do to its surroundings.
    pub const fn safety(mut self, safety: Safety) -> Self {
        self.call.safety = Some(safety);
        self
    }

    /// Returns the call as it stands in payloads.
    #[must_use]
    pub fn call(self) -> ToolCall {
        self.call
    }

    /// Returns the proposed call, to be dispatched.
    #[must_use]
    pub fn step(self) -> ToolUse {
        ToolUse::from(self.call)
    }

    /// Returns the call after the tool has run and returned this. No hook was invoked before.
    #[must_use]
    pub fn ran(self, response: impl Into<Value>) -> ToolUse<Ran> {
        self.finish(Ok::<_, String>(response.into()))
    }

    /// Returns the call after the tool has run and failed with this. No hook was invoked before.
    #[must_use]
    pub fn failed(self, error: &str) -> ToolUse<Ran> {
        self.finish(Err::<Value, _>(error.to_owned()))
    }

    #[expect(clippy::expect_used, reason = "without hooks every step is cleared")]
    fn finish(self, result: Result<Value, String>) -> ToolUse<Ran> {
        let cleared = Noop.pass(self.step()).expect("there is no hook to evaluate it");
        cleared.start().finish(result)
    }
}
