//! What a JSON answer of a hook does at an event.

use serde_json::{Map, Value};

use super::event::{Block, Event};
use super::later::deliver_later;
use super::output::specific;
use super::shape::fits_output;
use super::terminal;
use crate::foreign::{Audience, ForeignVerdict, HookResult, HookStatus, Host};

/// The effect: what is answered to a form.
pub(super) const ACTION: &str = "action";

/// The effect: what a form is filled in with.
pub(super) const CONTENT: &str = "content";

/// The effect: the whole answer to a form, as it goes to the MCP server.
pub(super) const ELICITATION: &str = "elicitation";

/// The effect: whether the user sees the prompt that was rejected.
const PROMPT_SHOWN: &str = "original_prompt_shown";

/// The effect: whether the model may try again what was denied.
pub(super) const RETRY: &str = "retry";

/// The events at which nothing at all of an answer counts.
const DISCARDED: [&str; 3] = ["InstructionsLoaded", "WorktreeRemove", "SessionEnd"];

/// How many characters of context for the classifier count.
const MOST_CLASSIFIER: usize = 2000;

/// Reads an answer that fits the schema.
pub(super) fn apply(
    event: &Event,
    object: &Map<String, Value>,
    input: &Map<String, Value>,
    host: &Host,
) -> HookResult {
    let mut result = HookResult::new(HookStatus::Ok);
    let common = Fields(object);
    if event.reads_message {
        result.system_message = common.text("systemMessage");
    }
    if let Some(sequence) = object.get("terminalSequence") {
        let is_read = !DISCARDED.contains(&event.name) && host.interactive;
        let is_safe = is_read && sequence.as_str().is_some_and(terminal::is_safe);
        let value = if is_safe { sequence.clone() } else { Value::Null };
        result.effect.insert("terminal_sequence".to_owned(), value);
    }
    match object.get("decision").and_then(Value::as_str) {
        Some("block") if event.reads_decision => {
            block(&mut result, event.block_for(input), common.text("reason"));
        }
        Some("approve") if event.name == "PreToolUse" => {
            allow(&mut result, ForeignVerdict::Allow, common.text("reason"));
        }
        _ => {}
    }
    if let Some(fields) = specific(object) {
        read_specific(event, &Fields(fields), (input, host), &mut result);
    }
    match event.name {
        "UserPromptSubmit" if result.status == HookStatus::Blocked => {
            note_prompt_shown(&mut result)
        }
        "Elicitation" | "ElicitationResult" => answer_form(event, &mut result),
        "DirectoryAdded" => tell_model_of_folder(input, &mut result),
        _ => {}
    }
    if event.reads_continue && object.get("continue") == Some(&Value::Bool(false)) {
        result.halt = true;
        result.halt_reason = common.text("stopReason");
        result.status = HookStatus::Stopped;
    }
    result
}

/// Reads the answer to a form of an MCP server: it is given, or refused, without the user. Behind the user, it
/// takes the place of what they answered.
pub(super) fn answer_form(event: &Event, result: &mut HookResult) {
    let Some(action) = result.effect.get(ACTION).cloned() else {
        // Content for a form that nobody answers fills in nothing.
        result.effect.remove(CONTENT);
        return;
    };
    let accepts = action == "accept";
    let mut answer = Map::from_iter([(ACTION.to_owned(), action)]);
    // A form that is refused has no content.
    match result.effect.get(CONTENT).cloned() {
        Some(content) if accepts => drop(answer.insert(CONTENT.to_owned(), content)),
        _ => drop(result.effect.remove(CONTENT)),
    }
    result.effect.insert(ELICITATION.to_owned(), Value::Object(answer));
    if event.name == "Elicitation" {
        result.verdict = if accepts { ForeignVerdict::Allow } else { ForeignVerdict::Deny };
    }
}

/// The command `/add-dir` comes from the user, and the model reads of it with the next turn.
fn tell_model_of_folder(input: &Map<String, Value>, result: &mut HookResult) {
    let is_command = input.get("source").is_some_and(|source| source == "slash_command");
    if let Some(message) = result.system_message.clone().filter(|_| is_command) {
        deliver_later(vec![message.into()], result);
    }
}

/// Notes that the user sees the rejected prompt, unless the answer said otherwise.
pub(super) fn note_prompt_shown(result: &mut HookResult) {
    result.effect.entry(PROMPT_SHOWN).or_insert(Value::Bool(true));
}

/// Blocks in the way of an event.
pub(super) fn block(result: &mut HookResult, block: Block, reason: Option<String>) {
    result.status = HookStatus::Blocked;
    let (verdict, audience) = match block {
        Block::Nothing => {
            result.status = HookStatus::Ignored;
            return;
        }
        Block::Deny(audience) => (ForeignVerdict::Deny, audience),
        Block::Feedback => (ForeignVerdict::Feedback, Audience::Model),
        Block::KeepGoing => (ForeignVerdict::KeepGoing, Audience::Model),
        Block::Stop => {
            result.halt = true;
            result.halt_reason.clone_from(&reason);
            (ForeignVerdict::None, Audience::User)
        }
    };
    result.verdict = verdict;
    result.reason = reason;
    result.reason_to = Some(audience);
}

/// Decides in another way than by a block; the user sees why.
fn allow(result: &mut HookResult, verdict: ForeignVerdict, reason: Option<String>) {
    result.verdict = verdict;
    result.reason_to = reason.is_some().then_some(Audience::User);
    result.reason = reason;
    result.status = HookStatus::Ok;
}

/// The fields of an object.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    fn value(&self, name: &str) -> Option<Value> {
        self.0.get(name).cloned()
    }
}

fn read_specific(
    event: &Event,
    fields: &Fields<'_>,
    (input, host): (&Map<String, Value>, &Host),
    result: &mut HookResult,
) {
    if fields.text("permissionDecision").as_deref() == Some("defer") {
        // Whether it counts or not, nothing beside it does.
        let is_alone = host.facts.get("batch_size").is_none_or(|size| size == 1);
        if !host.interactive && is_alone {
            allow(result, ForeignVerdict::Defer, None);
        }
        return;
    }
    for (name, _) in event.fields {
        let Some(value) = fields.value(name) else { continue };
        match *name {
            "additionalContext" => add_context(event, value, result),
            "permissionDecision" => decide(event, fields, result),
            "updatedInput" => result.updated_input = Some(value),
            "displayContent" => result.updated_output = Some(value),
            "decision" => decide_permission(&value, result),
            "updatedToolOutput" if fits_output(input, &value) => {
                result.updated_output = Some(value)
            }
            "updatedMCPToolOutput" if is_mcp(input) => result.updated_output = Some(value),
            "classifierContext" => {
                let text = value.as_str().unwrap_or_default();
                let text: String = text.chars().take(MOST_CLASSIFIER).collect();
                result.effect.insert("classifier_context".to_owned(), Value::from(text));
            }
            "suppressOriginalPrompt" => {
                let is_shown = value != Value::Bool(true);
                result.effect.insert(PROMPT_SHOWN.to_owned(), Value::Bool(is_shown));
            }
            other => {
                if let Some(effect) = effect_name(other, input, host) {
                    result.effect.insert(effect.to_owned(), value);
                }
            }
        }
    }
    if result.verdict == ForeignVerdict::Deny {
        result.updated_input = None;
    }
}

/// Returns the name of the effect of a field; `None` if the field does nothing here.
fn effect_name(field: &str, input: &Map<String, Value>, host: &Host) -> Option<&'static str> {
    let source = input.get("source").and_then(Value::as_str);
    Some(match field {
        "sessionTitle" if !matches!(source, Some("clear" | "compact")) => "session_title",
        "initialUserMessage" if !host.interactive => "initial_user_message",
        "watchPaths" => "watch_paths",
        "reloadSkills" => "reload_skills",
        "retry" => RETRY,
        "worktreePath" => "worktree_path",
        "action" => ACTION,
        "content" => CONTENT,
        _ => return None,
    })
}

fn add_context(event: &Event, value: Value, result: &mut HookResult) {
    let Value::String(text) = value else { return };
    if text.is_empty() {
        return;
    }
    result.context.push(text);
    if event.block == Block::KeepGoing && result.verdict == ForeignVerdict::None {
        result.verdict = ForeignVerdict::KeepGoing;
    }
}

/// Reads `permissionDecision`.
fn decide(event: &Event, fields: &Fields<'_>, result: &mut HookResult) {
    let reason = fields.text("permissionDecisionReason");
    match fields.text("permissionDecision").as_deref() {
        Some("deny") => block(result, event.block, reason),
        Some("ask") => allow(result, ForeignVerdict::Ask, reason),
        Some("allow") => allow(result, ForeignVerdict::Allow, reason),
        _ => {}
    }
}

/// Reads the `decision` of a request for permission.
fn decide_permission(decision: &Value, result: &mut HookResult) {
    let Value::Object(decision) = decision else { return };
    let fields = Fields(decision);
    match fields.text("behavior").as_deref() {
        Some("allow") => {
            allow(result, ForeignVerdict::Allow, None);
            result.updated_input = fields.value("updatedInput");
            if let Some(rules) = fields.value("updatedPermissions") {
                result.effect.insert("updated_permissions".to_owned(), rules);
            }
        }
        Some("deny") => {
            block(result, Block::Deny(Audience::Model), fields.text("message"));
            result.halt = fields.value("interrupt") == Some(Value::Bool(true));
        }
        _ => {}
    }
}

fn is_mcp(input: &Map<String, Value>) -> bool {
    let name = input.get("tool_name").and_then(Value::as_str);
    name.is_some_and(|name| name.starts_with("mcp__"))
}
