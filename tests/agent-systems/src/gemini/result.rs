//! What the run of one hook came to, what it hands on to the next one, and what all of them come to.
//!
//! Gemini CLI joins the outputs of hooks and not what they mean, so each result keeps its output.

use serde_json::{Map, Value};

use super::event::Event;
use super::join::{is_true, join, specific_of};
use super::{meaning, output};
use crate::foreign::{
    Action, CommandForm, ForeignHook, ForeignVerdict, HookResult, HookStatus, Outcome, RawRun,
    RunEnd,
};

/// The effect of a result that holds what the hook said.
const OUTPUT: &str = "output";

/// The effect of a result that tells whether the hook ended with 0. Only then it changes the envelope
/// of the next one.
const SUCCEEDED: &str = "succeeded";

/// Says what a run came to.
pub(super) fn read(hook: &ForeignHook, input: &Map<String, Value>, run: &RawRun) -> HookResult {
    let Some(event) = Event::named(&hook.event) else {
        return HookResult::new(HookStatus::Ignored);
    };
    let failure = match &run.end {
        RunEnd::Exited(0) | RunEnd::InputNotRead(0) => None,
        RunEnd::Exited(code) | RunEnd::InputNotRead(code) => {
            Some(error(run, &format!("the hook failed with exit code {code}")))
        }
        RunEnd::Signalled(signal) => Some(error(run, &format!("signal {signal} ended the hook"))),
        RunEnd::TimedOut => Some(HookStatus::Timeout(format!(
            "the hook timed out after {}ms",
            hook.timeout.as_millis()
        ))),
        RunEnd::NotStarted(why) | RunEnd::Unreachable(why) => Some(HookStatus::Error(why.clone())),
        _ => Some(HookStatus::Error("Gemini CLI has no hooks of this type".to_owned())),
    };
    let has_ended =
        matches!(run.end, RunEnd::Exited(_) | RunEnd::InputNotRead(_) | RunEnd::Signalled(_));
    let said = has_ended.then(|| output::read(run)).flatten();
    let outcome = said
        .as_ref()
        .and_then(|said| join(event, std::slice::from_ref(said)))
        .map(|joined| meaning::of(event, input, &joined))
        .unwrap_or_default();
    let is_blocked = matches!(
        outcome.verdict,
        ForeignVerdict::Deny | ForeignVerdict::Feedback | ForeignVerdict::KeepGoing
    );
    let mut effect = outcome.effect;
    effect.insert(SUCCEEDED.to_owned(), failure.is_none().into());
    if let Some(said) = said {
        effect.insert(OUTPUT.to_owned(), said.into());
    }
    let shown = failure.as_ref().map(|failure| warning(hook, failure));
    let status = match failure {
        _ if outcome.halt => HookStatus::Stopped,
        _ if is_blocked => HookStatus::Blocked,
        Some(failure) => failure,
        None => HookStatus::Ok,
    };
    HookResult {
        verdict: outcome.verdict,
        reason: outcome.reason,
        reason_to: outcome.reason_to,
        context: outcome.context,
        updated_input: outcome.updated_input,
        updated_output: outcome.updated_output,
        halt: outcome.halt,
        halt_reason: outcome.halt_reason,
        system_message: outcome.system_message,
        shown_to_user: shown,
        effect,
        ..HookResult::new(status)
    }
}

/// Says how a hook failed, with the first line that it wrote about it.
fn error(run: &RawRun, how: &str) -> HookStatus {
    let stderr = run.stderr_text();
    let line = stderr.lines().map(str::trim).find(|line| !line.is_empty());
    HookStatus::Error(line.map_or_else(|| how.to_owned(), |line| format!("{how}: {line}")))
}

fn warning(hook: &ForeignHook, failure: &HookStatus) -> String {
    let name = hook.options.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let name = name.unwrap_or(match &hook.action {
        Action::Command { form: CommandForm::Shell(_, command), .. } => command,
        _ => "unknown",
    });
    let why = match failure {
        HookStatus::Error(why) | HookStatus::Timeout(why) => why,
        _ => "it failed",
    };
    format!("`{name}` failed for {}: {why}", hook.event)
}

/// Joins what all hooks came to.
pub(super) fn combine(input: &Map<String, Value>, results: &[HookResult]) -> Outcome {
    let outputs = results.iter().filter_map(|result| result.effect.get(OUTPUT)?.as_object());
    let outputs: Vec<_> = outputs.cloned().collect();
    let outcome = Event::of(input).and_then(|event| {
        let joined = join(event, &outputs)?;
        Some(meaning::of(event, input, &joined))
    });
    let outcome = outcome.unwrap_or_default();
    let asked = outcome.shown_to_user.as_deref();
    let warnings = results.iter().filter_map(|result| result.shown_to_user.as_deref());
    let shown: Vec<_> = asked.into_iter().chain(warnings).collect();
    Outcome { shown_to_user: (!shown.is_empty()).then(|| shown.join("\n")), ..outcome }
}

/// Hands the changes of a hook on to the next one.
pub(super) fn carry(input: &mut Map<String, Value>, result: &HookResult) {
    if result.effect.get(SUCCEEDED) != Some(&Value::Bool(true)) {
        return;
    }
    let said = result.effect.get(OUTPUT).and_then(Value::as_object);
    let Some(own) = said.and_then(specific_of) else { return };
    match Event::of(input) {
        Some(Event::BeforeAgent) => {
            let context = own.get("additionalContext").and_then(Value::as_str);
            if let (Some(context), Some(Value::String(prompt))) = (context, input.get_mut("prompt"))
            {
                prompt.push_str("\n\n");
                prompt.push_str(context);
            }
        }
        Some(Event::BeforeTool) => extend(input, own, "tool_input"),
        Some(Event::BeforeModel) => extend(input, own, "llm_request"),
        _ => {}
    }
}

fn extend(input: &mut Map<String, Value>, own: &Map<String, Value>, name: &str) {
    if let (Some(Value::Object(changes)), Some(Value::Object(fields))) =
        (own.get(name).filter(|value| is_true(Some(value))), input.get_mut(name))
    {
        fields.extend(changes.clone());
    }
}
