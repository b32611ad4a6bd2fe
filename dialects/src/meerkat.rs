//! Meerkat.
//!
//! Its hooks read one object about a point of the run and must answer with one object; an empty answer, any
//! status but 0 and any key that is not known are failures, and every failure ends the run.

use hookgate_contract::VerdictDecision::Deny;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEffect, HostEvent, HostStep, ScriptInput,
    ScriptOutput,
};
use hookgate_contract::json::JsonType;
use hookgate_contract::{Reply, Verdict};
use serde_json::{Map, Value, json};

use crate::places::{Field, Places, SESSION_ID, by_table};
use crate::said::{Printed, Said, crashed, text, unknown};
use crate::wire::Plan;
use crate::wire::reply::malformed;

/// The form in which Meerkat talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meerkat;

const TITLE: &str = "Meerkat";

const GATE: &[HostEffect] = &[HostEffect::Deny];

static EVENTS: &[HostEvent] = &[
    HostEvent::new("run_started", "run_started", GATE),
    HostEvent::new("run_completed", "run_completed", GATE),
    HostEvent::new("run_failed", "run_failed", &[]),
    HostEvent::new("pre_llm_request", "pre_llm_request", GATE),
    HostEvent::new("post_llm_response", "post_llm_response", GATE),
    HostEvent::new("pre_tool_execution", "pre_tool_use", GATE),
    HostEvent::new("post_tool_execution", "post_tool_use", GATE),
    HostEvent::new("turn_boundary", "turn_boundary", GATE),
];

const PLACES: Places = Places {
    event_key: "point",
    header: &[SESSION_ID, Field::at("turn", "turn_number", JsonType::Count)],
    fields,
    ours: by_table,
    facts: &[],
};

const TOOL_NAME: Field = Field::at("tool_name", "/tool_call/name", JsonType::Text).required();
const TOOL_INPUT: Field = Field::at("tool_input", "/tool_call/args", JsonType::Json).required();
const TOOL_USE_ID: Field = Field::at("tool_use_id", "/tool_call/tool_use_id", JsonType::Text);

fn fields(event: &str, _: &str) -> &'static [Field] {
    match event {
        "run_started" | "turn_boundary" => const { &[Field::same("prompt", JsonType::Text)] },
        "run_failed" => const { &[Field::same("error", JsonType::Text)] },
        "pre_llm_request" => {
            const {
                &[
                    Field::at("message_count", "/llm_request/message_count", JsonType::Count),
                    Field::at("max_tokens", "/llm_request/max_tokens", JsonType::Count),
                    Field::at("temperature", "/llm_request/temperature", JsonType::Json),
                    Field::at("provider_params", "/llm_request/provider_params", JsonType::Json),
                ]
            }
        }
        "post_llm_response" => {
            const { &[Field::at("assistant_text", "/llm_response/assistant_text", JsonType::Text)] }
        }
        "pre_tool_execution" => const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID] },
        "post_tool_execution" => {
            const {
                &[
                    Field::at("tool_name", "/tool_result/name", JsonType::Text),
                    Field::at("tool_use_id", "/tool_result/tool_use_id", JsonType::Text),
                    Field::at("tool_response", "/tool_result/content", JsonType::Json),
                    Field::at("is_error", "/tool_result/is_error", JsonType::Flag),
                    Field::at("tool_input", "/tool_call/args", JsonType::Json),
                ]
            }
        }
        _ => &[],
    }
}

impl Dialect for Meerkat {
    fn name(&self) -> &'static str {
        "meerkat"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn events(&self) -> &'static [HostEvent] {
        EVENTS
    }

    fn read(
        &self,
        event: Option<&str>,
        envelope: Map<String, Value>,
    ) -> Result<HostStep, DialectError> {
        PLACES.read(PLACES.event(self, event, &envelope)?, envelope)
    }

    fn answer(&self, step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
        let plan = Plan::new(TITLE, step, decision);
        let said = if plan.refuses() {
            let message = plan.reason.as_ref();
            json!({"decision": {"decision": "deny", "hook_id": "hookgate",
                "reason_code": "policy_violation", "message": message}})
        } else {
            json!({})
        };
        plan.json(Some(said))
    }

    fn refuse(&self, event: Option<&str>, reason: &str) -> HostAnswer {
        // Any other status than 0 is a failure, which ends the run.
        match event.and_then(|name| self.event(name)) {
            Some(event) if !event.fails_closed() => HostAnswer::json(&json!({})).note(reason),
            _ => HostAnswer::exit_2(reason),
        }
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        let event = Places::event_of(self, envelope)?;
        Ok(ScriptInput::new(event.name, Value::Object(PLACES.write(event, envelope))))
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        let Some(event) = self.event(&input.event) else {
            return Err(malformed("Meerkat has no such point", output.stdout));
        };
        if output.exit != 0 {
            return Err(crashed(output));
        }
        let Printed::Object(answer) = Printed::read(output.stdout)? else {
            return Err(malformed("Meerkat wants one JSON object, such as `{}`", output.stdout));
        };
        if let Some(key) = answer.keys().find(|key| *key != "decision" && *key != "patches") {
            return Err(malformed(format!("Meerkat rejects the key `{key}`"), output.stdout));
        }
        let mut said = Said::default();
        match answer.get("decision") {
            None | Some(Value::Null) => return Ok(Verdict::none()),
            Some(Value::Object(decision)) => match text(decision, "decision") {
                Some("allow") => return Ok(Verdict::none()),
                Some("deny") => said.decide(Deny, text(decision, "message")),
                _ => return Err(unknown("decision", &Value::Object(decision.clone()))),
            },
            Some(other) => return Err(unknown("decision", other)),
        }
        said.verdict(event.ours, output.stdout)
    }
}
