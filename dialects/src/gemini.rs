//! Gemini CLI.
//!
//! A JSON object on stdout decides on every exit status. Of several hooks any deny wins, except around
//! requests to the model, where a later answer replaces an earlier one.

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

/// The form in which Gemini CLI talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gemini;

/// Its name for people.
const TITLE: &str = "Gemini CLI";

impl Dialect for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::GEMINI
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

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        envelope::write(self, envelope)
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        script::reply(envelope::ours_of(self, input), output)
    }
}
