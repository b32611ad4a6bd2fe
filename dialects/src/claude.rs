//! Claude Code.
//!
//! The agent itself could not be run here, so this follows its documentation. JSON decides on every exit
//! status but 2, which blocks whatever stands beside it; a schema that is not kept is a failure that lets
//! the action pass.

mod answer;
mod envelope;
mod events;
mod script;
pub mod system;

use hookgate_contract::Reply;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEvent, HostStep, HostTool, ScriptInput,
    ScriptOutput,
};
use serde_json::{Map, Value};

use crate::tools;

/// The form in which Claude Code talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Claude;

/// Its name for people.
const TITLE: &str = "Claude Code";

impl Dialect for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::CLAUDE
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
        script::reply(self.event(&input.event), output)
    }
}
