//! What each event carries: the body of its envelope, as a Rust type.

use std::any::Any;

use serde::Serialize;
use serde_json::Value;

use crate::contract::Contract;

mod agent;
mod fields;
mod host;
mod model;
mod prompt;
mod run;
mod session;
mod tool;
mod turn;

pub use agent::{AgentSwitch, SubagentStart, SubagentStop};
pub use fields::fields;
pub use host::{ConfigChange, MaxIterations, Notification, WorktreeCreate};
pub use model::{PostLlmResponse, PreLlmRequest};
pub use prompt::{
    Planning, PromptCompile, PromptCompiled, PromptContext, PromptContextPlanned, PromptSource,
    ToolSelection, TurnPolicy, UserInputRequested, UserPromptAccepted, UserPromptSubmit,
};
pub use run::{RunCompleted, RunFailed, RunStarted};
pub use session::{
    PostCompact, PreCompact, SessionEnd, SessionResume, SessionSource, SessionStart,
};
pub use tool::{
    BatchResult, PermissionDecided, PermissionRequest, PostToolBatch, PostToolUse,
    PostToolUseFailure, Provenance, Safety, ToolCall,
};
pub use turn::{Stop, TurnBoundary, TurnStart};

/// A borrowed look at a field that a patch may set.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldRef<'a> {
    /// A text.
    Text(&'a str),
    /// A JSON value.
    Json(&'a Value),
    /// A value that is not kept as JSON, converted.
    Owned(Value),
}

impl FieldRef<'_> {
    /// The field as a JSON value of its own.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::String((*text).to_owned()),
            Self::Json(value) => (*value).clone(),
            Self::Owned(value) => value.clone(),
        }
    }
}

/// The payload of a step: a plain type that serialises to the body of the envelope.
///
/// An embedder implements it for its own event:
///
/// ```
/// use hookgate_contract::{Contract, EventKind, payload::Payload};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Deploy { target: String }
///
/// static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
///
/// impl Payload for Deploy {
///     fn contract(&self) -> &'static Contract { &DEPLOY }
/// }
/// ```
pub trait Payload: Serialize + Clone + Any + Send + Sync {
    /// The contract of the event that this is the payload of.
    fn contract(&self) -> &'static Contract;

    /// The name of the event; it differs from that of the contract only for an `x.*` event that
    /// nobody registered.
    fn event_name(&self) -> &str {
        self.contract().name
    }

    /// The tool call that this is about.
    fn tool(&self) -> Option<&ToolCall> {
        None
    }

    /// The value that handlers may downcast, where it is not the payload itself.
    fn typed(&self) -> &dyn Any {
        self
    }

    /// The present value of a field that a patch may set; none where it is not set.
    fn field(&self, _name: &str) -> Option<FieldRef<'_>> {
        None
    }

    /// Sets a field that the contract lists to a value of the shape that it names there, or to null
    /// where it may be cleared. The name of the field that changed; none where nothing changed.
    fn set(&mut self, _name: &str, _value: Value) -> Option<&'static str> {
        None
    }
}

/// A [`Payload`] of any type.
pub trait AnyPayload: Send + Sync {
    /// See [`Payload::contract`].
    fn contract(&self) -> &'static Contract;
    /// See [`Payload::event_name`].
    fn event_name(&self) -> &str;
    /// See [`Payload::tool`].
    fn tool(&self) -> Option<&ToolCall>;
    /// See [`Payload::field`].
    fn field(&self, name: &str) -> Option<FieldRef<'_>>;
    /// See [`Payload::set`].
    fn set(&mut self, name: &str, value: Value) -> Option<&'static str>;
    /// Appends the payload to a buffer, as JSON.
    ///
    /// # Errors
    /// When the type cannot be serialised, which no type of this crate does.
    fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()>;
    /// The payload as a JSON value.
    ///
    /// # Errors
    /// As [`AnyPayload::write_json`].
    fn to_value(&self) -> serde_json::Result<Value>;
    /// Whether the payload has more than about so many bytes. The walk ends where they are passed.
    fn is_larger_than(&self, bytes: usize) -> bool;
    /// The payload's own type, for handlers that know it.
    fn as_any(&self) -> &dyn Any;
    /// A copy, for those who look at it later.
    fn snapshot(&self) -> Box<dyn AnyPayload>;
}

impl<P: Payload> AnyPayload for P {
    fn contract(&self) -> &'static Contract {
        Payload::contract(self)
    }

    fn event_name(&self) -> &str {
        Payload::event_name(self)
    }

    fn tool(&self) -> Option<&ToolCall> {
        Payload::tool(self)
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        Payload::field(self, name)
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        Payload::set(self, name, value)
    }

    fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(out, self)
    }

    fn to_value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn is_larger_than(&self, bytes: usize) -> bool {
        hookgate_input::json::is_larger_than(self, bytes)
    }

    fn as_any(&self) -> &dyn Any {
        self.typed()
    }

    fn snapshot(&self) -> Box<dyn AnyPayload> {
        Box::new(self.clone())
    }
}

/// Sets a field, and names it if that changed it.
fn put<T: PartialEq>(field: &mut T, value: T, name: &'static str) -> Option<&'static str> {
    if *field == value {
        return None;
    }
    *field = value;
    Some(name)
}

/// The string in a value whose shape was checked before it came here.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AnyPayload, PostToolUse, Stop, ToolCall};

    /// Whether the walk comes to about the size that the JSON has.
    fn check(payload: &dyn AnyPayload) {
        let mut json = Vec::new();
        payload.write_json(&mut json).unwrap();
        assert!(payload.is_larger_than(json.len() / 2), "{}", json.len());
        assert!(!payload.is_larger_than(json.len() * 2 + 16), "{}", json.len());
    }

    #[test]
    fn the_walk_comes_to_about_the_size_of_the_json() {
        let input = json!({"a": ["x".repeat(1000), null, true, 1.5, {"b": "y".repeat(77)}]});
        let call = ToolCall::new("Bash", input);
        check(&call);
        check(&PostToolUse::new(call, "z".repeat(5000)));
        check(&Stop { last_assistant_message: Some("m".repeat(300)), ..Stop::default() });
    }

    #[test]
    fn many_small_values_count_as_well_as_one_large_one() {
        let numbers = ToolCall::new("Bash", Value::from(vec![1; 100_000]));
        assert!(numbers.is_larger_than(64 << 10));
        let empty = ToolCall::new("Bash", Value::from(vec![Value::from(""); 100_000]));
        assert!(empty.is_larger_than(64 << 10));
        assert!(!ToolCall::new("Bash", json!({"command": "ls"})).is_larger_than(64 << 10));
    }
}
