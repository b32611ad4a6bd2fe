//! Cline, the command line (3.x) and the extension.
//!
//! Only the object on stdout counts: exit statuses and stderr are ignored. To cancel a call ends the
//! session.

mod envelope;
mod events;
mod script;

use hookgate_contract::Reply;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEvent, HostStep, HostTool, ScriptInput,
    ScriptOutput,
};
use hookgate_contract::patch_field;
use serde_json::{Map, Value, json};

use crate::tools;
use crate::wire::{Output, Plan};

/// The form in which Cline talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cline;

/// Its name for people.
const TITLE: &str = "Cline";

impl Dialect for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        events::EVENTS
    }

    fn tools(&self) -> &'static [HostTool] {
        tools::CLINE
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
        let mut out = Output::default();
        if plan.refuses() {
            out.top("cancel", true);
            out.top("errorMessage", plan.reason.as_ref());
        }
        out.top_if("overrideInput", plan.patch.remove(patch_field::TOOL_INPUT));
        out.top_if("contextModification", plan.context.take());
        plan.json(out.finish(step.event.name))
    }

    fn refuse(&self, event: Option<&str>, reason: &str) -> HostAnswer {
        match event.and_then(|name| self.event(name)) {
            Some(event) if !event.fails_closed() => HostAnswer::silent().note(reason),
            _ => HostAnswer::json(&json!({ "cancel": true, "errorMessage": reason })).note(reason),
        }
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        envelope::write(self, envelope)
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        script::reply(envelope::ours_of(self, input), output)
    }
}
