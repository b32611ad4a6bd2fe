//! Qwen Code.
//!
//! Its answers have the shape of Claude Code's, but not their effects: a later hook's allow undoes an
//! earlier hook's deny, so an allow is never said; arguments cannot be changed; and after a tool only
//! `continue: false` has an effect.

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

/// The form in which Qwen Code talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Qwen;

/// Its name for people.
const TITLE: &str = "Qwen Code";

impl Dialect for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::QWEN
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
