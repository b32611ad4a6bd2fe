//! An envelope that was read: strictly, and with its payload as the type of its event.
//!
//! What the header and the payload do not know is not lost: it becomes a fact of the host, which hooks
//! read under `host`. What the engine gives itself (generation, decision) is dropped, so that a sender
//! cannot pretend a decision.

use std::any::Any;
use std::fmt;

use hookgate_contract::PROTOCOL;
use hookgate_contract::is_custom_name;
use hookgate_contract::json::{self, Integers};
use hookgate_contract::payload::{self, AnyPayload, Payload, Unregistered};
use hookgate_contract::quote::{self, Quoted};
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Event, StepContext};
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_json::{Error, Map, Value};

use super::alias;

/// Why an envelope could not be read.
///
/// ```
/// use hookgate::envelope::{Incoming, IncomingError};
///
/// let typo = Incoming::parse(br#"{"hook_event_name":"pre_tol_use"}"#).unwrap_err();
/// assert_eq!(typo.to_string(), "unknown event `pre_tol_use`; did you mean `pre_tool_use`?");
/// let foreign = Incoming::parse(br#"{"hook_event_name":"PreToolUse"}"#).unwrap_err();
/// assert!(matches!(foreign, IncomingError::Alias { event: "pre_tool_use", .. }));
/// ```
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
    #[error("unknown event `{}`{near}", Quoted(.name))]
    UnknownEvent {
        /// The name.
        name: String,
        /// An event with a similar name.
        near: Suggestion,
    },
    /// The name of another system was used for an event that has a name of ours.
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
#[non_exhaustive]
pub struct Header {
    /// The step, as the host names it.
    pub step_id: Option<String>,
    /// The session; empty if it was not given.
    pub session_id: String,
    /// The turn.
    pub turn: u64,
    /// The folder that the session works in.
    pub cwd: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// What kind of agent it is.
    pub agent_type: Option<String>,
    /// Everything else that was in the envelope.
    pub host: Map<String, Value>,
    /// Whether the host shows the model no context at this step: see [`StepContext::no_context`]. No envelope says
    /// it; who reads one for a host does.
    pub no_context: bool,
}

impl Header {
    /// Returns the context for a dispatch of this envelope. It cannot be cancelled; add a signal with
    /// [`StepContext::cancel`] if it must be.
    #[must_use]
    pub fn context(&self) -> StepContext<'_> {
        let mut context = StepContext::new(&self.session_id).turn(self.turn);
        context.cwd = self.cwd.as_deref();
        context.agent_id = self.agent_id.as_deref();
        context.agent_type = self.agent_type.as_deref();
        context.host = (!self.host.is_empty()).then_some(&self.host);
        context.step_id = self.step_id.as_deref();
        context.no_context = self.no_context;
        context
    }
}

/// An envelope that was read: header and payload, each of its own type.
///
/// ```
/// use hookgate::Engine;
/// use hookgate::envelope::Incoming;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut incoming = Incoming::parse(br#"{"hook_event_name":"run_failed","error":"timeout","team":"a"}"#)?;
/// assert_eq!(incoming.header.host["team"], "a", "what no event knows is a fact of the host");
/// let report = Engine::without_hooks().evaluate(&mut incoming).await;
/// assert!(report.votes.is_empty(), "there are no hooks");
/// # Ok::<(), hookgate::envelope::IncomingError>(()) }).unwrap();
/// ```
#[non_exhaustive]
pub struct Incoming {
    /// The event.
    pub event: Event,
    /// The facts of the session.
    pub header: Header,
    /// The payload.
    pub payload: Box<dyn ReadPayload>,
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("event", &self.event)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// A payload that was read from an envelope.
pub trait ReadPayload: AnyPayload {
    /// Turns it into a value of the payload's own type.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    /// Borrows the payload as handlers see it, to be rewritten.
    fn as_payload_mut(&mut self) -> &mut dyn AnyPayload;
}

impl<P: AnyPayload> ReadPayload for P {
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

    /// Reads an envelope, with the integers that the limits of the table take which will evaluate it.
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

    /// Reads an envelope that is already parsed. Its integers are not checked; see
    /// [`json::check`].
    ///
    /// # Errors
    /// As [`Incoming::parse`].
    pub fn from_object(map: Map<String, Value>) -> Result<Self, IncomingError> {
        let mut given = HeaderFields::default();
        let mut fields = Vec::with_capacity(map.len());
        for (name, value) in map {
            match given.field(&name) {
                Some(field) => *field = Some(value),
                None => fields.push((name, value)),
            }
        }
        let name = text(given.event, "hook_event_name")?.ok_or(IncomingError::NoEvent)?;
        let event = event_by_name(&name)?;
        match given.protocol {
            None => {}
            Some(version) if version == PROTOCOL => {}
            Some(other) => return Err(IncomingError::Protocol(other)),
        }
        let mut header = Header {
            step_id: text(given.step_id, "step_id")?,
            session_id: text(given.session_id, "session_id")?.unwrap_or_default(),
            turn: match given.turn {
                None | Some(Value::Null) => 0,
                Some(turn) => turn.as_u64().ok_or(IncomingError::Header {
                    field: "turn",
                    expected: "a whole number, 0 or more",
                })?,
            },
            cwd: text(given.cwd, "cwd")?,
            agent_id: text(given.agent_id, "agent_id")?,
            agent_type: text(given.agent_type, "agent_type")?,
            host: match given.host {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(host)) => host,
                Some(_) => {
                    return Err(IncomingError::Header { field: "host", expected: "an object" });
                }
            },
            no_context: false,
        };
        let (payload, unknown) = read(event, name, fields)?;
        header.host.extend(unknown);
        Ok(Self { event, header, payload })
    }

    /// Takes out the payload as the type of its event, or `None` if that is another type.
    #[must_use]
    pub fn into_payload<P: Payload>(self) -> Option<P> {
        self.payload.into_any().downcast::<P>().ok().map(|payload| *payload)
    }
}

/// The fields of an envelope that are not of the payload, as they were given.
#[derive(Default)]
struct HeaderFields {
    event: Option<Value>,
    protocol: Option<Value>,
    step_id: Option<Value>,
    session_id: Option<Value>,
    turn: Option<Value>,
    cwd: Option<Value>,
    agent_id: Option<Value>,
    agent_type: Option<Value>,
    host: Option<Value>,
    /// What the engine gives itself: what the sender says about it has no meaning here.
    dropped: Option<Value>,
}

impl HeaderFields {
    /// Returns the field of a name; `None` if it is not of the header.
    fn field(&mut self, name: &str) -> Option<&mut Option<Value>> {
        Some(match name {
            "hook_event_name" => &mut self.event,
            "protocol" => &mut self.protocol,
            "step_id" => &mut self.step_id,
            "session_id" => &mut self.session_id,
            "turn" => &mut self.turn,
            "cwd" => &mut self.cwd,
            "agent_id" => &mut self.agent_id,
            "agent_type" => &mut self.agent_type,
            "host" => &mut self.host,
            "generation" | "rejudge" | "decision" => &mut self.dropped,
            _ => return None,
        })
    }
}

fn text(value: Option<Value>, field: &'static str) -> Result<Option<String>, IncomingError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(IncomingError::Header { field, expected: "a string" }),
    }
}

fn event_by_name(name: &str) -> Result<Event, IncomingError> {
    if let Some(event) = Event::from_name(name) {
        return Ok(event);
    }
    if is_custom_name(name) {
        return Ok(Event::Custom);
    }
    if let Some(&event) = alias::resolve(name).and_then(|alias| alias.events.first()) {
        return Err(IncomingError::Alias { name: name.to_owned(), event: event.name() });
    }
    let names: Vec<_> = Event::NAMED.into_iter().map(Event::name).collect();
    Err(IncomingError::UnknownEvent {
        name: name.to_owned(),
        near: Suggestion::nearest(name, &names),
    })
}

/// Fields with their names, in the order of these.
type Fields = Vec<(String, Value)>;

/// A payload, and the fields that it does not know.
type Read = (Box<dyn ReadPayload>, Fields);

macro_rules! define_read {
    ($($event:ident($payload:ident) $name:literal $kind:ident [$($rule:ident)*] {$($rest:tt)*})*) => {
        fn read(event: Event, name: String, fields: Fields) -> Result<Read, IncomingError> {
            match event {
                $(Event::$event => typed::<hookgate_contract::payload::$payload>(event, fields),)*
                // `Event` may grow; here it is the one of this build, so only `Custom` is left.
                _ => Ok((Box::new(Unregistered::new(name, fields.into_iter().collect())), Vec::new())),
            }
        }
    };
}

hookgate_contract::with_events!(define_read);

/// Reads a payload, and returns the fields that it does not know. Of these, one that is null is an absent one.
fn typed<P: AnyPayload + DeserializeOwned>(
    event: Event,
    fields: Fields,
) -> Result<Read, IncomingError> {
    let known = payload::fields(event);
    let (fields, mut unknown): (Fields, Fields) =
        fields.into_iter().partition(|(name, _)| known.contains(&name.as_str()));
    unknown.retain(|(_, value)| !value.is_null());
    let payload =
        P::deserialize(MapDeserializer::new(fields.into_iter())).map_err(|error: Error| {
            IncomingError::Payload {
                event: event.name(),
                problem: quote::message(&error.to_string()),
            }
        })?;
    Ok((Box::new(payload), unknown))
}
