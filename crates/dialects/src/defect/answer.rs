//! What defect is told: a verdict and the exit status 0, or the exit status 2.
//!
//! The status means `veto`, which ends the turn, denies the tool, leaves the compaction out or goes on,
//! as the step has it.

use hookgate_contract::VerdictDecision::Deny;
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostStep};
use hookgate_contract::patch_field;
use serde_json::{Value, json};

use super::TITLE;
use crate::wire::{Output, Plan};

/// Says a decision as defect obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    check_request(step.event.name, &mut plan);
    if plan.refuses() {
        return plan.exit_2();
    }
    let mut out = Output::default();
    out.top_if("args", plan.patch.remove(patch_field::TOOL_INPUT));
    out.top_if("input", plan.patch.remove(patch_field::PROMPT));
    out.top_if("model", plan.patch.remove(patch_field::MODEL));
    out.top_if("assistant", plan.answer.map(|answer| text_of(&answer.content)));
    out.top_if("additional_context", plan.context.take().map(|context| json!([context])));
    plan.json(out.finish(step.event.name))
}

/// Of a request to the model only the model can be changed.
fn check_request(event: &str, plan: &mut Plan<'_>) {
    let other = |field: &&String| field.as_str() != patch_field::MODEL;
    if event == "before_generate"
        && let Some(field) = plan.patch.keys().find(other)
    {
        let reason = format!("a hook must change `{field}` first, which {TITLE} cannot do here");
        plan.lose(HostEffect::Rewrite, "it is denied instead");
        plan.decision = Some(Deny);
        plan.reason = reason.into();
    }
}

/// The reply in place of the model's is a text.
fn text_of(content: &Value) -> String {
    content.as_str().map_or_else(|| content.to_string(), str::to_owned)
}
