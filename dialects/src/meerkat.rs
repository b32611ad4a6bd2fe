//! Meerkat.
//!
//! Its hooks read one object about a point of the run and must answer with one: an empty answer, an exit
//! status other than 0 and a key that it does not know are failures, and a failure ends the run. So does a
//! deny, since version 0.6, and nothing can be changed any more. Scripts for earlier versions may still
//! change what they could change there.

mod envelope;
mod events;
mod script;

use hookgate_contract::Reply;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEvent, HostStep, ScriptInput, ScriptOutput,
};
use serde_json::{Map, Value, json};

use crate::wire::Plan;

/// The form in which Meerkat talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meerkat;

/// Its name for people.
const TITLE: &str = "Meerkat";

impl Dialect for Meerkat {
    fn name(&self) -> &'static str {
        "meerkat"
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
        let plan = Plan::new(TITLE, step, decision);
        let said = if plan.refuses() { denied(&plan.reason) } else { json!({}) };
        plan.json(Some(said))
    }

    fn refuse(&self, event: Option<&str>, reason: &str) -> HostAnswer {
        let said = match event.and_then(|name| self.event(name)) {
            Some(event) if !event.fails_closed() => json!({}),
            _ => denied(reason),
        };
        HostAnswer::json(&said).note(reason)
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        envelope::write(self, envelope)
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        script::reply(self.event(&input.event), envelope::ours_of(self, input), output)
    }
}

/// The answer that denies. Meerkat puts the configured id in place of this one, but wants one.
fn denied(reason: &str) -> Value {
    json!({ "decision": {
        "decision": "deny", "hook_id": "hookgate", "reason_code": "policy_violation", "message": reason,
    }})
}
