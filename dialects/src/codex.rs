//! OpenAI Codex.
//!
//! JSON counts with the exit status 0 only and is read strictly: an unknown key or a missing one makes the
//! whole answer a failure that lets the action pass. So an answer is checked by the same rules before it
//! is given. With the status 2 only stderr counts.

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

/// The form in which Codex talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Codex;

/// Its name for people.
const TITLE: &str = "Codex";

impl Dialect for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::CODEX
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
