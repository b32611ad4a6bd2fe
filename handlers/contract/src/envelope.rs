//! A step as one JSON object: what every external handler reads.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::context::StepContext;
use crate::failure::{Failure, FailureClass};
use crate::payload::AnyPayload;
use crate::verdict::VerdictDecision;

mod incoming;

pub use incoming::{Header, Incoming, IncomingError, ReadPayload, Unregistered};

/// The version of the envelope and verdict formats.
pub const PROTOCOL: u32 = 1;

/// The name of a step: that which the host gave, or one that is made when it is first needed.
pub struct StepId<'a> {
    given: Option<&'a str>,
    made: OnceLock<String>,
    make: fn() -> String,
}

impl<'a> StepId<'a> {
    /// A name that `make` makes, unless it was given.
    #[must_use]
    pub const fn new(given: Option<&'a str>, make: fn() -> String) -> Self {
        Self { given, made: OnceLock::new(), make }
    }

    /// The name.
    #[must_use]
    pub fn get(&self) -> &str {
        self.given.unwrap_or_else(|| self.made.get_or_init(self.make))
    }

    /// The name that was made, if anybody has asked for one.
    #[must_use]
    pub fn into_made(self) -> Option<String> {
        self.made.into_inner()
    }

    /// The name as far as there is one: that which was given, or that which was made.
    #[must_use]
    pub fn into_known(self) -> Option<String> {
        self.given.map(str::to_owned).or_else(|| self.made.into_inner())
    }
}

/// The decision, as observers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
}

/// The part of the envelope that is the same for all events.
#[derive(Serialize)]
struct HeaderOut<'a> {
    protocol: u32,
    hook_event_name: &'a str,
    step_id: &'a str,
    session_id: &'a str,
    turn: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a str>,
    generation: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rejudge: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'a Observed<'a>>,
}

/// One version of a step, serialised when a handler first asks for it and shared by all that do.
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
    /// What stood in the unfinished answers of hooks for which nobody waits any longer.
    left: Mutex<Vec<(String, VerdictDecision)>>,
}

impl<'a> Envelope<'a> {
    /// The envelope of a step under the table of a generation. One of more than `limit` bytes is
    /// handed to nobody.
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
            left: Mutex::new(Vec::new()),
        }
    }

    /// Marks the envelope as that of the final round: the step was rewritten and is judged again.
    #[must_use]
    pub const fn rejudge(mut self) -> Self {
        self.rejudge = true;
        self
    }

    /// Adds the decision, for observers.
    #[must_use]
    pub const fn decided(mut self, decision: &'a Observed<'a>) -> Self {
        self.decision = Some(decision);
        self
    }

    /// The payload, for handlers that need no JSON.
    #[must_use]
    pub const fn payload(&self) -> &'a dyn AnyPayload {
        self.payload
    }

    /// The facts of the session.
    #[must_use]
    pub const fn context(&self) -> &'a StepContext<'a> {
        self.context
    }

    /// The name of the step.
    #[must_use]
    pub fn step_id(&self) -> &str {
        self.step_id.get()
    }

    /// The generation of the table that judges.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// How many bytes the envelope may have.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn leave(&self, hook: &str, word: Option<VerdictDecision>) {
        let Some(word) = word else { return };
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.push((hook.to_owned(), word));
    }

    pub(crate) fn left(&self, hook: &str) -> Option<VerdictDecision> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let word = left.iter().filter(|(of, _)| of == hook).map(|(_, word)| *word).max();
        left.retain(|(of, _)| of != hook);
        word
    }

    /// Whether the step is judged again after a rewrite.
    #[must_use]
    pub const fn is_rejudge(&self) -> bool {
        self.rejudge
    }

    /// The envelope as bytes, serialised at most once.
    ///
    /// # Errors
    /// [`FailureClass::Oversize`] where it is larger than the limit of the table.
    pub fn bytes(&self) -> Result<&Arc<Vec<u8>>, Failure> {
        self.bytes.get_or_init(|| self.serialise().map(Arc::new)).as_ref().map_err(Clone::clone)
    }

    /// The envelope as a value, made at most once.
    ///
    /// # Errors
    /// As [`Envelope::bytes`], except that the size is not limited: nothing leaves the process.
    pub fn value(&self) -> Result<&Value, Failure> {
        self.value.get_or_init(|| self.assemble()).as_ref().map_err(Clone::clone)
    }

    fn header(&self) -> HeaderOut<'_> {
        HeaderOut {
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
        let mut out = serde_json::to_vec(&self.header()).map_err(unserialisable)?;
        // The header ends in `}` and the payload begins with `{`: one comma joins the two objects.
        out.pop();
        let joint = out.len();
        self.payload.write_json(&mut out).map_err(unserialisable)?;
        match out.get(joint..) {
            Some(b"{}") => {
                out.remove(joint);
            }
            Some([b'{', ..]) => {
                if let Some(brace) = out.get_mut(joint) {
                    *brace = b',';
                }
            }
            _ => {
                return Err(Failure::new(FailureClass::Malformed, "the payload is no JSON object"));
            }
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
        let mut value = serde_json::to_value(self.header()).map_err(unserialisable)?;
        let payload = self.payload.to_value().map_err(unserialisable)?;
        if let (Value::Object(all), Value::Object(payload)) = (&mut value, payload) {
            all.extend(payload);
        }
        Ok(value)
    }
}

fn unserialisable(error: serde_json::Error) -> Failure {
    Failure::new(FailureClass::Malformed, format!("the step cannot be serialised: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{PostToolUse, Stop, ToolCall};

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
