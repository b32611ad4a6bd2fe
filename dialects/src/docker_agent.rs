//! docker agent, formerly cagent.
//!
//! Its hooks are programs that read one object with mostly the names of our fields and answer with one
//! object, or block by the exit status 2. A failed hook lets the step pass, but before a tool runs
//! (`pre_tool_use`, `tool_guard`).

mod answer;
mod envelope;
mod events;
mod script;

use hookgate_contract::Reply;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEvent, HostStep, HostTool, ScriptInput,
    ScriptOutput,
};
use serde_json::{Map, Value};

use crate::tools;

/// The form in which docker agent talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct DockerAgent;

/// Its name for people.
const TITLE: &str = "docker agent";

/// The event at which a result can be replaced, and so be hidden.
const TRANSFORM: &str = "tool_response_transform";

impl Dialect for DockerAgent {
    fn name(&self) -> &'static str {
        "docker-agent"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::DOCKER_AGENT
    }

    fn read(
        &self,
        event: Option<&str>,
        envelope: Map<String, Value>,
    ) -> Result<HostStep, DialectError> {
        envelope::read(self, event, envelope)
    }

    fn answer(&self, step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
        answer::answer(step, decision)
    }

    fn refuse(&self, event: Option<&str>, reason: &str) -> HostAnswer {
        answer::refuse(event.and_then(|name| self.event(name)), reason)
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        envelope::write(self, envelope)
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        script::reply(self.event(&input.event), envelope::ours_of(self, input), input, output)
    }
}
