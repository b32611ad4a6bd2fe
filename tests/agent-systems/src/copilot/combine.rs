//! Joins what all hooks of an event came to.

use serde_json::Value;

use super::answer::Situation;
use super::event::CopilotEvent;
use crate::foreign::{ForeignVerdict, HookResult, Outcome};

/// What Copilot takes of the texts for the model after a tool, in bytes.
const CONTEXT_LIMIT: usize = 10 * 1024;

/// Joins the results, which are in the order in which the hooks ran.
pub(super) fn combine(situation: Situation<'_>, results: Vec<HookResult>) -> Outcome {
    let mut outcome = Outcome::default();
    let deciding = deciding(situation.event, &results);
    if let Some(result) = deciding {
        outcome.verdict = result.verdict;
        outcome.reason.clone_from(&result.reason);
        outcome.reason_to = result.reason_to;
        outcome.halt = result.halt;
    }
    let mut contexts = Vec::new();
    let mut shown = Vec::new();
    for result in results {
        contexts.extend(result.context);
        shown.extend(result.shown_to_user);
        outcome.updated_input = result.updated_input.or(outcome.updated_input);
        outcome.updated_output = result.updated_output.or(outcome.updated_output);
        for (name, value) in result.effect {
            // The first hook that keeps the agent going gives the prompt; of rewrites the last counts.
            if name == "next_prompt" && outcome.effect.contains_key(&name) {
                continue;
            }
            outcome.effect.insert(name, value);
        }
    }
    if !shown.is_empty() {
        outcome.shown_to_user = Some(shown.join("\n"));
    }
    outcome.context = joined(contexts, situation.event);
    settle(situation, &mut outcome);
    outcome
}

/// Finds the result that decides: the last one at a request for permission, else the strictest.
fn deciding(event: CopilotEvent, results: &[HookResult]) -> Option<&HookResult> {
    let mut decided = results.iter().filter(|result| result.verdict != ForeignVerdict::None);
    if event == CopilotEvent::PermissionRequest {
        return decided.next_back();
    }
    // `max_by_key` takes the last of equals, and here the first one counts.
    decided.rev().max_by_key(|result| result.verdict)
}

fn joined(contexts: Vec<String>, event: CopilotEvent) -> Vec<String> {
    if contexts.is_empty() || event != CopilotEvent::PostToolUse {
        return contexts;
    }
    let mut text = contexts.join("\n\n");
    let mut end = CONTEXT_LIMIT.min(text.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.truncate(end);
    vec![text]
}

/// What the event itself adds or refuses.
fn settle(situation: Situation<'_>, outcome: &mut Outcome) {
    match situation.event {
        CopilotEvent::PreToolUse if outcome.verdict == ForeignVerdict::Deny => {
            outcome.updated_input = None;
        }
        CopilotEvent::PermissionRequest
            if outcome.verdict == ForeignVerdict::Allow && leaves_the_sandbox(situation) =>
        {
            // Leaving the sandbox is for the user to say.
            outcome.verdict = ForeignVerdict::None;
            outcome.reason = None;
            outcome.reason_to = None;
        }
        CopilotEvent::SubagentStop if outcome.verdict == ForeignVerdict::KeepGoing => {
            outcome.updated_output = None;
        }
        CopilotEvent::UserPromptTransformed => {
            let original = situation
                .input
                .get("transformedPrompt")
                .or_else(|| situation.input.get("transformed_prompt"));
            if let Some(original) = original {
                outcome.effect.entry("model_prompt").or_insert_with(|| original.clone());
            }
        }
        _ => {}
    }
}

fn leaves_the_sandbox(situation: Situation<'_>) -> bool {
    ["toolInput", "toolArgs", "tool_input"].iter().any(|name| {
        let asked = situation.input.get(*name).and_then(|input| input.get("requestSandboxBypass"));
        asked == Some(&Value::Bool(true))
    })
}
