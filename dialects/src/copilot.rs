//! GitHub Copilot, the command line and the cloud agent.
//!
//! Its events have names in camelCase and in PascalCase, with envelopes of two forms: one dialect, since
//! the envelope tells which it is.

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

/// The form in which GitHub Copilot talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copilot;

/// Its name for people.
const TITLE: &str = "GitHub Copilot";

impl Dialect for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::COPILOT
    }

    /// At events in PascalCase it tells the names of Claude Code's tools.
    fn calls_tool(&self, event: &str, tool: &str) -> bool {
        let is_capital = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
        is_capital(event) == is_capital(tool)
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
