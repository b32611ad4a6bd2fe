//! What the fields of our payloads hold, so that a field of an agent is taken for one of ours only if it
//! can be read as that. All others stay facts of the host.

use hookgate_contract::Event;
use hookgate_contract::payload::{
    self, BatchResult, InputOutcome, MessageDirection, PromptSource, Provenance, Safety,
    SessionSource, ToolCall,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    /// Whether a value can be read as that.
    pub(super) takes: fn(&Value) -> bool,
    /// What it must be, in words.
    pub(super) expected: &'static str,
}

const TEXT: Kind = Kind { takes: Value::is_string, expected: "a string" };
const FLAG: Kind = Kind { takes: Value::is_boolean, expected: "true or false" };
const COUNT: Kind = Kind { takes: Value::is_u64, expected: "a whole number, 0 or more" };
const NUMBER: Kind = Kind { takes: Value::is_number, expected: "a number" };
const LIST: Kind = Kind { takes: Value::is_array, expected: "an array" };
const OBJECT: Kind = Kind { takes: Value::is_object, expected: "an object" };
/// A field that must be there may be null; one that may be left out is absent then.
const ANY: Kind = Kind { takes: |_| true, expected: "there" };
const SOME: Kind = Kind { takes: |value| !value.is_null(), expected: "a value" };

const fn typed<T: for<'a> Deserialize<'a>>(expected: &'static str) -> Kind {
    Kind { takes: |value| T::deserialize(value).is_ok(), expected }
}

/// Returns what a field of the payload of an event holds; `None` if the event has no such field, or is
/// not one of ours.
pub(super) fn kind(event: &str, field: &str) -> Option<Kind> {
    let event = Event::from_name(event)?;
    if !payload::fields(event).contains(&field) {
        return None;
    }
    Some(match (event, field) {
        (_, "tool_input" | "tool_response") => ANY,
        (
            _,
            "suggestions" | "content_blocks" | "plan" | "policies" | "contexts" | "usage"
            | "messages" | "structured_output",
        ) => SOME,
        (_, "stop_hook_active" | "is_error" | "is_interrupt" | "is_subagent" | "voluntary") => FLAG,
        (
            _,
            "duration_ms"
            | "continues_so_far"
            | "token_estimate"
            | "threshold"
            | "context_limit"
            | "tokens_before"
            | "tokens_after"
            | "committed_len"
            | "turns"
            | "iteration"
            | "attempt"
            | "message_count"
            | "max_tokens"
            | "max_iterations"
            | "previous_max_iterations"
            | "new_max_iterations",
        ) => COUNT,
        (_, "temperature" | "cost") => NUMBER,
        (_, "attachments") => LIST,
        (_, "provider_params") => OBJECT,
        (_, "tool_names" | "tool_call_names" | "section_ids") => {
            typed::<Vec<String>>("an array of strings")
        }
        (_, "tool_calls") => typed::<Vec<ToolCall>>("an array of tool calls"),
        (_, "results") => typed::<Vec<BatchResult>>("an array of results"),
        (_, "safety") => typed::<Safety>("a safety class"),
        (_, "provenance") => Kind { takes: is_provenance, expected: "a kind and a source_id" },
        (Event::SessionStart, "source") => typed::<SessionSource>("a source of sessions"),
        (Event::UserPromptSubmit, "source") => typed::<PromptSource>("a source of prompts"),
        (_, "outcome") => typed::<InputOutcome>("what became of the input"),
        (_, "direction") => typed::<MessageDirection>("in or out"),
        _ => TEXT,
    })
}

/// Of an object with more keys the others would be lost.
fn is_provenance(value: &Value) -> bool {
    let known = |object: &Map<String, Value>| {
        object.keys().all(|key| Provenance::FIELDS.contains(&key.as_str()))
    };
    value.as_object().is_some_and(known) && Provenance::deserialize(value).is_ok()
}

/// Returns the fields that the payload of an event must have.
pub(super) fn required(event: &str) -> &'static [&'static str] {
    let Some(event) = Event::from_name(event) else { return &[] };
    match event {
        Event::PreToolUse | Event::PermissionRequest => &["tool_name", "tool_input"],
        Event::PermissionDecided => &["tool_name", "tool_input", "approval_decision"],
        Event::PostToolUse => &["tool_name", "tool_input", "tool_response"],
        Event::PostToolUseFailure => &["tool_name", "tool_input", "error"],
        Event::PostToolBatch => &["results"],
        Event::SessionStart | Event::ConfigChange => &["source"],
        Event::SessionEnd => &["reason"],
        Event::RunCompleted => &["result_text", "turns"],
        Event::RunFailed => &["error"],
        Event::UserPromptSubmit | Event::UserPromptAccepted => &["prompt"],
        Event::TurnPolicy
        | Event::PromptContext
        | Event::PromptContextPlanned
        | Event::ToolSelection
        | Event::PromptCompile => &["input_text"],
        Event::PromptCompiled => &["section_ids"],
        Event::TurnStart => &["iteration"],
        Event::PreLlmRequest => &["model", "message_count"],
        Event::PostLlmResponse => &["assistant_text", "tool_call_names"],
        Event::AgentSwitch => &["from_agent", "to_agent"],
        Event::PreCompact => &["trigger"],
        Event::MaxIterations => &["max_iterations"],
        Event::Notification => &["message"],
        Event::WorktreeCreate => &["path"],
        Event::RuntimeInput => &["input_id", "input_kind", "outcome"],
        Event::PeerMessage => &["direction", "message_kind"],
        Event::InteractionCompleted => &["interaction_id", "result_text"],
        _ => &[],
    }
}
