//! A step as the operation that interceptors know, and a changed operation as a patch of the step.
//!
//! | event | operation | phase | payload |
//! |---|---|---|---|
//! | `pre_tool_use`, `permission_request` | `tools/call` | request | `name`, `arguments` |
//! | `post_tool_use`, `post_tool_use_failure` | `tools/call` | response | the result: `content`, `isError` |
//! | `pre_llm_request` | `llm/completion` | request | `model`, `messages`, `max_tokens`, `temperature` |
//! | `post_llm_response` | `llm/completion` | response | `role`, `content` |
//! | any other | `hookgate/` and the event | request; response at result events | the fields of the step |

use std::fmt;

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{
    Event, EventKind, Failure, FailureClass, Invocation, Verdict, patch_field,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Before or after what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Request,
    Response,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "request",
            Self::Response => "response",
        })
    }
}

/// What an interceptor is invoked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operation {
    pub(super) event: String,
    pub(super) phase: Phase,
    pub(super) payload: Value,
    form: Form,
}

/// How a changed payload becomes a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    ToolCall,
    /// The result is text, which the payload has as its content.
    TextResult,
    /// The result is the payload itself.
    WholeResult,
    /// The result is JSON, which the payload has as its structured content.
    StructuredResult,
    Error,
    Reply,
    /// Each field is a field of the step.
    Fields,
}

impl Operation {
    /// Makes the operation of a step.
    ///
    /// # Errors
    /// If the envelope cannot be made.
    pub(super) fn of(invocation: Invocation<'_>) -> Result<Self, Failure> {
        let contract = invocation.contract();
        let step = invocation.json()?;
        let field = |name: &str| step.get(name).cloned().unwrap_or_default();
        let (event, phase, payload, form) = match (contract.event, invocation.tool()) {
            (Event::PreToolUse | Event::PermissionRequest, Some(call)) => {
                ("tools/call", Phase::Request, of_call(call), Form::ToolCall)
            }
            (Event::PostToolUse, _) => {
                let (payload, form) = of_result(field("tool_response"));
                ("tools/call", Phase::Response, payload, form)
            }
            (Event::PostToolUseFailure, _) => {
                let payload = of_text(&field("error"), true);
                ("tools/call", Phase::Response, payload, Form::Error)
            }
            (Event::PreLlmRequest, _) => {
                let keys = ["model", "messages", "max_tokens", "temperature"];
                let found = keys.iter().filter_map(|key| Some((*key, step.get(*key)?.clone())));
                let fields: Map<String, Value> =
                    found.map(|(key, value)| (key.to_owned(), value)).collect();
                ("llm/completion", Phase::Request, Value::Object(fields), Form::Fields)
            }
            (Event::PostLlmResponse, _) => {
                let payload = json!({"role": "assistant", "content": field("assistant_text")});
                ("llm/completion", Phase::Response, payload, Form::Reply)
            }
            _ => return Self::of_fields(invocation),
        };
        Ok(Self { event: event.to_owned(), phase, payload, form })
    }

    /// Makes the operation of a step that MCP does not know.
    fn of_fields(invocation: Invocation<'_>) -> Result<Self, Failure> {
        let payload = invocation.payload().to_value().map_err(|error| {
            let detail = format!("the step cannot be serialised: {error}");
            Failure::new(FailureClass::Malformed, detail)
        })?;
        let phase = match invocation.contract().kind {
            EventKind::Result => Phase::Response,
            _ => Phase::Request,
        };
        let event = format!("hookgate/{}", invocation.payload().event_name());
        Ok(Self { event, phase, payload, form: Form::Fields })
    }

    /// Makes the verdict that changes the step as the payload was changed.
    ///
    /// # Errors
    /// Of class `malformed` if the payload was changed into something that no step can be.
    pub(super) fn patch(&self, changed: &Value) -> Result<Verdict, Failure> {
        let verdict = Verdict::none();
        let missing = |what: &str| {
            let detail = format!("the changed payload has no {what}");
            Failure::new(FailureClass::Malformed, detail)
        };
        Ok(match self.form {
            Form::ToolCall => {
                if changed.get("name") != self.payload.get("name") {
                    let detail = "the interceptor changed the name of the tool, which no hook can";
                    return Err(Failure::new(FailureClass::Malformed, detail));
                }
                let input = changed.get("arguments").ok_or_else(|| missing("`arguments`"))?;
                verdict.patch(patch_field::TOOL_INPUT, input.clone())
            }
            Form::WholeResult => {
                if changed.get("content").is_none() {
                    return Err(missing("`content`"));
                }
                verdict.patch(patch_field::TOOL_RESPONSE, changed.clone())
            }
            Form::StructuredResult => {
                let result = changed.get("structuredContent");
                let result = result.ok_or_else(|| missing("`structuredContent`"))?;
                verdict.patch(patch_field::TOOL_RESPONSE, result.clone())
            }
            Form::TextResult => {
                let text = text_of(changed).ok_or_else(|| missing("text"))?;
                verdict.patch(patch_field::TOOL_RESPONSE, text)
            }
            Form::Error => {
                verdict.patch(patch_field::ERROR, text_of(changed).ok_or_else(|| missing("text"))?)
            }
            Form::Reply => {
                let text = changed.get("content").and_then(Value::as_str);
                let text = text.ok_or_else(|| missing("text `content`"))?;
                verdict.patch(patch_field::ASSISTANT_TEXT, text)
            }
            Form::Fields => {
                let fields = changed.as_object().ok_or_else(|| missing("fields"))?;
                let differs =
                    |(key, value): &(&String, &Value)| self.payload.get(*key) != Some(value);
                fields.iter().filter(differs).fold(verdict, |verdict, (key, value)| {
                    verdict.patch(key.clone(), value.clone())
                })
            }
        })
    }
}

fn of_call(call: &ToolCall) -> Value {
    json!({"name": call.tool_name, "arguments": call.tool_input})
}

/// Returns a result as MCP has it.
fn of_result(response: Value) -> (Value, Form) {
    match response {
        Value::String(_) => (of_text(&response, false), Form::TextResult),
        Value::Object(fields) if fields.get("content").is_some_and(Value::is_array) => {
            (Value::Object(fields), Form::WholeResult)
        }
        other => {
            let text = Value::String(other.to_string());
            let mut payload = of_text(&text, false);
            if let Some(payload) = payload.as_object_mut() {
                payload.insert("structuredContent".into(), other);
            }
            (payload, Form::StructuredResult)
        }
    }
}

fn of_text(text: &Value, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

/// Returns the texts of a result, one after the other.
fn text_of(result: &Value) -> Option<String> {
    let blocks = result.get("content")?.as_array()?;
    let texts: Option<Vec<&str>> = blocks.iter().map(|block| block.get("text")?.as_str()).collect();
    texts.map(|texts| texts.join("\n"))
}
