//! What the joined output of all hooks makes Gemini CLI do.

use serde_json::{Map, Value, json};

use super::event::Event;
use super::join::{decision, is_stop, is_true, specific_of, text};
use crate::foreign::{Audience, ForeignVerdict, Outcome};

type Output = Map<String, Value>;

/// What is shown where a hook gives no reason.
const NO_REASON: &str = "No reason provided";

/// Says what an output means.
pub(super) fn of(event: Event, input: &Map<String, Value>, output: &Output) -> Outcome {
    let mut outcome = match event {
        Event::BeforeTool => before_tool(output),
        Event::AfterTool => after_tool(input, output),
        Event::BeforeAgent => before_agent(output),
        Event::AfterAgent => after_agent(output),
        Event::BeforeModel => before_model(output),
        Event::AfterModel => after_model(input, output),
        Event::BeforeToolSelection => tool_selection(output),
        Event::SessionStart => Outcome { context: context(output), ..Outcome::default() },
        Event::SessionEnd | Event::PreCompress | Event::Notification => Outcome::default(),
    };
    if !is_true(output.get("suppressOutput")) {
        outcome.system_message = text(output.get("systemMessage"));
    }
    if outcome.verdict == ForeignVerdict::Ask {
        // The confirmation shows it.
        outcome.shown_to_user = text(output.get("systemMessage"));
    }
    outcome
}

fn before_tool(output: &Output) -> Outcome {
    if let Some(outcome) = stopped(output).or_else(|| denied(output, ForeignVerdict::Deny)) {
        return outcome;
    }
    let rewrite = specific_of(output).and_then(|own| own.get("tool_input"));
    let mut outcome = Outcome {
        updated_input: rewrite.filter(|value| value.is_object()).cloned(),
        ..Outcome::default()
    };
    if decision(output) == Some("ask") {
        outcome.verdict = ForeignVerdict::Ask;
        outcome.reason = text(output.get("reason"));
        outcome.reason_to = outcome.reason.as_ref().map(|_| Audience::User);
    }
    outcome
}

fn after_tool(input: &Map<String, Value>, output: &Output) -> Outcome {
    if let Some(outcome) = stopped(output) {
        return outcome;
    }
    if let Some(mut outcome) = denied(output, ForeignVerdict::Feedback) {
        let reason = outcome.reason.clone().unwrap_or_default();
        outcome.updated_output = Some(format!("Tool result blocked: {reason}").into());
        return outcome;
    }
    let context = context(output);
    let mut outcome = Outcome {
        updated_output: context.first().map(|context| {
            let said = input.get("tool_response").and_then(|response| response.get("llmContent"));
            with_context(said, context)
        }),
        context,
        ..Outcome::default()
    };
    let tail = specific_of(output).and_then(|own| own.get("tailToolCallRequest"));
    if let Some(call) = tail.filter(|call| call.get("name").is_some_and(Value::is_string)) {
        outcome.effect.insert("tail_tool_call".to_owned(), call.clone());
    }
    outcome
}

/// The model reads the context behind the result.
fn with_context(result: Option<&Value>, context: &str) -> Value {
    let context = format!("\n\n<hook_context>{context}</hook_context>");
    match result {
        Some(Value::String(text)) => format!("{text}{context}").into(),
        Some(Value::Array(parts)) => {
            parts.iter().cloned().chain([json!({"text": context})]).collect()
        }
        Some(part) if is_true(Some(part)) => json!([part, {"text": context}]),
        _ => context.into(),
    }
}

fn before_agent(output: &Output) -> Outcome {
    let in_history = |mut outcome: Outcome, is_kept: bool| {
        outcome.effect.insert("prompt_in_history".to_owned(), is_kept.into());
        outcome
    };
    if let Some(outcome) = stopped(output) {
        return in_history(outcome, true);
    }
    match denied(output, ForeignVerdict::Deny) {
        Some(outcome) => in_history(to_user(outcome), false),
        None => in_history(Outcome { context: context(output), ..Outcome::default() }, true),
    }
}

fn after_agent(output: &Output) -> Outcome {
    let halt = stopped(output);
    let is_halt = halt.is_some();
    let outcome = halt.or_else(|| denied(output, ForeignVerdict::KeepGoing));
    let Some(mut outcome) = outcome else { return Outcome::default() };
    if let (false, Some(reason)) = (is_halt, &outcome.reason) {
        outcome.effect.insert("next_prompt".to_owned(), reason.clone().into());
        outcome.effect.insert("next_stop_hook_active".to_owned(), true.into());
    }
    let clear = specific_of(output).and_then(|own| own.get("clearContext"));
    let is_clear = clear == Some(&Value::Bool(true));
    outcome.effect.insert("clear_context".to_owned(), is_clear.into());
    outcome
}

fn before_model(output: &Output) -> Outcome {
    if let Some(outcome) = stopped(output) {
        return outcome;
    }
    let own = specific_of(output);
    if let Some(outcome) = denied(output, ForeignVerdict::Deny) {
        let mut outcome = to_user(outcome);
        // Without a denial, the answer of a hook is not used.
        if let Some(answer) = own.and_then(|own| own.get("llm_response")).filter(|v| v.is_object())
        {
            let parts = parts(answer).map(|parts| texts(parts).concat());
            let text = parts.or_else(|| text(answer.get("text"))).unwrap_or_default();
            outcome.effect.insert("synthetic_text".to_owned(), text.into());
            outcome.effect.insert("synthetic_response".to_owned(), answer.clone());
        }
        return outcome;
    }
    let mut outcome = Outcome::default();
    // Keys that are not among the changes stay as they are in the request.
    if let Some(changes) = own.and_then(|own| own.get("llm_request")).filter(|v| v.is_object()) {
        if let Some(model) = changes.get("model").filter(|model| model.is_string()) {
            outcome.effect.insert("model".to_owned(), model.clone());
        }
        outcome.effect.insert("llm_request".to_owned(), changes.clone());
    }
    outcome
}

fn after_model(input: &Map<String, Value>, output: &Output) -> Outcome {
    let replaced = specific_of(output).and_then(|own| own.get("llm_response"));
    let replaced = replaced.and_then(parts).filter(|parts| !parts.is_empty());
    let original = input.get("llm_response").and_then(parts);
    let outcome = stopped(output).or_else(|| denied(output, ForeignVerdict::Deny).map(to_user));
    let (mut outcome, parts) = match outcome {
        Some(outcome) => (outcome, original),
        None => (Outcome::default(), replaced.or(original)),
    };
    if let Some(parts) = parts {
        outcome.effect.insert("response_parts".to_owned(), parts.clone().into());
    }
    outcome
}

fn tool_selection(output: &Output) -> Outcome {
    let mut outcome = Outcome::default();
    if let Some(config) = specific_of(output).and_then(|own| own.get("toolConfig")) {
        outcome.effect.insert("tool_config".to_owned(), config.clone());
    }
    outcome
}

fn stopped(output: &Output) -> Option<Outcome> {
    is_stop(output).then(|| Outcome {
        halt: true,
        halt_reason: Some(reason(output)),
        ..Outcome::default()
    })
}

fn denied(output: &Output, verdict: ForeignVerdict) -> Option<Outcome> {
    matches!(decision(output), Some("deny" | "block")).then(|| Outcome {
        verdict,
        reason: Some(reason(output)),
        reason_to: Some(Audience::Model),
        ..Outcome::default()
    })
}

fn to_user(outcome: Outcome) -> Outcome {
    Outcome { reason_to: Some(Audience::User), ..outcome }
}

fn reason(output: &Output) -> String {
    let reason = text(output.get("stopReason")).or_else(|| text(output.get("reason")));
    reason.unwrap_or_else(|| NO_REASON.to_owned())
}

/// Returns the text for the model, so that it cannot end the element that it stands in.
fn context(output: &Output) -> Vec<String> {
    let context = specific_of(output).and_then(|own| own.get("additionalContext")?.as_str());
    let context = context.filter(|context| !context.is_empty());
    context.map(|text| text.replace('<', "&lt;").replace('>', "&gt;")).into_iter().collect()
}

fn parts(response: &Value) -> Option<&Vec<Value>> {
    response.pointer("/candidates/0/content/parts")?.as_array()
}

fn texts(parts: &[Value]) -> Vec<String> {
    parts.iter().filter_map(|part| text(Some(part))).collect()
}
