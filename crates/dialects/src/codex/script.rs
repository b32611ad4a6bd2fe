//! What a script answers that was written for Codex.
//!
//! | exit | stdout | stderr | reply |
//! |---|---|---|---|
//! | 0 | an object that keeps the schema | | what its keys say |
//! | 0 | text | | context, at three events; no opinion at others, and a failure where Codex has one |
//! | 2 | | text | the event is blocked |
//! | other | | | a failure |
//!
//! Where Codex would let the action pass after a failure, the hook has failed here, and its posture
//! decides.

use hookgate_contract::dialect::{HostEffect, HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Event, Reply, Verdict, VerdictDecision, patch_field};
use serde_json::{Map, Value};

use super::refusal::refusal;
use crate::wire::reply::{
    Keys, crashed, decided, malformed, object, or, salvaged, unless_overlooked,
};

/// The events at which text on stdout is context.
const TEXT_IS_CONTEXT: [&str; 3] = ["SessionStart", "SubagentStart", "UserPromptSubmit"];

/// The events at which text on stdout is a failure.
const TEXT_IS_FAILURE: [&str; 3] = ["Stop", "SubagentStop", "Interrupt"];

/// Reads the answer of a script.
pub(super) fn reply(
    event: &'static HostEvent,
    _: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let ScriptOutput { stdout, stderr, exit, .. } = *output;
    match exit {
        0 if matches!(stdout.trim_ascii_start().first(), Some(b'{' | b'[')) => {
            let Some(object) = object(stdout) else {
                return Err(malformed("stdout is not one JSON object", stdout));
            };
            if let Some(problem) = refusal(event.name, &object) {
                return Err(malformed(problem, stdout));
            }
            let (verdict, understood) = said(event, object);
            unless_overlooked(verdict, understood, stdout)
        }
        0 => plain(event, stdout),
        2 if blocks(event) && !stderr.trim().is_empty() => Ok(Verdict::deny(stderr.trim())),
        2 if blocks(event) => {
            let failure = crashed(exit, br#"{"decision":"deny"}"#, stderr);
            Err(failure.map_detail(|detail| format!("{detail}; Codex wants a reason there")))
        }
        exit => Err(crashed(exit, stdout, stderr)),
    }
}

/// Whether a block has an effect: on the action, its result, or the stop.
fn blocks(event: &HostEvent) -> bool {
    let by_status = event.name != "PreCompact";
    by_status && (event.can(HostEffect::Deny) || event.can(HostEffect::KeepGoing))
}

fn plain(event: &HostEvent, stdout: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim();
    if text.is_empty() {
        return Ok(Verdict::none());
    }
    if TEXT_IS_FAILURE.contains(&event.name) || salvaged(stdout).is_some() {
        return Err(malformed("stdout is not one JSON object alone", stdout));
    }
    if TEXT_IS_CONTEXT.contains(&event.name) {
        return Ok(Verdict::none().context(text));
    }
    Ok(Verdict::none())
}

/// Reads the keys of an answer that keeps the schema: the verdict, and the decision as it is written.
fn said(event: &HostEvent, object: Map<String, Value>) -> (Verdict, Option<VerdictDecision>) {
    let mut top = Keys::of(object);
    let goes_on = top.flag("continue").unwrap_or(true);
    let stop_reason = top.text("stopReason");
    let reason = top.text("reason");
    let mut verdict = Verdict::none();
    if let Some(message) = top.text("systemMessage") {
        verdict = verdict.message(message);
    }
    if let Some(mut own) = top.keys("hookSpecificOutput") {
        verdict = specifics(event, &mut own, verdict);
    }
    if top.text("decision").as_deref() == Some("block") && blocks(event) {
        let reason = or(reason.as_deref().unwrap_or_default(), "blocked by a hook").to_owned();
        verdict = decided(verdict, Verdict::deny(reason));
    }
    let decision = |verdict: &Verdict| verdict.parts().and_then(|parts| parts.decision);
    if goes_on {
        let understood = decision(&verdict);
        return (verdict, understood);
    }
    let why = reason.filter(|_| event.name == "PostToolUse").or(stop_reason).unwrap_or_default();
    let why = or(&why, "stopped by a hook");
    if event.can(HostEffect::Deny) && !event.can(HostEffect::Halt) {
        // It hides the result, or keeps the conversation as it is.
        (decided(verdict, Verdict::deny(why)), Some(VerdictDecision::Halt))
    } else if Event::from_name(event.ours).is_some_and(|event| event.contract().halt) {
        (decided(verdict, Verdict::halt(why)), Some(VerdictDecision::Halt))
    } else {
        let understood = decision(&verdict);
        (verdict, understood)
    }
}

fn specifics(event: &HostEvent, own: &mut Keys, mut verdict: Verdict) -> Verdict {
    if event.name == "PreToolUse" {
        let reason = own.text("permissionDecisionReason").unwrap_or_default();
        if own.text("permissionDecision").as_deref() == Some("deny") {
            verdict = decided(verdict, Verdict::deny(or(&reason, "denied by a hook")));
        } else if let Some(input) = own.value("updatedInput") {
            // The allow beside it only makes it count.
            verdict = verdict.patch(patch_field::TOOL_INPUT, input);
        }
    }
    if let Some(mut decision) = own.keys("decision") {
        let message = decision.text("message").unwrap_or_default();
        verdict = match decision.text("behavior").as_deref() {
            Some("deny") => decided(verdict, Verdict::deny(or(&message, "denied by a hook"))),
            _ => decided(verdict, Verdict::allow()),
        };
    }
    match own.text("additionalContext").filter(|text| !text.trim().is_empty()) {
        Some(text) => verdict.context(text),
        None => verdict,
    }
}
