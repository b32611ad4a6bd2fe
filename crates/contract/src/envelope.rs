//! A step as one JSON object: what every external handler reads.
//!
//! The envelope is the header (session, turn, agent, …) and the fields of the payload, in one object.
//! It is made lazily: a handler in Rust that looks at the payload costs no JSON at all, and the bytes
//! are made at most once for all handlers that want them.
//!
//! ```
//! use hookgate_contract::StepContext;
//! use hookgate_contract::{Envelope, StepId};
//! use hookgate_contract::payload::SessionEnd;
//!
//! let (payload, context) = (SessionEnd::new("done"), StepContext::new("session-1").turn(4));
//! let id = StepId::new(Some("step-1"), String::new);
//! let envelope = Envelope::new(&payload, &context, &id, 7, 1 << 20);
//! assert_eq!(
//!     String::from_utf8_lossy(envelope.bytes()?),
//!     r#"{"protocol":1,"hook_event_name":"session_end","step_id":"step-1","session_id":"session-1","turn":4,"generation":7,"reason":"done"}"#,
//! );
//! # Ok::<(), hookgate_contract::Failure>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::json;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::context::StepContext;
use crate::decision::VerdictDecision;
use crate::derived::Derived;
use crate::failure::{Failure, FailureClass};
use crate::payload::AnyPayload;
use crate::resource::Places;
use crate::verdict::ReasonCode;

mod header;

pub use header::HEADER_FIELDS;
use header::Header;

/// The version of the envelope and verdict formats.
pub const PROTOCOL: u32 = 1;

/// How many bytes most envelopes have: room for so many is made at once.
const USUAL_BYTES: usize = 512;

/// Room for as many fields as most envelopes have.
const USUAL_FIELDS: usize = 16;

/// The name of a step: the one that the host gave, or one that is generated when it is first needed.
#[derive(Debug)]
pub struct StepId<'a> {
    given: Option<&'a str>,
    generated: OnceLock<String>,
    make: fn() -> String,
}

impl<'a> StepId<'a> {
    /// Makes a name that `make` generates on demand, unless it was given.
    #[must_use]
    pub const fn new(given: Option<&'a str>, make: fn() -> String) -> Self {
        Self { given, generated: OnceLock::new(), make }
    }

    /// Returns the name, and generates it if it must.
    #[must_use]
    pub fn get(&self) -> &str {
        self.given.unwrap_or_else(|| self.generated.get_or_init(self.make))
    }

    /// Returns the name if it was generated.
    #[must_use]
    pub fn into_generated(self) -> Option<String> {
        self.generated.into_inner()
    }

    /// Returns the name if it was given or generated.
    #[must_use]
    pub fn into_known(self) -> Option<String> {
        self.given.map(str::to_owned).or_else(|| self.generated.into_inner())
    }
}

/// The decision, as observers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Observed<'a> {
    /// What came out: allow, ask, deny, halt or answered.
    pub outcome: &'a str,
    /// The hooks that voted for it.
    pub by: Vec<&'a str>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// The fields that were patched.
    pub patched: &'a [Cow<'static, str>],
    /// The class of the reason. Only handlers in this process see it.
    #[serde(skip)]
    pub reason_code: Option<ReasonCode>,
}

impl<'a> Observed<'a> {
    /// Describes a decision.
    #[must_use]
    pub const fn new(
        outcome: &'a str,
        by: Vec<&'a str>,
        reason: Option<&'a str>,
        patched: &'a [Cow<'static, str>],
    ) -> Self {
        Self { outcome, by, reason, patched, reason_code: None }
    }

    /// Adds the class of the reason.
    #[must_use]
    pub const fn reason_code(mut self, code: Option<ReasonCode>) -> Self {
        self.reason_code = code;
        self
    }
}

/// One version of a step, which all hooks share. It is serialised when a handler first needs that.
pub struct Envelope<'a> {
    payload: &'a dyn AnyPayload,
    context: &'a StepContext<'a>,
    step_id: &'a StepId<'a>,
    generation: u64,
    limit: usize,
    rejudge: bool,
    decision: Option<&'a Observed<'a>>,
    bytes: OnceLock<Result<Arc<Vec<u8>>, Failure>>,
    value: OnceLock<Result<Value, Failure>>,
    /// What hooks have computed of this version of the step; nothing is made before one does.
    derived: OnceLock<Derived>,
    /// What is to be told of calls that their answers do not say.
    notes: Mutex<Vec<(String, CallNote)>>,
}

/// What is to be told of a call of a hook, and is not in its answer.
enum CallNote {
    /// What was read from its unfinished answer, when it was given up.
    Salvaged(VerdictDecision),
    /// An attempt has failed, and another one has followed.
    FailedAttempt(FailureClass),
    /// How long it has waited for a place.
    Waited(Duration),
    /// It was given up while it waited for a place, and why there was none.
    Overloaded(String),
    /// The bounds of the engine, for all hooks that take a place.
    Places(Arc<Places>),
}

impl<'a> Envelope<'a> {
    /// Makes the envelope of a step under the table of a generation. An envelope of more than `limit`
    /// bytes is not handed out.
    #[must_use]
    pub const fn new(
        payload: &'a dyn AnyPayload,
        context: &'a StepContext<'a>,
        step_id: &'a StepId<'a>,
        generation: u64,
        limit: usize,
    ) -> Self {
        Self {
            payload,
            context,
            step_id,
            generation,
            limit,
            rejudge: false,
            decision: None,
            bytes: OnceLock::new(),
            value: OnceLock::new(),
            derived: OnceLock::new(),
            notes: Mutex::new(Vec::new()),
        }
    }

    /// Marks the envelope as that of the final round: the step was rewritten and is evaluated again.
    #[must_use]
    pub const fn rejudge(mut self) -> Self {
        self.rejudge = true;
        self
    }

    /// Returns the decision; only observers see one.
    #[must_use]
    pub const fn decision(&self) -> Option<&'a Observed<'a>> {
        self.decision
    }

    /// Adds the decision, for observers.
    #[must_use]
    pub const fn decided(mut self, decision: &'a Observed<'a>) -> Self {
        self.decision = Some(decision);
        self
    }

    /// Returns the payload, for handlers that need no JSON.
    #[must_use]
    pub const fn payload(&self) -> &'a dyn AnyPayload {
        self.payload
    }

    /// Returns the facts of the session.
    #[must_use]
    pub const fn context(&self) -> &'a StepContext<'a> {
        self.context
    }

    /// Returns the name of the step.
    #[must_use]
    pub fn step_id(&self) -> &str {
        self.step_id.get()
    }

    /// Returns the generation of the table that evaluates the step.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns how many bytes the envelope may have.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Returns a value that is computed of this version of the step: the first hook that asks for a
    /// value of this type has it made, and all others share it. It must depend on nothing but the
    /// payload and the context, and making it must not ask for the same type again.
    ///
    /// ```
    /// use hookgate_contract::{Envelope, StepContext, StepId, payload::ToolCall};
    ///
    /// struct Words(usize);
    ///
    /// let call = ToolCall::new("Bash", serde_json::json!({"command": "git push --force"}));
    /// let (context, id) = (StepContext::new("session-1"), StepId::new(Some("step-1"), String::new));
    /// let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
    /// let count = || {
    ///     let tool = envelope.payload().tool();
    ///     let command = tool.and_then(|tool| tool.tool_input["command"].as_str());
    ///     Words(command.unwrap_or_default().split(' ').count())
    /// };
    /// assert_eq!(envelope.derived(count).0, 3);
    /// assert_eq!(envelope.derived(|| Words(0)).0, 3, "it is made once");
    /// ```
    pub fn derived<T: Send + Sync + 'static>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.derived_values().get(make)
    }

    /// Returns what was derived of this version of the step so far, to share it with an envelope of
    /// the same version on another thread.
    pub fn derived_values(&self) -> &Derived {
        self.derived.get_or_init(Derived::default)
    }

    /// Takes what was derived of this version of the step; `None` if nothing was.
    #[inline]
    pub fn take_derived(&mut self) -> Option<Derived> {
        self.derived.take()
    }

    /// Shares what was derived of the same version of the step by another envelope.
    #[must_use]
    pub fn sharing(mut self, derived: Derived) -> Self {
        self.derived = OnceLock::from(derived);
        self
    }

    pub(crate) fn keep_salvaged(&self, hook: &str, decision: Option<VerdictDecision>) {
        let Some(decision) = decision else { return };
        self.notes().push((hook.to_owned(), CallNote::Salvaged(decision)));
    }

    pub(crate) fn take_salvaged(&self, hook: &str) -> Option<VerdictDecision> {
        let decision = |note: &CallNote| match note {
            CallNote::Salvaged(decision) => Some(*decision),
            _ => None,
        };
        self.take_notes(hook, decision).into_iter().max()
    }

    pub(crate) fn note_failed_attempt(&self, hook: &str, class: FailureClass) {
        self.notes().push((hook.to_owned(), CallNote::FailedAttempt(class)));
    }

    /// Takes how the attempts of a hook have failed that were followed by another one, in their order.
    #[must_use]
    pub fn take_failed_attempts(&self, hook: &str) -> Vec<FailureClass> {
        self.take_notes(hook, |note| match note {
            CallNote::FailedAttempt(class) => Some(*class),
            _ => None,
        })
    }

    pub(crate) fn note_waited(&self, hook: &str, waited: Duration) {
        self.notes().push((hook.to_owned(), CallNote::Waited(waited)));
    }

    /// Takes how long the calls of a hook have waited for places.
    #[must_use]
    pub fn take_waited(&self, hook: &str) -> Duration {
        let waited = |note: &CallNote| match note {
            CallNote::Waited(waited) => Some(*waited),
            _ => None,
        };
        self.take_notes(hook, waited).into_iter().sum()
    }

    pub(crate) fn note_overload(&self, hook: &str, why: String) {
        self.notes().push((hook.to_owned(), CallNote::Overloaded(why)));
    }

    pub(crate) fn take_overload(&self, hook: &str) -> Option<String> {
        let overload = |note: &CallNote| match note {
            CallNote::Overloaded(why) => Some(why.clone()),
            _ => None,
        };
        self.take_notes(hook, overload).pop()
    }

    /// Sets the bounds within which handlers [take places](crate::Invocation::place). For the engine only.
    #[doc(hidden)]
    pub fn set_places(&self, places: &Arc<Places>) {
        let mut notes = self.notes();
        if !notes.iter().any(|(_, note)| matches!(note, CallNote::Places(_))) {
            notes.push((String::new(), CallNote::Places(Arc::clone(places))));
        }
    }

    pub(crate) fn places(&self) -> Option<Arc<Places>> {
        self.notes().iter().find_map(|(_, note)| match note {
            CallNote::Places(places) => Some(Arc::clone(places)),
            _ => None,
        })
    }

    /// Takes the notes of one kind about a hook, in their order.
    fn take_notes<T>(&self, hook: &str, of_kind: impl Fn(&CallNote) -> Option<T>) -> Vec<T> {
        let mut notes = self.notes();
        let is_meant = |(of, note): &mut (String, CallNote)| of == hook && of_kind(note).is_some();
        let taken: Vec<_> = notes.extract_if(.., is_meant).collect();
        drop(notes);
        taken.iter().filter_map(|(_, note)| of_kind(note)).collect()
    }

    fn notes(&self) -> MutexGuard<'_, Vec<(String, CallNote)>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether the step is evaluated again after a rewrite.
    #[must_use]
    pub const fn is_rejudge(&self) -> bool {
        self.rejudge
    }

    /// Returns the envelope as bytes, which are made at most once.
    ///
    /// # Errors
    /// [`FailureClass::Oversize`] if it is larger than the limit of the table, and
    /// [`FailureClass::Malformed`] if the payload cannot be serialised as an object.
    pub fn bytes(&self) -> Result<&Arc<Vec<u8>>, Failure> {
        self.bytes.get_or_init(|| self.serialise().map(Arc::new)).as_ref().map_err(Clone::clone)
    }

    /// Returns the envelope as a value, which is made at most once.
    ///
    /// # Errors
    /// As [`Envelope::bytes`], except that the size is not limited: nothing leaves the process.
    pub fn value(&self) -> Result<&Value, Failure> {
        self.value.get_or_init(|| self.assemble()).as_ref().map_err(Clone::clone)
    }

    fn header(&self) -> Header<'_> {
        Header {
            protocol: PROTOCOL,
            hook_event_name: self.payload.event_name(),
            step_id: self.step_id.get(),
            session_id: self.context.session_id,
            turn: self.context.turn,
            cwd: self.context.cwd,
            agent_id: self.context.agent_id,
            agent_type: self.context.agent_type,
            generation: self.generation,
            rejudge: self.rejudge,
            host: self.context.host,
            decision: self.decision,
        }
    }

    fn serialise(&self) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::with_capacity(USUAL_BYTES);
        json::write(&mut out, &self.header()).map_err(unserialisable)?;
        let is_object = if self.payload.is_built_in() {
            json::add_fields(&mut out, |out| self.payload.write_json(out))
        } else {
            // The text that is checked is the one that hooks get.
            let mut text = Vec::new();
            self.payload.write_json(&mut text).map_err(unserialisable)?;
            let read = json::parse_with(&text, json::Integers::Exact).map_err(unserialisable)?;
            self.own_fields(read)?;
            json::add_fields(&mut out, |out| {
                out.append(&mut text);
                Ok(())
            })
        };
        if !is_object.map_err(unserialisable)? {
            return Err(self.not_an_object("no object"));
        }
        if out.len() > self.limit {
            return Err(Failure::new(
                FailureClass::Oversize,
                format!(
                    "the envelope has {} bytes, {} are allowed: raise limits.payload",
                    out.len(),
                    self.limit
                ),
            ));
        }
        Ok(out)
    }

    fn assemble(&self) -> Result<Value, Failure> {
        // A list first: to make a map of all fields at once costs half of what inserting each does.
        let mut fields = Vec::with_capacity(USUAL_FIELDS);
        self.header().add_to(&mut fields).map_err(unserialisable)?;
        if !self.payload.is_built_in() {
            fields.extend(self.own_fields(self.payload.to_value().map_err(unserialisable)?)?);
        } else if !self.payload.add_to(&mut fields).map_err(unserialisable)? {
            return Err(self.not_an_object("no object"));
        }
        Ok(Value::Object(fields.into_iter().collect()))
    }

    /// Returns the fields of the payload of an embedder, which must not be named as those of the envelope are.
    fn own_fields(&self, payload: Value) -> Result<Map<String, Value>, Failure> {
        let own = match payload {
            Value::Object(own) => own,
            other => return Err(self.not_an_object(json::type_name(&other))),
        };
        match HEADER_FIELDS.into_iter().find(|name| own.contains_key(*name)) {
            None => Ok(own),
            Some(name) => {
                let event = self.payload.event_name();
                let problem = format!(
                    "the payload of `{event}` has the field `{name}`, which every envelope has: give it another name"
                );
                Err(Failure::new(FailureClass::Malformed, problem).shown())
            }
        }
    }

    /// The failure of every hook that reads a payload without fields.
    #[cold]
    fn not_an_object(&self, is: &str) -> Failure {
        let event = self.payload.event_name();
        let problem = format!(
            "the payload of `{event}` is {is}, not a JSON object: serialise a struct with named fields"
        );
        Failure::new(FailureClass::Malformed, problem).shown()
    }
}

impl fmt::Debug for Envelope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Envelope")
            .field("event", &self.payload.event_name())
            .field("context", &self.context)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

fn unserialisable(error: serde_json::Error) -> Failure {
    Failure::new(FailureClass::Malformed, format!("the step cannot be serialised: {error}")).shown()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{PostToolUse, Provenance, Safety, Stop, ToolCall};

    fn check(payload: &dyn AnyPayload) {
        let context = StepContext::new("s").turn(2).cwd("/tmp");
        let id = StepId::new(Some("step-1"), String::new);
        let envelope = Envelope::new(payload, &context, &id, 7, 1000);
        let bytes = envelope.bytes().unwrap();
        let parsed: Value = serde_json::from_slice(bytes).unwrap();
        assert_eq!(&parsed, envelope.value().unwrap(), "{}", String::from_utf8_lossy(bytes));
        assert_eq!(parsed["generation"], 7);
    }

    #[test]
    fn bytes_and_value_are_the_same_object() {
        let call = ToolCall::new("Bash", serde_json::json!({"command": "ls"}));
        check(&call);
        let call = call.tool_use_id("toolu_1").tool_category("shell").safety(Safety::Mutating);
        check(&call);
        check(&call.clone().provenance(Provenance::new("mcp").source_id("files")));
        check(&Stop::default());
        check(&PostToolUse::new(call, "out"));
    }

    #[test]
    fn a_large_envelope_is_oversize() {
        let call = ToolCall::new("Bash", Value::String("x".repeat(2000)));
        let (context, id) = (StepContext::new("s"), StepId::new(None, || "made".into()));
        let envelope = Envelope::new(&call, &context, &id, 1, 1000);
        assert_eq!(envelope.bytes().unwrap_err().class, FailureClass::Oversize);
        assert_eq!(envelope.value().unwrap()["step_id"], "made");
    }
}
