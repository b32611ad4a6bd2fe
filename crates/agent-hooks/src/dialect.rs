//! How contexts and verdicts cross the border of a process: the dialect `agent-hooks`.
//!
//! ```text
//! a host asks hookgate:         its context ──read──▶ step ──▶ engine ──answer──▶ verdict
//! hookgate asks an interceptor: step ──write──▶ context ──▶ interceptor ──reply──▶ verdict of the hook
//! ```
//!
//! As an interceptor hookgate answers with one verdict: a deny, a deny that an approval may lift for an
//! ask, a change of the target, or an allow, with what hooks tell the user as warnings. What is not
//! judged is denied, with a reason that begins with `hookgate:`.

use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEffect, HostEvent, HostStep, Loss,
    ScriptInput, ScriptOutput,
};
use hookgate_contract::{Reply, VerdictDecision};
use serde_json::{Map, Value};

use crate::context::AgentContext;
use crate::point::InterceptionPoint;
use crate::reply::reply;
use crate::reserved::Reserved;
use crate::step::{context_after, context_of, envelope_of};
use crate::verdict::{InterceptorVerdict, Warning};

/// The name in `dialect = "agent-hooks"` and `hookgate hook --agent agent-hooks`.
const NAME: &str = "agent-hooks";

const SESSION_START: &[HostEffect] = &[HostEffect::Deny, HostEffect::Message];
const QUESTION: &[HostEffect] =
    &[HostEffect::Deny, HostEffect::Ask, HostEffect::Rewrite, HostEffect::Message];
const ACTION: &[HostEffect] = &[HostEffect::Deny, HostEffect::Rewrite, HostEffect::Message];
const RESULT: &[HostEffect] = &[HostEffect::Deny, HostEffect::RewriteResult, HostEffect::Message];

/// The points of the standard. A tool that has failed has an event of its own with us.
const EVENTS: [HostEvent; 9] = [
    HostEvent::new("agent_startup", "run_started", SESSION_START)
        .on_deny("the session takes no input, and ends"),
    HostEvent::new("input", "user_prompt_submit", QUESTION).on_deny("no turn begins"),
    HostEvent::new("pre_model_call", "pre_llm_request", ACTION).on_deny("the model is not called"),
    HostEvent::new("post_model_call", "post_llm_response", RESULT)
        .on_deny("the answer of the model is thrown away"),
    HostEvent::new("pre_tool_call", "pre_tool_use", QUESTION).on_deny("the tool does not run"),
    HostEvent::new("post_tool_call", "post_tool_use", RESULT)
        .on_deny("the result is thrown away, as if the tool had failed"),
    HostEvent::new("post_tool_call", "post_tool_use_failure", RESULT)
        .on_deny("the error is thrown away"),
    HostEvent::new("output", "run_completed", ACTION).on_deny("nothing goes to the caller"),
    HostEvent::new("agent_shutdown", "session_end", &[]),
];

/// The form of AGENT-HOOKS.
///
/// ```
/// use hookgate_agent_hooks::AgentHooks;
/// use hookgate_contract::dialect::Dialect;
///
/// let registry = hookgate::Registry::new();
/// registry.add_dialect(std::sync::Arc::new(AgentHooks))?;
/// assert_eq!(registry.dialect("agent-hooks").unwrap().title(), "AGENT-HOOKS");
/// # Ok::<(), hookgate::registry::RegistryError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentHooks;

impl Dialect for AgentHooks {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "AGENT-HOOKS"
    }

    fn events(&self) -> &'static [HostEvent] {
        &EVENTS
    }

    fn read(
        &self,
        event: Option<&str>,
        envelope: Map<String, Value>,
    ) -> Result<HostStep, DialectError> {
        let native = envelope.clone();
        let context = AgentContext::new(envelope).map_err(|error| DialectError::Field {
            event: event.unwrap_or("the context").to_owned(),
            field: error.path(),
            expected: error.expected(),
        })?;
        let step = envelope_of(&context);
        let ours = step.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        let event = EVENTS.iter().find(|event| event.ours == ours);
        let event = event.ok_or(DialectError::NoEvent { field: "interception_point" })?;
        Ok(HostStep::new(event, step, native))
    }

    fn answer(&self, step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
        let (mut verdict, losses) = verdict_of(step, decision);
        let warning = |message: &String| Warning { reason: None, message: Some(message.clone()) };
        verdict.warnings.extend(decision.messages.iter().map(warning));
        losses.into_iter().fold(written(&verdict), HostAnswer::lose)
    }

    fn refuse(&self, _: Option<&str>, reason: &str) -> HostAnswer {
        written(&denied("hookgate:failed", Some(reason)))
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        let event = envelope.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        if InterceptionPoint::of_event(event).is_none() {
            return Err(DialectError::NoCounterpart { agent: NAME, event: event.to_owned() });
        }
        let context = context_of(envelope).map_err(|error| DialectError::Field {
            event: event.to_owned(),
            field: error.to_string(),
            expected: "what the standard requires",
        })?;
        Ok(ScriptInput::new(context.point().name(), Value::Object(context.into_members())))
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        let invalid = |detail: &str| Err(Reserved::ContextInvalid.failure(detail));
        if output.exit != 0 {
            let detail = format!("it ended with the status {}", output.exit);
            return Err(Reserved::InterceptorFailed.failure(&detail));
        }
        let context = match AgentContext::from_value(input.envelope.clone()) {
            Ok(context) => context,
            Err(error) => return invalid(&error.to_string()),
        };
        match InterceptorVerdict::from_json(output.stdout) {
            Ok(verdict) => reply(&context, verdict),
            Err(error) => Err(Reserved::VerdictInvalid.failure(&error.0)),
        }
    }

    fn asks_once(&self) -> bool {
        true
    }
}

/// The verdict that a decision is, and what it cannot say.
fn verdict_of(step: &HostStep, decision: &HostDecision<'_>) -> (InterceptorVerdict, Vec<Loss>) {
    match decision.decision {
        Some(VerdictDecision::Deny) => (denied("hookgate:denied", decision.reason), Vec::new()),
        Some(VerdictDecision::Halt) => {
            let ends =
                Loss::new(HostEffect::Halt, "the action does not happen; the session goes on");
            (denied("hookgate:halted", decision.reason), vec![ends])
        }
        Some(VerdictDecision::Ask) if step.event.can(HostEffect::Ask) => {
            let asked = denied("hookgate:asks", decision.reason);
            (InterceptorVerdict { approval: Some(Map::new()), ..asked }, Vec::new())
        }
        Some(VerdictDecision::Ask) => {
            let refused = Loss::new(HostEffect::Ask, "the action does not happen");
            (denied("hookgate:asks", decision.reason), vec![refused])
        }
        None | Some(VerdictDecision::Allow) if decision.answer.is_some() => {
            let refused = Loss::new(HostEffect::Answer, "the action does not happen");
            (denied("hookgate:answered", Some("a hook supplied the result")), vec![refused])
        }
        None | Some(VerdictDecision::Allow) if decision.patch.is_empty() => {
            (InterceptorVerdict::allow(), Vec::new())
        }
        None | Some(VerdictDecision::Allow) => match changed(step, decision.patch) {
            Some(verdict) => (verdict, Vec::new()),
            None => {
                let instead = "the action does not happen: a verdict can change the target only";
                let refused = Loss::new(HostEffect::Rewrite, instead);
                (denied("hookgate:rewrites", None), vec![refused])
            }
        },
    }
}

/// The verdict that changes the target as hooks have changed the step; `None` if it cannot, or if they
/// have changed more than that.
fn changed(step: &HostStep, patch: &Map<String, Value>) -> Option<InterceptorVerdict> {
    let before = context_of(&step.envelope).ok()?;
    let after = context_after(step.envelope.clone(), patch).ok()?;
    let mut only_target = before.clone();
    only_target.set_target(after.target().clone());
    if only_target != after {
        return None;
    }
    if before == after {
        return Some(InterceptorVerdict::allow());
    }
    before
        .point()
        .may_transform()
        .then(|| InterceptorVerdict::transform("$target", after.target().clone()))
}

fn denied(reason: &str, message: Option<&str>) -> InterceptorVerdict {
    InterceptorVerdict { message: message.map(str::to_owned), ..InterceptorVerdict::deny(reason) }
}

fn written(verdict: &InterceptorVerdict) -> HostAnswer {
    match serde_json::to_value(verdict) {
        Ok(verdict) => HostAnswer::json(&verdict),
        Err(_) => HostAnswer::exit_2("the verdict cannot be written"),
    }
}
