//! defect.
//!
//! Its hooks are programs that read one object and answer with a verdict (`control`), or refuse by the
//! exit status 2. Whatever else they do, the step goes on.

use hookgate_contract::Reply;
use hookgate_contract::VerdictDecision::Deny;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEffect, HostEvent, HostStep, ScriptInput,
    ScriptOutput,
};
use serde_json::{Map, Value, json};

use crate::places::Places;
use crate::said::{Printed, Said, crashed, text, unknown};
use crate::wire::reply::malformed;
use crate::wire::{Layout, Ours, Plan, event_of, theirs};

use HostEffect::{Context, KeepGoing, Rewrite};

/// The form in which defect talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Defect;

const TITLE: &str = "defect";

const LAYOUT: Layout = Layout { event: "hook_event", header: &[], facts: &[] };

const TOOL: (&str, &str) = ("tool", "tool_name");
const CALL: &[(&str, &str)] = &[TOOL, ("args", "tool_input")];
const WATCHED: &[HostEffect] = &[];

static EVENTS: &[HostEvent] = &[
    HostEvent::new("after_session_enter", "session_start", &[Context]),
    HostEvent::new("after_turn_enter", "turn_start", &[HostEffect::Deny, Context]),
    HostEvent::new("before_ingest", "user_prompt_submit", &[HostEffect::Deny, Rewrite])
        .fields(&[("input", "prompt"), ("source", "origin")]),
    HostEvent::new("after_ingest", "user_prompt_accepted", &[Context])
        .fields(&[("input", "prompt")]),
    HostEvent::new("before_compact", "pre_compact", &[HostEffect::Deny])
        .fields(&[("token_estimate", "token_count")]),
    HostEvent::new("after_compact", "post_compact", &[Context]),
    HostEvent::new("before_generate", "pre_llm_request", &[HostEffect::Deny, Rewrite]),
    HostEvent::new("after_generate", "post_llm_response", WATCHED),
    HostEvent::new("before_permission", "permission_request", WATCHED).fields(&[TOOL]),
    HostEvent::new("after_permission", "permission_decided", WATCHED).fields(&[TOOL]),
    HostEvent::new("before_tool_apply", "pre_tool_use", &[HostEffect::Deny, Rewrite]).fields(CALL),
    HostEvent::new("after_tool_apply", "post_tool_use", &[Context]).fields(&[
        TOOL,
        ("args", "tool_input"),
        ("output", "tool_response"),
    ]),
    HostEvent::new("after_tool_batch", "post_tool_batch", &[HostEffect::Deny, Context]),
    HostEvent::new("before_turn_end", "stop", &[KeepGoing]),
];

impl Dialect for Defect {
    fn name(&self) -> &'static str {
        "defect"
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
        let event = event_of(self, &LAYOUT, event, &envelope)?;
        let ours = Ours::of(&LAYOUT, event, &envelope).finish()?;
        Ok(HostStep::new(event, ours, envelope))
    }

    fn answer(&self, step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
        let mut plan = Plan::new(TITLE, step, decision);
        if plan.refuses() {
            return plan.exit_2();
        }
        let mut verdict = Map::new();
        for (ours, theirs) in [("tool_input", "args"), ("prompt", "input"), ("model", "model")] {
            if let Some(value) = plan.patch.remove(ours) {
                verdict.insert(theirs.to_owned(), value);
            }
        }
        if let Some(context) = plan.context.take() {
            verdict.insert("additional_context".to_owned(), json!([context]));
        }
        plan.json((!verdict.is_empty()).then_some(Value::Object(verdict)))
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        let event = Places::event_of(self, envelope)?;
        let native = theirs(&LAYOUT, event, envelope);
        let of = |key: &str| text(envelope, key).unwrap_or_default().to_owned();
        let (session, cwd, tool) = (of("session_id"), of("cwd"), of("tool_name"));
        let mut input = ScriptInput::new(event.name, Value::Object(native))
            .variable("DEFECT_SESSION_ID", session)
            .variable("DEFECT_CWD", cwd);
        if !tool.is_empty() {
            input = input.variable("DEFECT_TOOL_NAME", tool);
        }
        Ok(input)
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        let Some(event) = self.event(&input.event) else {
            return Err(malformed("defect has no such event", output.stdout));
        };
        match output.exit {
            0 => {}
            2 => return Said::deny_by_exit(&[output.stderr]).verdict(event.ours, output.stdout),
            _ => return Err(crashed(output)),
        }
        let said = match Printed::read(output.stdout)? {
            Printed::Object(answer) => read(event, &answer)?,
            _ => Said::default(),
        };
        said.verdict(event.ours, output.stdout)
    }
}

fn read(
    event: &HostEvent,
    answer: &Map<String, Value>,
) -> Result<Said, hookgate_contract::Failure> {
    let mut said = Said::default();
    let texts: Vec<&Value> = match answer.get("additional_context") {
        Some(Value::Array(texts)) => texts.iter().collect(),
        _ => Vec::new(),
    };
    let reason = texts.first().and_then(|text| text.as_str()).or(text(answer, "stop_reason"));
    match answer.get("control") {
        None | Some(Value::Null) => {}
        Some(Value::String(word)) => match word.as_str() {
            "proceed" => {}
            // A stop is refused by going on, and a compaction by leaving it out.
            "continue" if !event.can(KeepGoing) => {}
            "skip" if event.name != "before_compact" => {}
            "veto" | "break" | "continue" | "skip" => said.decide(Deny, reason),
            _ => return Err(unknown("control", &Value::from(word.as_str()))),
        },
        Some(other) => return Err(unknown("control", other)),
    }
    if event.name == "before_turn_end" && text(answer, "control") == Some("break") {
        // It ends the turn, which is what the agent wants.
        said.decision = None;
    }
    for (theirs, ours) in [("args", "tool_input"), ("input", "prompt"), ("model", "model")] {
        if let Some(value) = answer.get(theirs).filter(|value| !value.is_null()) {
            said.patch.insert(ours.to_owned(), value.clone());
        }
    }
    if let Some(result) = answer.get("result") {
        let is_error = answer.get("is_error").and_then(Value::as_bool).unwrap_or_default();
        said.answer = Some((result.clone(), is_error));
    }
    if event.can(Context) {
        texts.into_iter().for_each(|text| said.add_context(Some(text)));
    }
    Ok(said)
}
