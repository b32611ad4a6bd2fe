//! What each event carries: the body of its envelope, as a Rust type.
//!
//! A payload has a constructor for what it must have, and a setter for each field that may be left
//! out. Its fields are public to be read, and none is ever removed; new ones may come.
//!
//! ```
//! use hookgate_contract::payload::{Safety, Stop, ToolCall};
//!
//! let call = ToolCall::new("Bash", serde_json::json!({"command": "ls"})).safety(Safety::ReadOnly);
//! let stop = Stop::new().last_assistant_message("done").continues_so_far(2);
//! assert_eq!(serde_json::to_string(&stop)?, r#"{"last_assistant_message":"done","continues_so_far":2}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::any::{Any, TypeId};

use crate::input::data::join;
use crate::json;
use serde::Serialize;
use serde_json::Value;

use crate::contract::Contract;
use crate::event::Event;

/// Declares the payload of an event of `events.rs`, with these methods of [`Payload`].
macro_rules! payload {
    ($(#[$meta:meta])* struct $name:ident { $($field:tt)* } $($method:item)*) => {
        crate::data! { $(#[$meta])* struct $name { $($field)* } }
        payload! { for $name $($method)* }
    };
    (for $name:ident $($method:item)*) => {
        impl $crate::payload::Payload for $name {
            fn contract(&self) -> &'static $crate::Contract {
                <Self as $crate::payload::AtEvent>::EVENT.contract()
            }

            fn engine_type(&self) -> Option<std::any::TypeId> {
                Some(std::any::TypeId::of::<Self>())
            }

            $($method)*
        }
    };
}

mod agent;
mod host;
mod model;
mod prompt;
mod run;
mod runtime;
mod session;
mod tool;
mod turn;
mod unregistered;

pub use agent::{AgentSwitch, SubagentStart, SubagentStop};
pub use host::{ConfigChange, MaxIterations, Notification, WorktreeCreate};
pub use model::{PostLlmResponse, PreLlmRequest};
pub use prompt::{
    Planning, PromptCompile, PromptCompiled, PromptContext, PromptContextPlanned, PromptSource,
    ToolSelection, TurnPolicy, UserInputRequested, UserPromptAccepted, UserPromptSubmit,
};
pub use run::{RunCompleted, RunFailed, RunStarted};
pub use runtime::{
    InputOutcome, InteractionCompleted, MessageDirection, PeerMessage, RuntimeInput,
};
pub use session::{
    PostCompact, PreCompact, SessionEnd, SessionResume, SessionSource, SessionStart,
};
pub use tool::{
    BatchResult, PermissionDecided, PermissionRequest, PostToolBatch, PostToolUse,
    PostToolUseFailure, Provenance, Safety, ToolCall,
};
pub use turn::{Stop, TurnBoundary, TurnStart};
pub use unregistered::Unregistered;

/// The built-in event whose payload a type is.
pub(crate) trait AtEvent {
    /// The event.
    const EVENT: Event;
}

macro_rules! define_payloads {
    ($($event:ident($payload:ident) $name:literal $kind:ident [$($rule:ident)*] {$($rest:tt)*})*) => {
        $(impl AtEvent for $payload {
            const EVENT: Event = Event::$event;
        })*

        /// Returns the names of the fields that the payload of an event can have; none for
        /// [`Event::Custom`], whose payload is the embedder's.
        #[must_use]
        pub const fn fields(event: Event) -> &'static [&'static str] {
            match event {
                $(Event::$event => {
                    const CALL: &[&str] = call_fields(Event::$event);
                    const ALL: [&str; CALL.len() + $payload::FIELDS.len()] = join(CALL, $payload::FIELDS);
                    &ALL
                })*
                Event::Custom => &[],
            }
        }
    };
}

crate::with_events!(define_payloads);

/// The fields of the call that the payload of an event holds beside its own.
const fn call_fields(event: Event) -> &'static [&'static str] {
    let adds_to_call = event.contract().tool && !matches!(event, Event::PreToolUse);
    if adds_to_call { ToolCall::FIELDS } else { &[] }
}

/// A field that a patch may set, borrowed from its payload.
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
    /// Copies the field into a JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::String((*text).to_owned()),
            Self::Json(value) => (*value).clone(),
            Self::Owned(value) => value.clone(),
        }
    }
}

/// The payload of a step: a plain type that serialises to the body of the envelope, a JSON object.
///
/// It owns what it holds. No shared or interior state (`Arc<Mutex<_>>`, atomics, cells, a handle that looks
/// things up) belongs into a payload: hooks evaluate what it serialises to, and whoever holds the other
/// end could change it after they did. It writes no key twice, and none of
/// [`HEADER_FIELDS`](crate::envelope::HEADER_FIELDS), which every envelope has: hooks that read it fail then. In builds with debug assertions the engine compares what a payload
/// serialises to when hooks first read it and when the step is cleared, and logs an error if it differs.
///
/// An embedder implements it for its own event, and only `contract` is required:
///
/// ```
/// use hookgate_contract::{Contract, EventKind, payload::Payload};
///
/// #[derive(Clone, serde::Serialize)]
/// struct Deploy { target: String }
///
/// static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
/// impl Payload for Deploy {
///     fn contract(&self) -> &'static Contract { &DEPLOY }
/// }
/// ```
pub trait Payload: Any + Send + Sync {
    /// Returns the contract of the event that this is the payload of.
    fn contract(&self) -> &'static Contract;

    /// Returns the type itself, if it is one of the engine. A payload that hands all on to one of the engine in it
    /// returns another type than its own, and so says nothing.
    #[doc(hidden)]
    fn engine_type(&self) -> Option<TypeId> {
        None
    }

    /// Returns the tool call that the step is about.
    fn tool(&self) -> Option<&ToolCall> {
        None
    }

    /// Returns how often in a row this event was denied before, if the host counts that. It is used
    /// where the contract [limits denials](Contract::limits_denials); without it the engine counts.
    fn denials_so_far(&self) -> Option<u64> {
        None
    }

    /// Returns the value that handlers may downcast, if it is not the payload itself.
    fn typed(&self) -> &dyn Any
    where
        Self: Sized,
    {
        self
    }

    /// Adds the fields as `Serialize` writes them, and returns whether it did. For a payload that holds
    /// JSON values: to copy them costs less than to serialise them.
    fn add_fields(&self, _fields: &mut Vec<(String, Value)>) -> bool {
        false
    }

    /// Returns the present value of a field that a patch may set, or `None` if it is not set, for handlers that
    /// look at one field. Conditions, merges and records of a payload of the embedder take what `Serialize` writes.
    fn field(&self, _name: &str) -> Option<FieldRef<'_>> {
        None
    }

    /// Sets a field that the contract lists, and returns the name of the field that changed, or
    /// `None` if nothing changed. The engine has checked that the contract admits the value.
    ///
    /// A payload whose contract [takes patches](Contract::takes_patch) implements it for each field that the
    /// contract lists. Whether the step changed is found by comparing what it serialises to, before and
    /// after. A field that is left as it was, although the patch holds another value, is a failure
    /// (`illegal`) of the hook: a rewriter never does nothing without a word.
    fn set(&mut self, _name: &str, _value: Value) -> Option<&'static str> {
        None
    }
}

/// A [`Payload`] of any type, as handlers see it. Every payload that is `Serialize` and `Clone` is
/// one; it is not implemented by hand.
///
/// ```
/// use hookgate_contract::payload::{AnyPayload, SessionEnd};
///
/// let payload: &dyn AnyPayload = &SessionEnd::new("done");
/// assert_eq!(payload.as_any().downcast_ref(), Some(&SessionEnd::new("done")));
/// ```
pub trait AnyPayload: Payload {
    /// Returns the name of the event: that of the contract, but for an [`Unregistered`] payload.
    fn event_name(&self) -> &str;
    /// Returns whether the type is one of the engine: then it is known that its [`set`](Payload::set) says
    /// what it did. Of all others a patch is compared with what became of it.
    fn is_built_in(&self) -> bool;
    /// Appends the payload to a buffer, as JSON.
    ///
    /// # Errors
    /// If the type cannot be serialised. No type of this crate fails.
    fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()>;
    /// Returns the payload as a JSON value: what is read from what [`write_json`](Self::write_json) writes.
    ///
    /// # Errors
    /// As [`AnyPayload::write_json`], and if the payload of an embedder writes what readers do not understand
    /// alike: a key twice (a field and a flattened map, say) or an integer beyond 64 bits.
    fn to_value(&self) -> serde_json::Result<Value>;
    /// Adds the fields of the payload to those of a JSON object. Returns `false` if it is not an object itself.
    ///
    /// # Errors
    /// As [`AnyPayload::write_json`].
    fn add_to(&self, fields: &mut Vec<(String, Value)>) -> serde_json::Result<bool>;
    /// Tells whether the JSON of the payload has more than about this many bytes, and walks no further.
    fn is_larger_than(&self, bytes: usize) -> bool;
    /// Returns the payload's own type, for handlers that know it.
    fn as_any(&self) -> &dyn Any;
    /// Copies the payload, for a hook that runs later or on another thread.
    fn snapshot(&self) -> Box<dyn AnyPayload>;
}

impl<P: Payload + Serialize + Clone> AnyPayload for P {
    fn event_name(&self) -> &str {
        let this: &dyn Any = self;
        this.downcast_ref().map_or(self.contract().name, Unregistered::name)
    }

    fn is_built_in(&self) -> bool {
        self.engine_type() == Some(TypeId::of::<P>())
    }

    fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        json::write(out, self)
    }

    fn to_value(&self) -> serde_json::Result<Value> {
        if self.is_built_in() {
            return serde_json::to_value(self);
        }
        let mut text = Vec::new();
        self.write_json(&mut text)?;
        json::parse_with(&text, json::Integers::Exact)
    }

    fn add_to(&self, fields: &mut Vec<(String, Value)>) -> serde_json::Result<bool> {
        if self.add_fields(fields) {
            return Ok(true);
        }
        let Value::Object(own) = self.to_value()? else { return Ok(false) };
        fields.extend(own);
        Ok(true)
    }

    fn is_larger_than(&self, bytes: usize) -> bool {
        json::is_larger_than(self, bytes)
    }

    fn as_any(&self) -> &dyn Any {
        self.typed()
    }

    fn snapshot(&self) -> Box<dyn AnyPayload> {
        Box::new(self.clone())
    }
}

/// Sets a field, and returns its name if that changed it.
fn put<T: PartialEq>(field: &mut T, value: T, name: &'static str) -> Option<&'static str> {
    if *field == value {
        return None;
    }
    *field = value;
    Some(name)
}

/// Takes the string out of a value whose type was checked before.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{
        AnyPayload, Event, FieldRef, Payload, PostToolUse, SessionEnd, Stop, ToolCall,
        Unregistered, UserPromptSubmit, fields,
    };

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
        check(&Stop::new().last_assistant_message("m".repeat(300)));
    }

    #[test]
    fn many_small_values_count_as_well_as_one_large_one() {
        let numbers = ToolCall::new("Bash", Value::from(vec![1; 100_000]));
        assert!(numbers.is_larger_than(64 << 10));
        let empty = ToolCall::new("Bash", Value::from(vec![Value::from(""); 100_000]));
        assert!(empty.is_larger_than(64 << 10));
        assert!(!ToolCall::new("Bash", json!({"command": "ls"})).is_larger_than(64 << 10));
    }

    #[test]
    fn what_is_set_is_what_is_there() {
        let mut step = UserPromptSubmit::new("fix it");
        for (name, whole) in
            [("prepend", "new\n\nfix it"), ("append", "new\n\nfix it\n\nnew"), ("prompt", "new")]
        {
            assert_eq!(step.set(name, Value::from("new")), Some("prompt"), "{name}");
            assert_eq!(step.field("prompt"), Some(FieldRef::Text(whole)));
            assert_eq!(step.field(name).is_some(), name == "prompt");
        }
        assert_eq!(step.set("source", Value::from("new")), None);
        assert_eq!(step.set("prompt", Value::from("new")), None);
        // Its type is not known, so nobody knows whether it has changed.
        let mut step = Unregistered::new("x.deploy".to_owned(), Map::new());
        assert_eq!(step.field("to"), None);
        assert_eq!(step.set("to", Value::from("a")), None);
        assert_eq!(step.field("to"), Some(FieldRef::Json(&Value::from("a"))));
    }

    #[test]
    fn the_fields_of_a_call_are_those_of_steps_about_one() {
        assert_eq!(fields(Event::SessionEnd), SessionEnd::FIELDS);
        assert_eq!(fields(Event::PreToolUse), ToolCall::FIELDS);
        let both: Vec<_> = ToolCall::FIELDS.iter().chain(PostToolUse::FIELDS).copied().collect();
        assert_eq!(fields(Event::PostToolUse), both);
    }
}
