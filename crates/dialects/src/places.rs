//! Where the fields of ours are in the envelopes of an agent that puts them inside of other objects, and
//! the way there and back.
//!
//! A field takes its value away from its place, and all that is left then is a fact of the host, as it
//! came. So nothing is lost, and the envelope of the agent can be put together again:
//!
//! ```text
//! native ── take the fields out ──▶ ours, and the rest as `host`
//! native ◀── put the fields back ── ours, and `host`
//! ```

use hookgate_contract::dialect::{Dialect, DialectError, HostEvent, HostStep, ScriptInput};
use hookgate_contract::json::JsonType;
use hookgate_contract::payload::SessionSource;
use hookgate_contract::{HEADER_FIELDS, is_custom_name};
use serde_json::{Map, Value};

use crate::pointer;

/// The field that names the event: with our name in an envelope of ours, with that of the agent under
/// `host`, if it is there.
const EVENT: &str = "hook_event_name";

/// The key under `host` that names the event of the agent if its envelope does not, or says it otherwise.
const NATIVE_EVENT: &str = "native_event";

/// The event of ours about a tool that has run, and that about one that has failed.
const RESULT: &str = "post_tool_use";
const FAILURE: &str = "post_tool_use_failure";

/// Makes the value of a field of ours from an envelope of the agent.
type Make = fn(&Map<String, Value>) -> Option<Value>;

/// Changes an envelope of the agent so that a field of ours has this value.
type Unmake = fn(&mut Map<String, Value>, &Value);

/// Where a field of ours is in an envelope of the agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    ours: &'static str,
    place: Place,
    json_type: JsonType,
    is_required: bool,
    /// What it is if the envelope does not say it.
    fallback: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// At a pointer, from which it is taken away.
    At(&'static str),
    /// It is made of something that stays where it is.
    Made(Make, Unmake),
}

impl Field {
    /// Describes a field that is at a pointer. A value of another type stays where it is.
    pub(crate) const fn at(ours: &'static str, pointer: &'static str, json_type: JsonType) -> Self {
        Self::new(ours, Place::At(pointer), json_type)
    }

    /// Describes a field that the agent has under the same name.
    pub(crate) const fn same(ours: &'static str, json_type: JsonType) -> Self {
        Self::at(ours, ours, json_type)
    }

    /// Describes a field that is made of something else. `unmake` is called when an envelope is written
    /// from which the field would be made otherwise.
    pub(crate) const fn made(ours: &'static str, make: Make, unmake: Unmake) -> Self {
        Self::new(ours, Place::Made(make, unmake), JsonType::Json)
    }

    const fn new(ours: &'static str, place: Place, json_type: JsonType) -> Self {
        Self { ours, place, json_type, is_required: false, fallback: None }
    }

    /// Refuses envelopes without the field.
    pub(crate) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Sets a text that the field has if the envelope does not say it.
    pub(crate) const fn or(mut self, text: &'static str) -> Self {
        self.fallback = Some(text);
        self
    }

    /// Tells whether the field can have come from its place: something else that is there, or in the way
    /// to it, had been left there.
    fn has_room(&self, native: &Map<String, Value>, place: &str, value: &Value) -> bool {
        match pointer::obstacle(native, place) {
            None => true,
            Some(pointer::Obstacle::OnTheWay) => false,
            Some(pointer::Obstacle::There(other)) => {
                self.json_type.admits(other) && !self.falls_back(value)
            }
        }
    }

    /// Tells whether a value is the one that the field has without being said.
    fn falls_back(&self, value: &Value) -> bool {
        self.fallback.is_some() && value.as_str() == self.fallback
    }

    /// The key at which it is expected, for messages.
    fn place_name(&self) -> &'static str {
        match self.place {
            Place::At(place) => place.trim_start_matches('/'),
            Place::Made(..) => self.ours,
        }
    }
}

/// Returns why a session begins. An agent that says something else, or nothing, begins a new one.
fn session_source(native: &Map<String, Value>) -> Option<Value> {
    let said = native.get("source").and_then(Value::as_str);
    Some(said.and_then(SessionSource::from_name).unwrap_or(SessionSource::Startup).name().into())
}

fn set_source(native: &mut Map<String, Value>, source: &Value) {
    native.insert("source".to_owned(), source.clone());
}

fn named(native: &Map<String, Value>) -> Option<&str> {
    native.get(EVENT)?.as_str()
}

/// Leaves an envelope as it is: for a field that an agent has no place for.
pub(crate) fn keep(_: &mut Map<String, Value>, _: &Value) {}

/// Where the fields are in the envelopes of one agent, or of one form of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    /// The key in which an envelope names its event, if it does.
    pub(crate) event_key: &'static str,
    /// The fields that are the same at all events.
    pub(crate) header: &'static [Field],
    /// The fields of an event, by its name and by the name of ours.
    pub(crate) fields: fn(&str, &str) -> &'static [Field],
    /// The name of our event for an envelope of an event.
    pub(crate) ours: fn(&'static HostEvent, &Map<String, Value>) -> &'static str,
    /// Facts about the session that belong to no event: they go to `host` at events `x.*`, too, whose
    /// payload is everything else.
    pub(crate) facts: &'static [&'static str],
}

/// Fields that many agents have under the same name.
pub(crate) const SESSION_ID: Field = Field::same("session_id", JsonType::Text);
pub(crate) const CWD: Field = Field::same("cwd", JsonType::Text);
pub(crate) const AGENT_ID: Field = Field::same("agent_id", JsonType::Text);
pub(crate) const AGENT_TYPE: Field = Field::same("agent_type", JsonType::Text);
pub(crate) const TOOL_NAME: Field = Field::same("tool_name", JsonType::Text).required();
pub(crate) const TOOL_INPUT: Field = Field::same("tool_input", JsonType::Json).required();
pub(crate) const TOOL_USE_ID: Field = Field::same("tool_use_id", JsonType::Text);
pub(crate) const TOOL_RESPONSE: Field = Field::same("tool_response", JsonType::Json).required();
pub(crate) const ERROR: Field = Field::same("error", JsonType::Text).required();
pub(crate) const DURATION_MS: Field = Field::same("duration_ms", JsonType::Count);
pub(crate) const PROMPT: Field = Field::same("prompt", JsonType::Text).required();
pub(crate) const SOURCE: Field = Field::made("source", session_source, set_source);
pub(crate) const REASON: Field = Field::same("reason", JsonType::Text).or("other");
pub(crate) const TRIGGER: Field = Field::same("trigger", JsonType::Text).or("auto");
pub(crate) const MESSAGE: Field = Field::same("message", JsonType::Text).or("");
pub(crate) const TITLE: Field = Field::same("title", JsonType::Text);
pub(crate) const NOTIFICATION_TYPE: Field = Field::same("notification_type", JsonType::Text);
pub(crate) const STOP_HOOK_ACTIVE: Field = Field::same("stop_hook_active", JsonType::Flag);
pub(crate) const LAST_MESSAGE: Field = Field::same("last_assistant_message", JsonType::Text);

/// Makes the input of a script of an envelope that is complete, without variables.
pub(crate) fn bare(
    event: &HostEvent,
    _: &Map<String, Value>,
    native: Map<String, Value>,
) -> ScriptInput {
    ScriptInput::new(event.name, Value::Object(native))
}

/// Returns the event of ours that the table of events names.
pub(crate) fn by_table(event: &'static HostEvent, _: &Map<String, Value>) -> &'static str {
    event.ours
}

impl Places {
    /// Finds the event of an envelope. What the envelope says goes first, then what the command line says.
    ///
    /// # Errors
    /// If nobody names it, or the agent has no such event.
    pub(crate) fn event(
        &self,
        dialect: &dyn Dialect,
        given: Option<&str>,
        native: &Map<String, Value>,
    ) -> Result<&'static HostEvent, DialectError> {
        let named = native.get(self.event_key).and_then(Value::as_str);
        let name = named.or(given).ok_or(DialectError::NoEvent { field: self.event_key })?;
        dialect.event(name).ok_or_else(|| DialectError::UnknownEvent {
            agent: dialect.title(),
            name: name.to_owned(),
        })
    }

    /// Reads an envelope of an event.
    ///
    /// # Errors
    /// If a field is missing without which the step is none.
    pub(crate) fn read(
        &self,
        event: &'static HostEvent,
        native: Map<String, Value>,
    ) -> Result<HostStep, DialectError> {
        let ours = (self.ours)(event, &native);
        let mut host = native.clone();
        let mut envelope = Map::new();
        for field in self.header.iter().chain((self.fields)(event.name, ours)) {
            // Of several places for one field the first counts.
            if envelope.contains_key(field.ours) {
                continue;
            }
            let value = match field.place {
                Place::At(place) => match pointer::get(&host, place) {
                    Some(value) if field.json_type.admits(value) => pointer::take(&mut host, place),
                    _ => None,
                },
                Place::Made(make, _) => make(&native),
            };
            if let Some(value) = value.or_else(|| field.fallback.map(Value::from)) {
                envelope.insert(field.ours.to_owned(), value);
            } else if field.is_required {
                return Err(DialectError::Field {
                    event: event.name.to_owned(),
                    field: field.place_name().to_owned(),
                    expected: field.json_type.description(),
                });
            }
        }
        if is_custom_name(ours) {
            let (payload, facts) = host.into_iter().partition(|(key, _)| self.is_payload(key));
            envelope.extend::<Map<String, Value>>(payload);
            host = facts;
        }
        if named(&native) != Some(event.name) {
            host.entry(NATIVE_EVENT).or_insert_with(|| event.name.into());
        }
        envelope.insert(EVENT.to_owned(), ours.into());
        envelope.insert("host".to_owned(), Value::Object(host));
        Ok(HostStep::new(event, envelope, native))
    }

    /// Finds the event of an envelope, and reads it.
    ///
    /// # Errors
    /// See [`Self::event`] and [`Self::read`].
    pub(crate) fn step(
        &self,
        dialect: &dyn Dialect,
        given: Option<&str>,
        native: Map<String, Value>,
    ) -> Result<HostStep, DialectError> {
        self.read(self.event(dialect, given, &native)?, native)
    }

    /// Returns the name of our event for what a script got; empty if that was no object.
    pub(crate) fn ours_of(&self, event: &'static HostEvent, input: &ScriptInput) -> &'static str {
        input.envelope.as_object().map_or("", |native| (self.ours)(event, native))
    }

    /// Finds the event that an envelope of ours is written as: the one that it was read from, else the
    /// first that is the same one.
    ///
    /// # Errors
    /// [`DialectError::NoCounterpart`].
    pub(crate) fn event_of(
        dialect: &dyn Dialect,
        envelope: &Map<String, Value>,
    ) -> Result<&'static HostEvent, DialectError> {
        let ours = envelope.get(EVENT).and_then(Value::as_str).unwrap_or_default();
        // An agent without an event for failures has one for all results.
        let is_ours = |event: &&HostEvent| event.ours == ours;
        let is_result = |event: &&HostEvent| ours == FAILURE && event.ours == RESULT;
        let events = dialect.events();
        Self::named_event(dialect, envelope)
            .filter(|event| is_ours(event) || is_result(event))
            .or_else(|| events.iter().find(is_ours))
            .or_else(|| events.iter().find(is_result))
            .ok_or_else(|| DialectError::NoCounterpart {
                agent: dialect.title(),
                event: ours.to_owned(),
            })
    }

    /// Returns the event that an envelope of ours says it was read from.
    pub(crate) fn named_event(
        dialect: &dyn Dialect,
        envelope: &Map<String, Value>,
    ) -> Option<&'static HostEvent> {
        let host = envelope.get("host").and_then(Value::as_object);
        let marked = host.and_then(|host| host.get(NATIVE_EVENT)?.as_str());
        marked.or_else(|| named(host?)).and_then(|name| dialect.event(name))
    }

    /// Writes an envelope of ours as one of an event of the agent. The facts of the host come from the
    /// agent, or are told as if they did.
    pub(crate) fn write(
        &self,
        event: &HostEvent,
        envelope: &Map<String, Value>,
    ) -> Map<String, Value> {
        let ours = envelope.get(EVENT).and_then(Value::as_str).unwrap_or_default();
        let host = envelope.get("host").and_then(Value::as_object);
        let mut native = host.cloned().unwrap_or_default();
        let marked = native.remove(NATIVE_EVENT);
        if is_custom_name(ours) {
            let payload = envelope.iter().filter(|(key, _)| self.is_payload(key));
            native.extend(payload.map(|(key, value)| (key.clone(), value.clone())));
        }
        // What the agent itself had said about its event stays.
        if marked.as_ref().and_then(Value::as_str) != Some(event.name) {
            native.remove(EVENT);
            native.insert(self.event_key.to_owned(), event.name.into());
        }
        let fields = self.header.iter().chain((self.fields)(event.name, ours));
        let fields: Vec<_> =
            fields.filter_map(|field| Some((field, envelope.get(field.ours)?))).collect();
        // The other way round than they were taken out: a field may be a part of an earlier one.
        for (field, value) in fields.iter().rev() {
            if let Place::At(place) = field.place
                && field.has_room(&native, place, value)
            {
                pointer::put(&mut native, place, (*value).clone());
            }
        }
        for (field, value) in fields {
            if let Place::Made(make, unmake) = field.place
                && make(&native).as_ref() != Some(value)
                && !(field.falls_back(value) && make(&native).is_none())
            {
                unmake(&mut native, value);
            }
        }
        native
    }

    /// Writes an envelope of ours as the agent would send it to a script. `complete` adds what is not in the
    /// places: it gets the event, our envelope, and that of the agent.
    ///
    /// # Errors
    /// [`DialectError::NoCounterpart`].
    pub(crate) fn input(
        &self,
        dialect: &dyn Dialect,
        envelope: &Map<String, Value>,
        complete: CompleteFn,
    ) -> Result<ScriptInput, DialectError> {
        let event = Self::event_of(dialect, envelope)?;
        Ok(complete(event, envelope, self.write(event, envelope)))
    }

    /// Tells whether a key of an event `x.*` is a part of its payload.
    fn is_payload(&self, key: &str) -> bool {
        !HEADER_FIELDS.contains(&key) && !self.facts.contains(&key)
    }
}

/// Completes what a script of an agent gets, for an event: from our envelope, and from that of the agent as far
/// as the places say it.
pub(crate) type CompleteFn = fn(&HostEvent, &Map<String, Value>, Map<String, Value>) -> ScriptInput;
