//! An envelope that comes in from a file or another process.

use std::any::Any;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::PROTOCOL;
use crate::alias;
use crate::context::StepContext;
use crate::contract::{CUSTOM, Contract};
use crate::event::{Event, is_custom_name};
use crate::payload::*;
use hookgate_input::json::{self, Integers};
use hookgate_input::quote::{self, Quoted};
use hookgate_input::suggest::nearest;

/// Why an envelope could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncomingError {
    /// It is not one JSON object with unique keys.
    #[error("not one JSON object: {0}")]
    Json(String),
    /// `hook_event_name` is missing.
    #[error("`hook_event_name` is missing")]
    NoEvent,
    /// No event has this name.
    #[error("unknown event `{}`{}", Quoted(.name), .near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownEvent {
        /// The name.
        name: String,
        /// An event with a similar name.
        near: Option<&'static str>,
    },
    /// The name of another system was used for an event that has one of ours.
    #[error("`{name}` is the name of another system; in an envelope it is `{event}`")]
    Alias {
        /// The foreign name.
        name: String,
        /// Our name.
        event: &'static str,
    },
    /// Another version of the format.
    #[error("protocol {} is not known, only {PROTOCOL}", Quoted(&.0.to_string()))]
    Protocol(Value),
    /// A header field has the wrong type.
    #[error("`{field}` must be {expected}")]
    Header {
        /// The field.
        field: &'static str,
        /// Its type, in words.
        expected: &'static str,
    },
    /// The payload of the event is incomplete or has the wrong type.
    #[error("{event}: {problem}")]
    Payload {
        /// The event.
        event: &'static str,
        /// What is wrong.
        problem: String,
    },
}

/// The header of an incoming envelope.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// The step, as the host names it.
    pub step_id: Option<String>,
    /// The session; empty where it was not given.
    pub session_id: String,
    /// The turn.
    pub turn: u64,
    /// The folder that the session works in.
    pub cwd: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// What kind of agent it is.
    pub agent_type: Option<String>,
    /// Everything else that stood in the envelope.
    pub host: Map<String, Value>,
}

impl Header {
    /// The context of a dispatch of this envelope.
    #[must_use]
    pub fn context(&self) -> StepContext<'_> {
        StepContext {
            session_id: &self.session_id,
            turn: self.turn,
            cwd: self.cwd.as_deref(),
            agent_id: self.agent_id.as_deref(),
            agent_type: self.agent_type.as_deref(),
            host: (!self.host.is_empty()).then_some(&self.host),
            step_id: self.step_id.as_deref(),
            cancel: None,
        }
    }
}

/// The payload of an `x.*` event whose type nobody registered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Unregistered {
    #[serde(skip)]
    name: String,
    body: Map<String, Value>,
}

impl Payload for Unregistered {
    fn contract(&self) -> &'static Contract {
        &CUSTOM
    }

    fn event_name(&self) -> &str {
        &self.name
    }
}

/// An envelope that was read: header and payload, each of its own type.
///
/// ```
/// use hookgate_contract::{Event, envelope::Incoming, payload::ToolCall};
///
/// let line = br#"{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
/// let incoming = Incoming::parse(line)?;
/// assert_eq!(incoming.event, Event::PreToolUse);
/// let call: ToolCall = incoming.into_payload().unwrap();
/// assert_eq!(call.tool_name, "Bash");
/// # Ok::<(), hookgate_contract::envelope::IncomingError>(())
/// ```
pub struct Incoming {
    /// The event.
    pub event: Event,
    /// The facts of the session.
    pub header: Header,
    /// The payload.
    pub payload: Box<dyn ReadPayload>,
}

impl std::fmt::Debug for Incoming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Incoming")
            .field("event", &self.event)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// A payload that was read from an envelope.
pub trait ReadPayload: AnyPayload {
    /// The payload's own type, by value.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    /// The payload as what handlers see, to be rewritten.
    fn as_payload_mut(&mut self) -> &mut dyn AnyPayload;
}

impl<P: Payload> ReadPayload for P {
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_payload_mut(&mut self) -> &mut dyn AnyPayload {
        self
    }
}

impl Incoming {
    /// Reads an envelope.
    ///
    /// # Errors
    /// An [`IncomingError`] that says what is missing or wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, IncomingError> {
        Self::parse_with(bytes, Integers::default())
    }

    /// As [`Incoming::parse`], with the integers that are taken: those that the limits of the table
    /// name which is to judge it.
    ///
    /// # Errors
    /// As [`Incoming::parse`].
    pub fn parse_with(bytes: &[u8], integers: Integers) -> Result<Self, IncomingError> {
        let parsed = json::parse_with(bytes, integers);
        match parsed.map_err(|error| IncomingError::Json(error.to_string()))? {
            Value::Object(map) => Self::from_object(map),
            _ => Err(IncomingError::Json("it is another kind of value".into())),
        }
    }

    /// Reads an envelope that is already parsed.
    ///
    /// # Errors
    /// As [`Incoming::parse`].
    pub fn from_object(mut map: Map<String, Value>) -> Result<Self, IncomingError> {
        let name = text(&mut map, "hook_event_name")?.ok_or(IncomingError::NoEvent)?;
        let event = event_of(&name)?;
        match map.remove("protocol") {
            None => {}
            Some(version) if version == PROTOCOL => {}
            Some(other) => return Err(IncomingError::Protocol(other)),
        }
        let mut header = Header {
            step_id: text(&mut map, "step_id")?,
            session_id: text(&mut map, "session_id")?.unwrap_or_default(),
            turn: match map.remove("turn") {
                None | Some(Value::Null) => 0,
                Some(turn) => turn.as_u64().ok_or(IncomingError::Header {
                    field: "turn",
                    expected: "a whole number, 0 or more",
                })?,
            },
            cwd: text(&mut map, "cwd")?,
            agent_id: text(&mut map, "agent_id")?,
            agent_type: text(&mut map, "agent_type")?,
            host: match map.remove("host") {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(host)) => host,
                Some(_) => {
                    return Err(IncomingError::Header { field: "host", expected: "an object" });
                }
            },
        };
        // These are ours to give: what the sender says about them has no meaning here.
        for ours in ["generation", "rejudge", "decision"] {
            map.remove(ours);
        }
        let (payload, unknown) = read(event, name, map)?;
        header.host.extend(unknown);
        Ok(Self { event, header, payload })
    }

    /// The payload as the type of its event; none where the event is another.
    #[must_use]
    pub fn into_payload<P: Payload>(self) -> Option<P> {
        self.payload.into_any().downcast::<P>().ok().map(|payload| *payload)
    }
}

fn text(
    map: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<String>, IncomingError> {
    match map.remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(IncomingError::Header { field, expected: "a string" }),
    }
}

fn event_of(name: &str) -> Result<Event, IncomingError> {
    if let Some(event) = Event::from_name(name) {
        return Ok(event);
    }
    if is_custom_name(name) {
        return Ok(Event::Custom);
    }
    if let Some(&event) = alias::resolve(name).and_then(|alias| alias.events.first()) {
        return Err(IncomingError::Alias { name: name.to_owned(), event: event.name() });
    }
    let names: Vec<_> = Event::all().map(Event::name).collect();
    Err(IncomingError::UnknownEvent { name: name.to_owned(), near: nearest(name, &names) })
}

type Read = (Box<dyn ReadPayload>, Map<String, Value>);

fn read(event: Event, name: String, map: Map<String, Value>) -> Result<Read, IncomingError> {
    match event {
        Event::SessionStart => typed::<SessionStart>(event, map),
        Event::SessionResume => typed::<SessionResume>(event, map),
        Event::SessionEnd => typed::<SessionEnd>(event, map),
        Event::RunStarted => typed::<RunStarted>(event, map),
        Event::RunCompleted => typed::<RunCompleted>(event, map),
        Event::RunFailed => typed::<RunFailed>(event, map),
        Event::UserPromptSubmit => typed::<UserPromptSubmit>(event, map),
        Event::UserPromptAccepted => typed::<UserPromptAccepted>(event, map),
        Event::UserInputRequested => typed::<UserInputRequested>(event, map),
        Event::TurnPolicy => typed::<TurnPolicy>(event, map),
        Event::TurnStart => typed::<TurnStart>(event, map),
        Event::PromptContext => typed::<PromptContext>(event, map),
        Event::PromptContextPlanned => typed::<PromptContextPlanned>(event, map),
        Event::ToolSelection => typed::<ToolSelection>(event, map),
        Event::PromptCompile => typed::<PromptCompile>(event, map),
        Event::PromptCompiled => typed::<PromptCompiled>(event, map),
        Event::PreLlmRequest => typed::<PreLlmRequest>(event, map),
        Event::PostLlmResponse => typed::<PostLlmResponse>(event, map),
        Event::PreToolUse => typed::<ToolCall>(event, map),
        Event::PermissionRequest => typed::<PermissionRequest>(event, map),
        Event::PermissionDecided => typed::<PermissionDecided>(event, map),
        Event::PostToolUse => typed::<PostToolUse>(event, map),
        Event::PostToolUseFailure => typed::<PostToolUseFailure>(event, map),
        Event::PostToolBatch => typed::<PostToolBatch>(event, map),
        Event::TurnBoundary => typed::<TurnBoundary>(event, map),
        Event::Stop => typed::<Stop>(event, map),
        Event::SubagentStart => typed::<SubagentStart>(event, map),
        Event::SubagentStop => typed::<SubagentStop>(event, map),
        Event::AgentSwitch => typed::<AgentSwitch>(event, map),
        Event::PreCompact => typed::<PreCompact>(event, map),
        Event::PostCompact => typed::<PostCompact>(event, map),
        Event::MaxIterations => typed::<MaxIterations>(event, map),
        Event::Notification => typed::<Notification>(event, map),
        Event::ConfigChange => typed::<ConfigChange>(event, map),
        Event::WorktreeCreate => typed::<WorktreeCreate>(event, map),
        Event::Custom => Ok((Box::new(Unregistered { name, body: map }), Map::new())),
    }
}

/// Reads a payload; what it does not know comes back.
fn typed<P: Payload + DeserializeOwned>(
    event: Event,
    map: Map<String, Value>,
) -> Result<Read, IncomingError> {
    let wrong = |error: serde_json::Error| IncomingError::Payload {
        event: event.name(),
        problem: quote::message(&error.to_string()),
    };
    let keys: Vec<String> = map.keys().cloned().collect();
    // An absent optional field and one that is null are the same thing to serde, and a field that
    // it does not know is lost. What the payload writes back is what it knew.
    let mut rest = Map::new();
    let payload: P = serde_json::from_value(Value::Object(map.clone())).map_err(wrong)?;
    let known = serde_json::to_value(&payload).map_err(wrong)?;
    for key in keys {
        if known.get(&key).is_none()
            && let Some(value) = map.get(&key).filter(|value| !value.is_null())
        {
            rest.insert(key, value.clone());
        }
    }
    Ok((Box::new(payload), rest))
}
