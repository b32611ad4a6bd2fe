//! What Gemini CLI is told: one JSON object and the exit status 0. An object beside an exit status of 2
//! would decide in its place.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostStep};
use hookgate_contract::patch_field;
use serde_json::{Map, Value, json};

use super::TITLE;
use crate::wire::{Output, Plan};

/// Says a decision as Gemini CLI obeys it.
pub(super) fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    match plan.decision {
        Some(Halt) => {
            out.top("continue", false);
            out.top("stopReason", plan.reason.as_ref());
        }
        Some(Deny) => {
            out.top("decision", "deny");
            out.top("reason", plan.reason.as_ref());
        }
        Some(Ask) => {
            out.top("decision", "ask");
            out.top("systemMessage", plan.reason.as_ref());
        }
        // Elsewhere the allow of one hook undoes the deny of an earlier one.
        None if decision.decision == Some(Allow) && step.event.name == "BeforeTool" => {
            out.top("decision", "allow");
        }
        _ => {}
    }
    match step.event.name {
        "BeforeModel" => before_model(&mut out, &mut plan),
        "AfterModel" => {
            if let Some(Value::String(text)) = plan.patch.remove(patch_field::ASSISTANT_TEXT) {
                out.specific("llm_response", response(&text));
            }
        }
        "BeforeToolSelection" => {
            if let Some(Value::Array(names)) = plan.patch.remove(patch_field::TOOL_NAMES) {
                let mode = if names.is_empty() { "NONE" } else { "ANY" };
                let config = json!({ "mode": mode, "allowedFunctionNames": names });
                out.specific("toolConfig", config);
            }
        }
        _ => out.specific_if("tool_input", plan.patch.remove(patch_field::TOOL_INPUT)),
    }
    out.specific_if("additionalContext", plan.context.take());
    if let Some(message) = plan.message.take() {
        let question = plan.is(Ask).then(|| plan.reason.as_ref());
        let texts: Vec<&str> = question.into_iter().chain([message.as_str()]).collect();
        out.top("systemMessage", texts.join("\n"));
    }
    plan.json(out.finish(step.event.name))
}

/// A result in place of the request, or changes of it.
fn before_model(out: &mut Output, plan: &mut Plan<'_>) {
    if let Some(answer) = plan.answer.filter(|_| !plan.refuses()) {
        let text =
            answer.content.as_str().map_or_else(|| answer.content.to_string(), str::to_owned);
        out.top("decision", "deny");
        out.top("reason", "answered by a hook");
        out.specific("llm_response", response(&text));
        return;
    }
    let mut request = Map::new();
    let mut config = match plan.patch.remove(patch_field::PROVIDER_PARAMS) {
        Some(Value::Object(params)) => params,
        _ => Map::new(),
    };
    for (field, key) in
        [(patch_field::TEMPERATURE, "temperature"), (patch_field::MAX_TOKENS, "maxOutputTokens")]
    {
        match plan.patch.remove(field) {
            Some(Value::Null) => {
                plan.lose(HostEffect::Rewrite, format!("`{key}` cannot be cleared, and stays"));
            }
            Some(value) => {
                config.insert(key.to_owned(), value);
            }
            None => {}
        }
    }
    for field in [patch_field::MODEL, patch_field::MESSAGES] {
        if let Some(value) = plan.patch.remove(field) {
            request.insert(field.to_owned(), value);
        }
    }
    if !config.is_empty() {
        request.insert("config".to_owned(), Value::Object(config));
    }
    if !request.is_empty() {
        out.specific("llm_request", Value::Object(request));
    }
}

fn response(text: &str) -> Value {
    let content = json!({ "role": "model", "parts": [text] });
    json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] })
}
