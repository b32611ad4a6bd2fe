//! What a script answers that was written for Claude Code.
//!
//! | exit | stdout | reply |
//! |---|---|---|
//! | 2 | anything | the event is blocked, with the reason of the JSON or stderr |
//! | any other | one JSON object | what its keys say |
//! | 0 | text | context, at three events; else no opinion |
//! | other | text | a failure |
//!
//! Where Claude Code itself would let the action pass after a failure (a schema that is not kept, a line
//! of log before the JSON), the hook has failed here, and its posture decides.

use hookgate_contract::dialect::{HostEffect, HostEvent, ScriptInput, ScriptOutput};
use hookgate_contract::{Reply, Verdict, VerdictDecision, patch_field};
use serde_json::{Map, Value};

use crate::wire::reply::{
    Keys, crashed, decided, malformed, object, or, salvaged, unless_overlooked,
};

/// The events at which text on stdout is context.
const TEXT_IS_CONTEXT: [&str; 3] = ["SessionStart", "UserPromptSubmit", "UserPromptExpansion"];

/// The events at which a blocked step is feedback: the action has happened, and its result stays.
const FEEDBACK: [&str; 2] = ["PostToolUse", "PostToolUseFailure"];

/// The name under which keys are kept that only Claude Code understands.
const ANNOTATION: &str = "claude";

/// Reads the answer of a script.
pub(super) fn reply(
    event: &'static HostEvent,
    _: &ScriptInput,
    output: &ScriptOutput<'_>,
) -> Reply {
    let ScriptOutput { stdout, stderr, exit, .. } = *output;
    if event.name == "WorktreeCreate" {
        return worktree(output);
    }
    match (exit, object(stdout)) {
        (2, object) => blocked(event, object, output),
        (_, Some(object)) => {
            let said = said(event, object).map_err(|problem| malformed(problem, stdout))?;
            unless_overlooked(said.verdict, said.understood, stdout)
        }
        (0, None) => plain(event, stdout),
        (exit, None) => Err(crashed(exit, stdout, stderr)),
    }
}

/// What the keys of an answer say.
struct Said {
    verdict: Verdict,
    /// The reason of a decision that blocks.
    block: Option<String>,
    /// The decision as it is written; that of the verdict differs where it means something else.
    understood: Option<VerdictDecision>,
}

/// An exit status of 2 blocks, whatever the JSON says; its reason and its other keys count.
fn blocked(
    event: &HostEvent,
    object: Option<Map<String, Value>>,
    output: &ScriptOutput<'_>,
) -> Reply {
    // A schema that is not kept does not undo the block.
    let said = object.and_then(|object| said(event, object).ok());
    let (verdict, reason) = said.map_or((Verdict::none(), None), |said| (said.verdict, said.block));
    let reason = reason.unwrap_or_else(|| output.stderr.trim().to_owned());
    if event.name == "PermissionRequest" {
        // Claude Code does not honour it there, but it was meant as a deny.
        return Err(crashed(output.exit, br#"{"decision":"deny"}"#, output.stderr));
    }
    Ok(block(event, verdict, &reason))
}

/// Turns a verdict into one that blocks the event, as far as that can be.
fn block(event: &HostEvent, verdict: Verdict, reason: &str) -> Verdict {
    let reason = if reason.is_empty() { "blocked by a hook" } else { reason };
    if FEEDBACK.contains(&event.name) {
        return verdict.context(reason);
    }
    if event.name == "PostToolBatch" {
        return decided(verdict, Verdict::halt(reason));
    }
    if event.can(HostEffect::Deny) || event.can(HostEffect::KeepGoing) {
        return decided(verdict, Verdict::deny(reason));
    }
    verdict.message(reason)
}

/// Text on stdout. Text that holds a decision was meant as one: Claude Code overlooks it.
fn plain(event: &HostEvent, stdout: &[u8]) -> Reply {
    if salvaged(stdout).is_some() {
        return Err(malformed(
            "stdout holds a decision, but it is not one JSON object alone: print nothing before or \
             after it",
            stdout,
        ));
    }
    let text = String::from_utf8_lossy(stdout);
    match text.trim() {
        text if !text.is_empty() && TEXT_IS_CONTEXT.contains(&event.name) => {
            Ok(Verdict::none().context(text))
        }
        _ => Ok(Verdict::none()),
    }
}

/// Reads the keys of an answer, or says what is wrong with their types.
fn said(event: &HostEvent, object: Map<String, Value>) -> Result<Said, String> {
    let mut top = Keys::of(object);
    let goes_on = top.flag("continue").unwrap_or(true);
    let stop_reason = top.text("stopReason");
    let message = top.text("systemMessage");
    top.flag("suppressOutput");
    let decision = top.word("decision", &["approve", "block"]);
    let reason = top.text("reason");
    let mut specific = top.keys("hookSpecificOutput");
    if let Some(problem) = top.problem() {
        return Err(problem);
    }

    let mut verdict = Verdict::none();
    let (mut block_reason, mut understood) = (None, None);
    if let Some(text) = message {
        verdict = verdict.message(text);
    }
    if let Some(specific) = &mut specific {
        if specific.text("hookEventName").is_none() {
            specific.refuse("`hookEventName` is missing in `hookSpecificOutput`");
        }
        let own;
        (verdict, own) = specifics(event, specific, verdict);
        block_reason = own;
        if let Some(problem) = specific.problem() {
            return Err(problem);
        }
    }
    match decision {
        Some("block") => {
            let reason = reason.unwrap_or_default();
            verdict = block(event, verdict, &reason);
            block_reason = Some(reason);
            understood = Some(VerdictDecision::Deny);
        }
        Some(_) if event.can(HostEffect::Allow) => verdict = decided(verdict, Verdict::allow()),
        _ => {}
    }
    if !goes_on && event.can(HostEffect::Halt) {
        let reason = stop_reason.filter(|text| !text.trim().is_empty());
        let reason = reason.unwrap_or_else(|| "stopped by a hook".to_owned());
        verdict = decided(verdict, Verdict::halt(reason));
    }
    let rest = top.rest().into_iter().chain(specific.map(Keys::rest).into_iter().flatten());
    let rest: Map<String, Value> = rest.collect();
    if !rest.is_empty() {
        verdict = verdict.annotate(ANNOTATION, Value::Object(rest));
    }
    understood = understood.max(verdict.parts().and_then(|parts| parts.decision));
    Ok(Said { verdict, block: block_reason.filter(|reason| !reason.is_empty()), understood })
}

/// Reads the keys that only this event knows, and returns the reason of a decision that blocks.
fn specifics(
    event: &HostEvent,
    keys: &mut Keys,
    mut verdict: Verdict,
) -> (Verdict, Option<String>) {
    let context = keys.text("additionalContext").filter(|text| !text.trim().is_empty());
    let mut blocks = None;
    match event.name {
        "PreToolUse" => {
            let word = keys.word("permissionDecision", &["allow", "deny", "ask", "defer"]);
            let reason = keys.text("permissionDecisionReason").unwrap_or_default();
            let input = keys.value("updatedInput");
            match word {
                Some("deny") => {
                    verdict = decided(verdict, Verdict::deny(or(&reason, "denied by a hook")));
                    blocks = Some(reason);
                }
                // Who puts a decision off wants a person to take it.
                Some("ask" | "defer") => {
                    verdict = decided(verdict, Verdict::ask(or(&reason, "a hook asks to confirm")));
                }
                Some(_) => verdict = decided(verdict, Verdict::allow()),
                None => {}
            }
            if let Some(input) = input.filter(|_| !matches!(word, Some("deny" | "defer"))) {
                verdict = verdict.patch(patch_field::TOOL_INPUT, input);
            }
        }
        "PermissionRequest" => {
            if let Some(mut decision) = keys.keys("decision") {
                let word = decision.word("behavior", &["allow", "deny"]);
                let text = decision.text("message").unwrap_or_default();
                let interrupts = decision.flag("interrupt") == Some(true);
                match (word, interrupts) {
                    (Some("deny"), true) => {
                        verdict = decided(verdict, Verdict::halt(or(&text, "denied by a hook")))
                    }
                    (Some("deny"), false) => {
                        verdict = decided(verdict, Verdict::deny(or(&text, "denied by a hook")))
                    }
                    (Some(_), _) => verdict = decided(verdict, Verdict::allow()),
                    (None, _) => decision.refuse("`behavior` is missing"),
                }
                if let Some(problem) = decision.problem() {
                    keys.refuse(problem);
                }
            }
        }
        "PostToolUse" => {
            let changed =
                keys.value("updatedToolOutput").or_else(|| keys.value("updatedMCPToolOutput"));
            if let Some(changed) = changed {
                verdict = verdict.patch(patch_field::TOOL_RESPONSE, changed);
            }
        }
        "Elicitation" | "ElicitationResult" => {
            if let Some("decline" | "cancel") =
                keys.word("action", &["accept", "decline", "cancel"])
            {
                verdict = decided(verdict, Verdict::deny("declined by a hook"));
            }
        }
        _ => {}
    }
    match context {
        // There a text for the model makes the agent go on.
        Some(text) if event.can(HostEffect::KeepGoing) => {
            verdict = decided(verdict, Verdict::deny(text));
        }
        Some(text) => verdict = verdict.context(text),
        None => {}
    }
    (verdict, blocks)
}

/// Creating a work tree is what the script itself does: it prints the path, and any failure is a failure.
fn worktree(output: &ScriptOutput<'_>) -> Reply {
    if output.exit != 0 {
        let reason = or(output.stderr.trim(), "the work tree could not be created");
        return Ok(Verdict::deny(reason));
    }
    let text = String::from_utf8_lossy(output.stdout);
    let path = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    Ok(path.map_or_else(Verdict::none, |path| Verdict::none().annotate("worktree_path", path)))
}
