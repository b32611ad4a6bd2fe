//! Kimi Code.
//!
//! Three of its events take a deny; all others only tell. A deny is an exit status of 2 with a text on
//! stderr. Whatever a hook prints at a prompt goes to the model, JSON included.

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
use crate::wire::Plan;

/// The form in which Kimi Code talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kimi;

/// Its name for people.
const TITLE: &str = "Kimi Code";

impl Dialect for Kimi {
    fn name(&self) -> &'static str {
        "kimi"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::KIMI
    }

    fn read(
        &self,
        event: Option<&str>,
        envelope: Map<String, Value>,
    ) -> Result<HostStep, DialectError> {
        envelope::read(self, event, envelope)
    }

    fn answer(&self, step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
        let mut plan = Plan::new(TITLE, step, decision);
        if plan.refuses() {
            return plan.exit_2();
        }
        let context = plan.context.take();
        let mut answer = plan.json(None);
        answer.stdout = context.unwrap_or_default();
        answer
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        envelope::write(self, envelope)
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        script::reply(self.event(&input.event), output)
    }
}
