//! What the dialect of an agent consists of.

use std::fmt;

use hookgate_contract::Reply;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEvent, HostStep, HostTool, ScriptInput,
    ScriptOutput,
};
use serde_json::{Map, Value};

use crate::wire::reply::malformed;

/// The form in which one agent talks to its hooks: its tables, and the functions that go by them. Each of the
/// latter is a method of [`Dialect`].
#[derive(Clone, Copy)]
pub struct AgentDialect {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) events: &'static [HostEvent],
    pub(crate) tools: &'static [HostTool],
    pub(crate) calls_tool: fn(&str, &str) -> bool,
    pub(crate) read: Read,
    pub(crate) answer: fn(&HostStep, &HostDecision<'_>) -> HostAnswer,
    pub(crate) refuse: fn(Option<&HostEvent>, &str) -> HostAnswer,
    pub(crate) write: Write,
    /// Reads an answer at an event that the agent has.
    pub(crate) reply: fn(&'static HostEvent, &ScriptInput, &ScriptOutput<'_>) -> Reply,
}

type Read = fn(&AgentDialect, Option<&str>, Map<String, Value>) -> Result<HostStep, DialectError>;

type Write = fn(&AgentDialect, &Map<String, Value>) -> Result<ScriptInput, DialectError>;

/// For agents that name a tool the same at all events.
pub(crate) const fn any_tool(_: &str, _: &str) -> bool {
    true
}

impl Dialect for AgentDialect {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn events(&self) -> &'static [HostEvent] {
        self.events
    }

    fn tools(&self) -> &'static [HostTool] {
        self.tools
    }

    fn calls_tool(&self, event: &str, tool: &str) -> bool {
        (self.calls_tool)(event, tool)
    }

    fn read(
        &self,
        event: Option<&str>,
        envelope: Map<String, Value>,
    ) -> Result<HostStep, DialectError> {
        (self.read)(self, event, envelope)
    }

    fn answer(&self, step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
        (self.answer)(step, decision)
    }

    fn refuse(&self, event: Option<&str>, reason: &str) -> HostAnswer {
        (self.refuse)(event.and_then(|name| self.event(name)), reason)
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        (self.write)(self, envelope)
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        match self.event(&input.event) {
            Some(event) => (self.reply)(event, input, output),
            None => Err(malformed(format!("{} has no such event", self.title), output.stdout)),
        }
    }
}

impl fmt::Debug for AgentDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentDialect").field("name", &self.name).finish_non_exhaustive()
    }
}
