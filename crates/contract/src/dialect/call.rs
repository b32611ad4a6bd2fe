//! One call of a program or service that was written for an agent.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Dialect, DialectError, HostTool, ScriptInput, ScriptOutput};
use crate::event::Event;
use crate::failure::{Failure, FailureClass};
use crate::handler::{Invocation, Reply};
use crate::patch_field;

/// The agent that a program or service was written for.
///
/// ```toml
/// command = { argv = ["./guard.py"], dialect = "claude" }
/// ```
#[derive(Debug, Clone)]
pub struct ScriptAgent {
    dialect: Arc<dyn Dialect>,
    /// The agents whose tools are known.
    known: Arc<[Arc<dyn Dialect>]>,
    /// The event that the script was written for, if the agent has several for one of ours.
    event: Option<&'static str>,
}

impl ScriptAgent {
    /// Names the agent. A call of a tool that one of the `known` agents has under another name is told
    /// as the agent of the script would make it.
    #[must_use]
    pub fn new(dialect: Arc<dyn Dialect>, known: &[Arc<dyn Dialect>]) -> Self {
        Self { dialect, known: known.into(), event: None }
    }

    /// Names the event of the agent that the script was written for. Without it a step is told as it came,
    /// or as the first event of the agent that is the same one.
    #[must_use]
    pub fn at_event(mut self, event: Option<&'static str>) -> Self {
        self.event = event;
        self
    }

    /// Tells whether the script is asked once about a step: see [`Dialect::asks_once`].
    #[must_use]
    pub fn asks_once(&self) -> bool {
        self.dialect.asks_once()
    }

    /// Says at which of a hook's events plain text that the script prints is taken, and what becomes of it; `None` if
    /// the agent takes it nowhere, or says nothing of it.
    #[must_use]
    pub fn plain_text(&self, events: &[Event]) -> Option<String> {
        let all = self.dialect.events();
        if all.iter().all(|event| event.plain_text.is_empty()) {
            return None;
        }
        let told_as = |ours: &Event| {
            let named = self.event.and_then(|name| self.dialect.event(name));
            let named = named.filter(|event| event.ours == ours.name());
            named.or_else(|| all.iter().find(|event| event.ours == ours.name()))
        };
        let clause = |ours: &Event| match told_as(ours).map(|event| event.plain_text) {
            Some(text) if !text.is_empty() => format!("{text} at {ours}"),
            _ => format!("nothing at {ours}"),
        };
        let clauses: Vec<String> = events.iter().map(clause).collect();
        (!clauses.is_empty()).then(|| format!("plain text that it prints: {}", clauses.join("; ")))
    }

    /// Writes the step of an invocation as the agent would send it.
    ///
    /// # Errors
    /// Of class `malformed` if the agent has no such event, and as [`Invocation::json`].
    pub fn call(&self, invocation: &Invocation<'_>) -> Result<ScriptCall<'_>, Failure> {
        let malformed = |detail: String| Failure::new(FailureClass::Malformed, detail);
        // What is too large for one form is so for the other.
        invocation.envelope.bytes()?;
        let Some(envelope) = invocation.json()?.as_object() else {
            return Err(malformed("the step is no JSON object".to_owned()));
        };
        let written = self.written(envelope).map_err(|error| malformed(error.to_string()));
        let (input, renamed) = written?;
        Ok(ScriptCall { dialect: &*self.dialect, input, renamed })
    }

    /// Writes an envelope of ours as the agent would send it, with its own name for a tool that other agents have, too.
    ///
    /// # Errors
    /// As [`Dialect::write`].
    pub fn input(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        self.written(envelope).map(|(input, _)| input)
    }

    fn written(
        &self,
        envelope: &Map<String, Value>,
    ) -> Result<(ScriptInput, Option<Renamed>), DialectError> {
        let envelope = self.as_at_event(envelope);
        let mut input = self.dialect.write(&envelope)?;
        let renamed = self.renamed(&input.event, &envelope);
        if let Some(renamed) = renamed {
            input = self.dialect.write(&renamed.told(&envelope))?;
        }
        Ok((input, renamed))
    }

    /// Returns the step as one that came at the event of the script. What the host has told about another
    /// event, or another agent, is left out: it may be in another form.
    fn as_at_event<'e>(&self, envelope: &'e Map<String, Value>) -> Cow<'e, Map<String, Value>> {
        let Some(event) = self.event else { return Cow::Borrowed(envelope) };
        let named = |key: &str| envelope.get(HOST)?.get(key)?.as_str();
        if named(NATIVE_EVENT).or_else(|| named(EVENT)) == Some(event) {
            return Cow::Borrowed(envelope);
        }
        let mut told = envelope.clone();
        told.insert(HOST.to_owned(), json!({ EVENT: event }));
        Cow::Owned(told)
    }

    /// Finds the tool of a step and the one by which the agent of the script does the same. Several
    /// agents have a tool of one name; the arguments tell whose it is.
    fn renamed(&self, event: &str, envelope: &Map<String, Value>) -> Option<Renamed> {
        let name = envelope.get(TOOL_NAME)?.as_str()?;
        let input = envelope.get(patch_field::TOOL_INPUT)?.as_object()?;
        let tools =
            || self.dialect.tools().iter().filter(|tool| self.dialect.calls_tool(event, tool.name));
        let fitting = |tool: &&HostTool| tool.arguments_in(input);
        let own = tools().filter(|tool| tool.name == name).max_by_key(fitting);
        let others = self.known.iter().flat_map(|dialect| dialect.tools());
        let others: Vec<_> = others.filter(|tool| tool.name == name).collect();
        // Of several with as many arguments `max_by_key` returns the last one.
        let here = others.into_iter().rev().max_by_key(fitting)?;
        if own.is_some_and(|own| own.arguments_in(input) >= here.arguments_in(input)) {
            return None;
        }
        let of_kind = || tools().find(|tool| tool.kind == here.kind);
        let there = own.filter(|own| own.kind == here.kind).or_else(of_kind)?;
        Some(Renamed { here: *here, there: *there })
    }
}

/// The facts of the host in a step.
const HOST: &str = "host";

/// The keys under `host` that name the event of the agent: as its envelope does, or if that does not.
const EVENT: &str = "hook_event_name";
const NATIVE_EVENT: &str = "native_event";

/// The field of a step that names its tool.
const TOOL_NAME: &str = "tool_name";

/// A tool that the script knows under another name.
#[derive(Debug, Clone, Copy)]
struct Renamed {
    here: HostTool,
    there: HostTool,
}

impl Renamed {
    /// Tells a call as the agent of the script would make it.
    fn told(&self, envelope: &Map<String, Value>) -> Map<String, Value> {
        let cwd = envelope.get("cwd").and_then(Value::as_str);
        let mut told = envelope.clone();
        if let Some(input) = told.get_mut(patch_field::TOOL_INPUT) {
            *input = self.here.arguments_for(&self.there, input, cwd);
        }
        told.insert(TOOL_NAME.to_owned(), self.there.name.into());
        told
    }
}

/// One call of a script: the step in the form of its agent, and the way back.
#[derive(Debug, Clone)]
pub struct ScriptCall<'a> {
    dialect: &'a dyn Dialect,
    input: ScriptInput,
    renamed: Option<Renamed>,
}

impl ScriptCall<'_> {
    /// Returns what the script gets.
    #[must_use]
    pub const fn input(&self) -> &ScriptInput {
        &self.input
    }

    /// Returns the envelope as it goes to stdin, or into the body of a request.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.input.envelope.to_string().into_bytes()
    }

    /// Reads what the script answered.
    ///
    /// # Errors
    /// As [`Dialect::reply`].
    pub fn reply(&self, output: &ScriptOutput<'_>) -> Reply {
        let mut verdict = self.dialect.reply(&self.input, output)?;
        if let (Some(Renamed { here, there }), Some(parts)) = (self.renamed, verdict.parts_mut())
            && let Some(input) = parts.patch.get_mut(patch_field::TOOL_INPUT)
        {
            *input = there.arguments_for(&here, input, None);
        }
        Ok(verdict)
    }
}
