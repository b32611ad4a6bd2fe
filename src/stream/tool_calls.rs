//! Calls of tools that come in fragments.

use std::collections::BTreeMap;

use hookgate_contract::json;
use hookgate_contract::payload::ToolCall;
use serde_json::Value;

/// Gathers the calls of tools in an answer that comes in parts. No hook judges a fragment: they are put together, read
/// once and strictly, and judged with the [whole answer](hookgate_contract::payload::PostLlmResponse::calls); each is then
/// proposed as a step of its own.
///
/// ```
/// use hookgate::ToolUse;
/// use hookgate::contract::payload::PostLlmResponse;
/// use hookgate::stream::ToolCallParts;
///
/// let mut parts = ToolCallParts::new();
/// parts.push(0, Some("call_1"), Some("Bash"), "");
/// parts.push(0, None, None, r#"{"comm"#);
/// parts.push(0, None, None, r#"and":"git push"}"#);
/// let calls = parts.finish()?;
/// let answer = PostLlmResponse::new("I push it.", Vec::new()).calls(calls.clone());
/// assert_eq!(answer.tool_call_names, ["Bash"]);
/// for call in calls {
///     assert_eq!(call.tool_input["command"], "git push");
///     let step = ToolUse::from(call); // and dispatch it
/// }
/// # Ok::<(), hookgate::stream::ToolCallError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ToolCallParts {
    calls: BTreeMap<usize, Call>,
}

#[derive(Debug, Clone, Default)]
struct Call {
    id: Option<String>,
    name: String,
    arguments: String,
}

/// The calls of an answer cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolCallError {
    /// A call names no tool.
    #[error("call {index} of the answer names no tool")]
    NoName {
        /// Its place, as the provider counts.
        index: usize,
    },
    /// The arguments of a call are not one JSON value, or one that not every reader understands alike.
    #[error("the arguments of call {index} of the answer (`{tool}`) cannot be used: {source}")]
    Arguments {
        /// Its place, as the provider counts.
        index: usize,
        /// The tool.
        tool: String,
        /// Why.
        source: serde_json::Error,
    },
}

impl ToolCallParts {
    /// Makes one without calls.
    #[must_use]
    pub const fn new() -> Self {
        Self { calls: BTreeMap::new() }
    }

    /// Adds a fragment of the call at a place of the answer, as the provider counts. Names and arguments of later fragments
    /// go behind those of earlier ones; the last id counts.
    pub fn push(&mut self, index: usize, id: Option<&str>, name: Option<&str>, arguments: &str) {
        let call = self.calls.entry(index).or_default();
        if let Some(id) = id {
            call.id = Some(id.to_owned());
        }
        call.name.push_str(name.unwrap_or_default());
        call.arguments.push_str(arguments);
    }

    /// Returns whether the answer calls no tool so far.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the calls in their order. No arguments at all are an empty object.
    ///
    /// # Errors
    /// The first call that cannot be used: none of the answer is to be run then.
    pub fn finish(self) -> Result<Vec<ToolCall>, ToolCallError> {
        self.calls.into_iter().map(|(index, call)| call.read(index)).collect()
    }
}

impl Call {
    fn read(self, index: usize) -> Result<ToolCall, ToolCallError> {
        let Self { id, name, arguments } = self;
        if name.is_empty() {
            return Err(ToolCallError::NoName { index });
        }
        let input = match arguments.trim() {
            "" => Ok(Value::Object(serde_json::Map::new())),
            text => json::parse(text.as_bytes()),
        };
        match input {
            Ok(input) => {
                let mut call = ToolCall::new(name, input);
                call.tool_use_id = id;
                Ok(call)
            }
            Err(source) => Err(ToolCallError::Arguments { index, tool: name, source }),
        }
    }
}
