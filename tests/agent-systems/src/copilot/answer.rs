//! What an answer means at its event.

use serde_json::{Map, Value};

use super::event::{CopilotEvent, Spelling};
use crate::foreign::{Audience, ForeignVerdict, HookResult, HookStatus};

/// Where an answer was given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Situation<'a> {
    pub(super) event: CopilotEvent,
    pub(super) spelling: Spelling,
    /// The envelope of the event.
    pub(super) input: &'a Map<String, Value>,
    /// Whether nobody is there to be asked.
    pub(super) cloud: bool,
}

/// The fields of an answer. In PascalCase they may stand in `hookSpecificOutput`, as in Claude Code.
#[derive(Debug)]
pub(super) struct Answer {
    fields: Map<String, Value>,
    nested: Map<String, Value>,
}

impl Answer {
    pub(super) fn of(spelling: Spelling, mut fields: Map<String, Value>) -> Self {
        let nested = match fields.remove("hookSpecificOutput") {
            Some(Value::Object(nested)) if spelling == Spelling::Pascal => nested,
            _ => Map::new(),
        };
        Self { fields, nested }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.nested.get(name).or_else(|| self.fields.get(name))
    }

    /// Returns a text that says something.
    fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn object(&self, name: &str) -> Option<Value> {
        self.get(name).filter(|value| value.is_object()).cloned()
    }

    pub(super) fn context(&self) -> Option<String> {
        self.text("additionalContext")
    }

    pub(super) fn tool_reason(&self) -> Option<String> {
        self.text("permissionDecisionReason")
    }
}

impl Situation<'_> {
    /// Reads the answer of a hook that ended well.
    pub(super) fn read(self, fields: Map<String, Value>) -> HookResult {
        let said_something = !fields.is_empty();
        let answer = Answer::of(self.spelling, fields);
        let mut result = HookResult::new(HookStatus::Ok);
        match self.event {
            CopilotEvent::PreToolUse => self.before_tool(&answer, &mut result),
            CopilotEvent::PermissionRequest => self.permission(&answer, &mut result),
            CopilotEvent::PostToolUse => after_tool(&answer, &mut result),
            CopilotEvent::UserPromptTransformed => self.transformed(&answer, &mut result),
            CopilotEvent::AgentStop => at_stop(&answer, &mut result),
            CopilotEvent::SubagentStop => {
                at_stop(&answer, &mut result);
                if result.verdict == ForeignVerdict::None {
                    result.updated_output = answer.text("modifiedResponse").map(Value::String);
                }
            }
            CopilotEvent::SessionStart
            | CopilotEvent::SubagentStart
            | CopilotEvent::PostToolUseFailure
            | CopilotEvent::Notification => result.context.extend(answer.context()),
            CopilotEvent::UserPromptSubmitted
            | CopilotEvent::SessionEnd
            | CopilotEvent::ErrorOccurred
            | CopilotEvent::PreCompact => {
                if said_something {
                    result.status = HookStatus::Ignored;
                }
            }
        }
        if matches!(result.verdict, ForeignVerdict::Deny | ForeignVerdict::KeepGoing) {
            result.status = HookStatus::Blocked;
        }
        result
    }

    fn before_tool(self, answer: &Answer, result: &mut HookResult) {
        result.verdict = match answer.get("permissionDecision").and_then(Value::as_str) {
            Some("allow") => ForeignVerdict::Allow,
            Some("ask") if self.cloud => ForeignVerdict::Deny,
            Some("ask") => ForeignVerdict::Ask,
            Some("deny") => ForeignVerdict::Deny,
            _ => ForeignVerdict::None,
        };
        result.reason = answer.tool_reason();
        result.reason_to = match result.verdict {
            ForeignVerdict::Deny => Some(Audience::Model),
            ForeignVerdict::Ask => Some(Audience::User),
            _ => Some(Audience::Nobody),
        }
        .filter(|_| result.reason.is_some());
        if result.verdict != ForeignVerdict::Deny {
            result.updated_input = answer.object("modifiedArgs").or_else(|| {
                // Only an answer in the form of Claude Code has this name for it.
                answer.nested.get("updatedInput").filter(|value| value.is_object()).cloned()
            });
        }
        result.context.extend(answer.context());
    }

    fn permission(self, answer: &Answer, result: &mut HookResult) {
        let nested = answer.nested.get("decision").and_then(Value::as_object);
        let get = |name: &str| {
            answer.fields.get(name).or_else(|| nested.and_then(|decision| decision.get(name)))
        };
        match get("behavior").and_then(Value::as_str) {
            Some("allow") => result.verdict = ForeignVerdict::Allow,
            Some("deny") => {
                result.verdict = ForeignVerdict::Deny;
                result.halt = get("interrupt") == Some(&Value::Bool(true));
            }
            _ => {}
        }
        result.reason = get("message").and_then(Value::as_str).map(str::to_owned);
        if result.reason.is_some() {
            result.reason_to = Some(Audience::Model);
        }
    }

    fn transformed(self, answer: &Answer, result: &mut HookResult) {
        if let Some(prompt) = answer.text("modifiedTransformedPrompt") {
            result.effect.insert("model_prompt".to_owned(), prompt.into());
        }
    }
}

fn after_tool(answer: &Answer, result: &mut HookResult) {
    result.context.extend(answer.context());
    if answer.get("decision").and_then(Value::as_str) == Some("block") {
        // Not in its reference, and yet done: the reason takes the place of the result.
        let reason = answer.text("reason").unwrap_or_else(|| "blocked by a hook".to_owned());
        result.verdict = ForeignVerdict::Feedback;
        result.reason = Some(reason.clone());
        result.reason_to = Some(Audience::Model);
        result.updated_output = Some(reason.into());
        return;
    }
    let Some(modified) = answer.get("modifiedResult").and_then(Value::as_object) else { return };
    let field = |camel: &str, snake: &str| {
        modified.get(camel).or_else(|| modified.get(snake)).and_then(Value::as_str)
    };
    let text = field("textResultForLlm", "text_result_for_llm");
    match (field("resultType", "result_type"), text) {
        (Some("success"), Some(text)) => result.updated_output = Some(text.into()),
        (Some("failure"), text) => {
            // The call counts as failed: the event of failed calls comes next.
            result.effect.insert("becomes_failure".to_owned(), true.into());
            result.updated_output = text.map(Value::from);
        }
        _ => {}
    }
}

/// A block without a reason gives nothing to go on with, so it does not count.
fn at_stop(answer: &Answer, result: &mut HookResult) {
    if answer.get("decision").and_then(Value::as_str) != Some("block") {
        return;
    }
    let Some(reason) = answer.text("reason") else { return };
    result.verdict = ForeignVerdict::KeepGoing;
    result.effect.insert("next_prompt".to_owned(), reason.clone().into());
    result.reason = Some(reason);
    result.reason_to = Some(Audience::Model);
}
