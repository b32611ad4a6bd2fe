//! defect.
//!
//! Its hooks are programs that read one object about a step and answer with a verdict (`control`), or
//! refuse by the exit status 2. Whatever else they do, the step goes on.

mod answer;
mod envelope;
mod events;
mod script;

use hookgate_contract::Reply;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEvent, HostStep, ScriptInput, ScriptOutput,
};
use serde_json::{Map, Value};

/// The form in which defect talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Defect;

/// Its name for people.
const TITLE: &str = "defect";

impl Dialect for Defect {
    fn name(&self) -> &'static str {
        "defect"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
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
        script::reply(self.event(&input.event), envelope::ours_of(self, input), output)
    }
}
