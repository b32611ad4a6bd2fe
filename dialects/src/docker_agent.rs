//! Docker's agent.
//!
//! Its hooks are programs that read one object with the names of our fields and answer with one object, or
//! refuse by the exit status 2. Any other status is a failure; before a tool it refuses the call.

use hookgate_contract::Reply;
use hookgate_contract::VerdictDecision::{Allow, Ask, Deny};
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEffect, HostEvent, HostStep, ScriptInput,
    ScriptOutput,
};
use serde_json::{Map, Value, json};

use crate::places::Places;
use crate::said::{Printed, Said, crashed, object, text, unknown};
use crate::wire::reply::malformed;
use crate::wire::{Layout, Ours, Plan, event_of, theirs};

use HostEffect::{Context, KeepGoing, Rewrite, RewriteResult};

/// The form in which Docker's agent talks to its hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct DockerAgent;

const TITLE: &str = "docker agent";

const LAYOUT: Layout = Layout {
    event: "hook_event_name",
    header: &[],
    facts: &["agent_name", "tool_category", "safety_policy"],
};

const CALL: &[HostEffect] = &[HostEffect::Deny, HostEffect::Ask, HostEffect::Allow, Rewrite];
const GATE: &[HostEffect] = &[HostEffect::Deny, Context];
const WATCHED: &[HostEffect] = &[];

/// The first event of a name of ours is the one that our envelope is written as.
static EVENTS: &[HostEvent] = &[
    HostEvent::new("pre_tool_use", "pre_tool_use", CALL),
    HostEvent::new("tool_guard", "pre_tool_use", CALL),
    HostEvent::new("tool_input_transform", "pre_tool_use", &[Rewrite]),
    HostEvent::new(
        "permission_request",
        "permission_request",
        &[HostEffect::Deny, HostEffect::Allow],
    ),
    HostEvent::new("post_tool_use", "post_tool_use", &[Context]),
    HostEvent::new("tool_response_transform", "post_tool_use", &[RewriteResult]),
    HostEvent::new("session_start", "session_start", &[Context]),
    HostEvent::new("session_end", "session_end", WATCHED),
    HostEvent::new("user_prompt_submit", "user_prompt_submit", GATE),
    HostEvent::new("user_steering_messages_submit", "user_prompt_submit", GATE),
    HostEvent::new("user_followup_submit", "user_prompt_submit", GATE),
    HostEvent::new("turn_start", "turn_start", &[Context]),
    HostEvent::new("turn_end", "turn_boundary", WATCHED),
    HostEvent::new("before_llm_call", "pre_llm_request", GATE),
    HostEvent::new("after_llm_call", "post_llm_response", WATCHED),
    HostEvent::new("pre_compact", "pre_compact", GATE),
    HostEvent::new("before_compaction", "pre_compact", GATE),
    HostEvent::new("after_compaction", "post_compact", WATCHED),
    HostEvent::new("subagent_stop", "subagent_stop", WATCHED),
    HostEvent::new("on_user_input", "user_input_requested", WATCHED),
    HostEvent::new("stop", "stop", WATCHED),
    HostEvent::new("notification", "notification", WATCHED),
    HostEvent::new("on_error", "run_failed", WATCHED),
    HostEvent::new("on_max_iterations", "max_iterations", WATCHED),
    HostEvent::new("on_agent_switch", "agent_switch", WATCHED),
    HostEvent::new("on_session_resume", "session_resume", WATCHED),
    HostEvent::new("on_tool_approval_decision", "permission_decided", WATCHED),
    HostEvent::new("worktree_create", "worktree_create", &[HostEffect::Deny]),
];

impl Dialect for DockerAgent {
    fn name(&self) -> &'static str {
        "docker-agent"
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
        let mut specific = Map::new();
        if let Some(decision) = plan.decision {
            specific.insert("permission_decision".to_owned(), decision.name().into());
            specific.insert("permission_decision_reason".to_owned(), plan.reason.as_ref().into());
        }
        if let Some(input) = plan.patch.remove("tool_input") {
            specific.insert("updated_input".to_owned(), input);
        }
        if let Some(result) = plan.patch.remove("tool_response") {
            specific.insert("updated_tool_response".to_owned(), result);
        }
        if let Some(context) = plan.context.take() {
            specific.insert("additional_context".to_owned(), context.into());
        }
        let message = plan.message.take();
        if specific.is_empty() && message.is_none() {
            return plan.json(None);
        }
        specific.insert("hook_event_name".to_owned(), step.event.name.into());
        plan.json(Some(json!({ "system_message": message, "hook_specific_output": specific })))
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        let event = Places::event_of(self, envelope)?;
        Ok(ScriptInput::new(event.name, Value::Object(theirs(&LAYOUT, event, envelope))))
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        let Some(event) = self.event(&input.event) else {
            return Err(malformed("docker agent has no such event", output.stdout));
        };
        match output.exit {
            0 => {}
            2 => return Said::deny_by_exit(&[output.stderr]).verdict(event.ours, output.stdout),
            _ => return Err(crashed(output)),
        }
        let said = match Printed::read(output.stdout)? {
            Printed::Object(answer) => read(&answer)?,
            Printed::Text(said) if event.can(Context) && !event.can(KeepGoing) => {
                Said { context: vec![said], ..Said::default() }
            }
            _ => Said::default(),
        };
        said.verdict(event.ours, output.stdout)
    }
}

fn read(answer: &Map<String, Value>) -> Result<Said, hookgate_contract::Failure> {
    let mut said =
        Said { message: text(answer, "system_message").map(str::to_owned), ..Said::default() };
    if answer.get("continue") == Some(&Value::Bool(false)) {
        said.decide(Deny, text(answer, "stop_reason"));
    }
    match answer.get("decision") {
        None | Some(Value::Null) => {}
        Some(Value::String(word)) if word == "block" => said.decide(Deny, text(answer, "reason")),
        Some(other) => return Err(unknown("decision", other)),
    }
    let Some(specific) = object(answer, "hook_specific_output") else { return Ok(said) };
    let reason = text(specific, "permission_decision_reason");
    match specific.get("permission_decision") {
        None | Some(Value::Null) => {}
        Some(Value::String(word)) if word == "deny" => said.decide(Deny, reason),
        Some(Value::String(word)) if word == "ask" => said.decide(Ask, reason),
        Some(Value::String(word)) if word == "allow" => said.decide(Allow, reason),
        Some(other) => return Err(unknown("permission_decision", other)),
    }
    for (theirs, ours) in
        [("updated_input", "tool_input"), ("updated_tool_response", "tool_response")]
    {
        if let Some(value) = specific.get(theirs).filter(|value| !value.is_null()) {
            said.patch.insert(ours.to_owned(), value.clone());
        }
    }
    said.add_context(specific.get("additional_context"));
    Ok(said)
}
