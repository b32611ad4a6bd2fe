//! A context as a step of the engine, and back.
//!
//! What the event has a field for is in that field, so guards that know nothing of the standard judge
//! it and rewriters change it. All the rest of the context is under `host.agent_hooks`, once.
//!
//! | point | event | the target is in |
//! |---|---|---|
//! | agent_startup | run_started | – |
//! | input | user_prompt_submit | `prompt` (the content) |
//! | pre_model_call | pre_llm_request | `messages` |
//! | post_model_call | post_llm_response | `assistant_text` (the content) |
//! | pre_tool_call | pre_tool_use | `tool_input` |
//! | post_tool_call | post_tool_use, post_tool_use_failure | `tool_response`, `error` |
//! | output | run_completed | `result_text` (the content) |
//! | agent_shutdown | session_end | – |

mod native;
mod text;

use hookgate_contract::patch_field;
use serde_json::{Map, Value, json};

use crate::context::{AgentContext, ContextError};
use crate::point::InterceptionPoint;
use crate::target_path::TargetError;
use text::TextForm;

/// Under which key of `host` the rest of a context is.
const HOST: &str = "agent_hooks";

/// Why a step is not a context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// There is no point for the event.
    #[error("AGENT-HOOKS has no point for `{0}`")]
    NoPoint(String),
    /// A field holds what a context cannot hold.
    #[error("`{0}` holds what a context cannot hold")]
    Field(String),
    /// What it makes is not a valid context.
    #[error(transparent)]
    Context(#[from] ContextError),
}

/// Returns the envelope of the step that a context is.
pub(crate) fn envelope_of(context: &AgentContext) -> Map<String, Value> {
    let mut rest = context.members().clone();
    rest.remove("target");
    let mut take = |member: &str, inner: &str| match rest.get_mut(member) {
        Some(Value::Object(map)) => map.remove(inner).unwrap_or_default(),
        _ => Value::Null,
    };
    let inner = |member, inner| context.inner(member, inner).cloned().unwrap_or_default();
    let call = || {
        let args = inner("tool_call", "args");
        json!({"tool_name": inner("tool_call", "name"), "tool_use_id": inner("tool_call", "id"), "tool_input": args})
    };
    let (event, form, fields) = match context.point() {
        InterceptionPoint::AgentStartup => ("run_started", None, json!({})),
        InterceptionPoint::Input => {
            let (form, text) = text::split(&take("input", "content"));
            ("user_prompt_submit", Some(form), json!({"prompt": text}))
        }
        InterceptionPoint::PreModelCall => {
            let messages = rest.remove("messages").unwrap_or_default();
            let count = messages.as_array().map_or(0, Vec::len);
            let model = inner("model", "id");
            let fields = json!({"model": model, "message_count": count, "messages": messages});
            ("pre_llm_request", None, fields)
        }
        InterceptionPoint::PostModelCall => {
            let (form, text) = text::split(&take("response", "content"));
            let calls = inner("response", "tool_calls");
            let name = |call: &Value| call.get("name").cloned().unwrap_or_default();
            let names: Vec<Value> = calls.as_array().into_iter().flatten().map(name).collect();
            let fields = json!({
                "assistant_text": text,
                "tool_call_names": names,
                "stop_reason": inner("response", "finish_reason"),
                "model": inner("model", "id"),
            });
            ("post_llm_response", Some(form), fields)
        }
        InterceptionPoint::PreToolCall => {
            take("tool_call", "args");
            ("pre_tool_use", None, call())
        }
        InterceptionPoint::PostToolCall => {
            take("tool_call", "args");
            let value = take("tool_result", "value");
            let mut fields = call();
            if inner("tool_result", "is_error") == Value::Bool(true) {
                let (form, text) = text::split(&value);
                merge(&mut fields, json!({"error": text}));
                ("post_tool_use_failure", Some(form), fields)
            } else {
                merge(&mut fields, json!({"tool_response": value}));
                ("post_tool_use", None, fields)
            }
        }
        InterceptionPoint::Output => {
            let (form, text) = text::split(&take("output", "content"));
            let turns = inner("session", "turn").as_u64().unwrap_or_default();
            ("run_completed", Some(form), json!({"result_text": text, "turns": turns}))
        }
        InterceptionPoint::AgentShutdown => {
            ("session_end", None, json!({"reason": inner("summary", "reason")}))
        }
    };
    let mut envelope = json!({
        "hook_event_name": event,
        "step_id": format!("{}#{}", context.session_id(), context.sequence()),
        "session_id": context.session_id(),
        "turn": inner("session", "turn").as_u64().unwrap_or_default(),
        "agent_id": inner("agent", "id"),
        "agent_type": inner("agent", "framework"),
        "host": {HOST: {"context": rest, "form": form.map(TextForm::name)}},
    });
    merge(&mut envelope, fields);
    match envelope {
        Value::Object(envelope) => envelope,
        _ => Map::new(),
    }
}

fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

/// Returns the context that a step is: the one that was made a step by [`envelope_of`], with the values
/// that the step has now, or one that is made of what the step of any agent says.
///
/// # Errors
/// The standard has no point for it, or it lacks what the point requires.
pub(crate) fn context_of(envelope: &Map<String, Value>) -> Result<AgentContext, StepError> {
    let event = envelope.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let point = InterceptionPoint::of_event(event);
    let point = point.ok_or_else(|| StepError::NoPoint(event.to_owned()))?;
    let ours = envelope.get("host").and_then(|host| host.get(HOST));
    let mut members = match ours.and_then(|ours| ours.get("context")) {
        // It is of this very step, and not of another one that the sender would rather have judged.
        Some(Value::Object(rest))
            if rest.get("interception_point") == Some(&point.name().into()) =>
        {
            rest.clone()
        }
        Some(_) => return Err(StepError::Field(format!("host.{HOST}"))),
        None => native::members_of(point, envelope),
    };
    let form = ours.and_then(|ours| ours.get("form")).and_then(Value::as_str);
    let form = form.and_then(TextForm::from_name).unwrap_or_default();
    let field = |name: &str| envelope.get(name).cloned().unwrap_or_default();
    let text =
        |name: &str| form.join(envelope.get(name).and_then(Value::as_str).unwrap_or_default());
    let mut put = |member: &str, inner: &str, value: Value| {
        if let Value::Object(map) = members.entry(member).or_insert_with(|| json!({})) {
            map.insert(inner.to_owned(), value);
        }
    };
    match point {
        InterceptionPoint::AgentStartup | InterceptionPoint::AgentShutdown => {}
        InterceptionPoint::Input => put("input", "content", text(patch_field::PROMPT)),
        InterceptionPoint::PreModelCall => {
            put("model", "id", field(patch_field::MODEL));
            let messages = envelope.get(patch_field::MESSAGES).filter(|value| value.is_array());
            let messages = messages.cloned().unwrap_or_else(|| json!([]));
            members.insert("messages".to_owned(), messages);
        }
        InterceptionPoint::PostModelCall => {
            put("response", "content", text(patch_field::ASSISTANT_TEXT));
        }
        InterceptionPoint::PreToolCall => put("tool_call", "args", field(patch_field::TOOL_INPUT)),
        InterceptionPoint::PostToolCall => {
            put("tool_call", "args", field(patch_field::TOOL_INPUT));
            if event == "post_tool_use_failure" {
                put("tool_result", "value", text(patch_field::ERROR));
            } else {
                put("tool_result", "value", field(patch_field::TOOL_RESPONSE));
                if let Some(Value::Bool(is_error)) = envelope.get(patch_field::IS_ERROR) {
                    put("tool_result", "is_error", Value::Bool(*is_error));
                }
            }
        }
        InterceptionPoint::Output => put("output", "content", text(patch_field::RESULT_TEXT)),
    }
    let (member, inner) = point.target();
    let target = members.get(member);
    let target = inner.map_or(target, |inner| target.and_then(|member| member.get(inner)));
    let target = target.cloned().unwrap_or_default();
    members.insert("target".to_owned(), target);
    Ok(AgentContext::new(members)?)
}

/// Returns the context that is left of a step when hooks have set these fields of its envelope.
///
/// # Errors
/// A context cannot hold what they have set.
pub(crate) fn context_after(
    mut envelope: Map<String, Value>,
    set: &Map<String, Value>,
) -> Result<AgentContext, StepError> {
    const HELD: &[&str] = &[
        patch_field::PROMPT,
        patch_field::MODEL,
        patch_field::MESSAGES,
        patch_field::ASSISTANT_TEXT,
        patch_field::TOOL_INPUT,
        patch_field::TOOL_RESPONSE,
        patch_field::IS_ERROR,
        patch_field::ERROR,
        patch_field::RESULT_TEXT,
    ];
    let event = envelope.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let startup = InterceptionPoint::of_event(event) == Some(InterceptionPoint::AgentStartup);
    if let Some(name) = set.keys().find(|name| startup || !HELD.contains(&name.as_str())) {
        return Err(StepError::Field(name.clone()));
    }
    envelope.extend(set.clone());
    context_of(&envelope)
}

/// Returns the field of the step, and its value, that make a target of a context another one.
///
/// # Errors
/// Nothing may be changed at this point, or the step has no field for what is to be changed.
pub(crate) fn patch_of(
    context: &AgentContext,
    target: &Value,
) -> Result<(&'static str, Value), TargetError> {
    let content = |field| Ok((field, changed_content(context.target(), target)?));
    match context.point() {
        InterceptionPoint::AgentStartup | InterceptionPoint::AgentShutdown => {
            Err(TargetError::Forbidden)
        }
        InterceptionPoint::Input => content(patch_field::PROMPT),
        InterceptionPoint::PostModelCall => content(patch_field::ASSISTANT_TEXT),
        InterceptionPoint::Output => content(patch_field::RESULT_TEXT),
        InterceptionPoint::PreModelCall if target.is_array() => {
            Ok((patch_field::MESSAGES, target.clone()))
        }
        InterceptionPoint::PreModelCall => Err(TargetError::Invalid),
        InterceptionPoint::PreToolCall => Ok((patch_field::TOOL_INPUT, target.clone())),
        InterceptionPoint::PostToolCall => {
            if context.inner("tool_result", "is_error") != Some(&Value::Bool(true)) {
                return Ok((patch_field::TOOL_RESPONSE, target.clone()));
            }
            let text = TextForm::of(context.target()).write(target).ok_or(TargetError::Invalid)?;
            Ok((patch_field::ERROR, text.into()))
        }
    }
}

/// The text of a target whose content was changed. All else in it must be as it was: the step has no
/// field for it.
fn changed_content(before: &Value, after: &Value) -> Result<Value, TargetError> {
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return Err(TargetError::Invalid);
    };
    let is_kept =
        |(name, value): (&String, &Value)| name == "content" || after.get(name) == Some(value);
    if before.len() != after.len() || !before.iter().all(is_kept) {
        return Err(TargetError::Invalid);
    }
    let content = |target: &Map<String, Value>| target.get("content").cloned().unwrap_or_default();
    let text = TextForm::of(&content(before)).write(&content(after));
    text.map(Value::from).ok_or(TargetError::Invalid)
}
