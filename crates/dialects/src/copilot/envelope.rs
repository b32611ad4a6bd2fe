//! The envelopes of GitHub Copilot, both ways.
//!
//! There are two forms: the fields in camelCase with the time in milliseconds, and in snake_case with a
//! time in ISO 8601. Which one it is stands in the envelope, since an event with a name in PascalCase may
//! come in either.

use hookgate_contract::dialect::{Dialect, DialectError, HostEvent, HostStep, ScriptInput};
use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use crate::agent_dialect::AgentDialect;
use crate::places::{
    AGENT_ID, AGENT_TYPE, CWD, Field, LAST_MESSAGE, MESSAGE, NOTIFICATION_TYPE, PROMPT, Places,
    REASON, SESSION_ID, SOURCE, STOP_HOOK_ACTIVE, TITLE, TOOL_INPUT, TOOL_NAME, TRIGGER, by_table,
    keep,
};

const CAMEL: Places = Places {
    event_key: EVENT_KEY,
    header: &[
        Field::at("session_id", "sessionId", JsonType::Text),
        CWD,
        Field::at("agent_id", "agentId", JsonType::Text),
        Field::at("agent_type", "agentType", JsonType::Text),
        // Events with a name in PascalCase mix the two forms.
        Field::made("agent_id", snake_agent_id, keep),
        Field::made("agent_type", snake_agent_type, keep),
    ],
    fields: camel,
    ours: by_table,
    facts: &["timestamp", "transcriptPath", "parentAgentId"],
};

const SNAKE: Places = Places {
    event_key: EVENT_KEY,
    header: &[SESSION_ID, CWD, AGENT_ID, AGENT_TYPE],
    fields: snake,
    ours: by_table,
    facts: &["timestamp", "transcript_path", "parent_agent_id"],
};

const EVENT_KEY: &str = "hook_event_name";

fn camel(event: &str, _: &str) -> &'static [Field] {
    match event {
        "preToolUse" | "PreToolUse" => const { &[CAMEL_NAME, CAMEL_ARGS] },
        "permissionRequest" | "PermissionRequest" => {
            const {
                &[
                    CAMEL_NAME,
                    Field::made("tool_input", permission_input, set_permission_input).required(),
                    Field::at("suggestions", "permissionSuggestions", JsonType::Json),
                ]
            }
        }
        "postToolUse" | "PostToolUse" => {
            const {
                &[
                    CAMEL_NAME,
                    CAMEL_ARGS,
                    Field::at("tool_response", "toolResult", JsonType::Json).required(),
                ]
            }
        }
        "postToolUseFailure" | "PostToolUseFailure" => {
            const { &[CAMEL_NAME, CAMEL_ARGS, Field::made("error", error, set_error).required()] }
        }
        "subagentStart" | "SubagentStart" => {
            const { &[Field::made("agent_type", agent_name, keep)] }
        }
        "agentStop" | "Stop" | "subagentStop" | "SubagentStop" => {
            const {
                &[
                    Field::at("stop_reason", "stopReason", JsonType::Text),
                    Field::at("last_assistant_message", "response", JsonType::Text),
                    STOP_HOOK_ACTIVE,
                ]
            }
        }
        "preCompact" | "PreCompact" => {
            const { &[TRIGGER, Field::at("custom_instructions", "customInstructions", JsonType::Text)] }
        }
        other => either(other),
    }
}

fn snake(event: &str, _: &str) -> &'static [Field] {
    match event {
        "preToolUse" | "PreToolUse" => const { &[TOOL_NAME, TOOL_INPUT] },
        "permissionRequest" | "PermissionRequest" => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    Field::at("suggestions", "permission_suggestions", JsonType::Json),
                ]
            }
        }
        "postToolUse" | "PostToolUse" => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    Field::at("tool_response", "tool_result", JsonType::Json).required(),
                ]
            }
        }
        "postToolUseFailure" | "PostToolUseFailure" => {
            const { &[TOOL_NAME, TOOL_INPUT, Field::made("error", error, set_error).required()] }
        }
        "agentStop" | "Stop" | "subagentStop" | "SubagentStop" => {
            const { &[Field::same("stop_reason", JsonType::Text), LAST_MESSAGE, STOP_HOOK_ACTIVE] }
        }
        "preCompact" | "PreCompact" => {
            const { &[TRIGGER, Field::same("custom_instructions", JsonType::Text)] }
        }
        other => either(other),
    }
}

/// Fields that have the same name in both forms.
fn either(event: &str) -> &'static [Field] {
    match event {
        "sessionStart" | "SessionStart" => const { &[SOURCE] },
        "sessionEnd" | "SessionEnd" => const { &[REASON] },
        "userPromptSubmitted" | "UserPromptSubmit" => const { &[PROMPT] },
        "errorOccurred" | "ErrorOccurred" => {
            const {
                &[
                    Field::made("error", error, set_error).required(),
                    Field::at("error_class", "/error/name", JsonType::Text),
                ]
            }
        }
        "notification" | "Notification" => const { &[MESSAGE, TITLE, NOTIFICATION_TYPE] },
        _ => &[],
    }
}

const CAMEL_NAME: Field = Field::at("tool_name", "toolName", JsonType::Text).required();
const CAMEL_ARGS: Field = Field::made("tool_input", tool_args, set_tool_args).required();

/// The key under `host` that says that an envelope came in snake_case, if nothing else says so.
const FORM: &str = "form";

/// Tells whether an envelope has its fields in snake_case.
fn is_snake(native: &Map<String, Value>) -> bool {
    !native.contains_key("sessionId") && !native.contains_key("toolName")
}

/// Tells whether our envelope is written in snake_case: as it came in, else in camelCase.
fn was_snake(event: &HostEvent, host: Option<&Map<String, Value>>) -> bool {
    if let Some(form) = host.and_then(|host| host.get(FORM)) {
        return form == "snake";
    }
    let is_pascal = event.name.starts_with(|first: char| first.is_ascii_uppercase());
    // A time in milliseconds is that of the form in camelCase.
    is_pascal && !host.and_then(|host| host.get("timestamp")).is_some_and(Value::is_number)
}

/// Reads an envelope of Copilot.
pub(super) fn read(
    dialect: &AgentDialect,
    given: Option<&str>,
    native: Map<String, Value>,
) -> Result<HostStep, DialectError> {
    let event = event(dialect, given, &native)?;
    let is_snake = is_snake(&native);
    let mut step = if is_snake { SNAKE } else { CAMEL }.read(event, native)?;
    if let Some(Value::Object(host)) = step.envelope.get_mut("host")
        && was_snake(event, Some(host)) != is_snake
    {
        host.entry(FORM).or_insert_with(|| if is_snake { "snake" } else { "camel" }.into());
    }
    Ok(step)
}

/// Finds the event. The envelope names it in some cases only, and then perhaps in the other form; the
/// command line says which form the answer must have.
fn event(
    dialect: &AgentDialect,
    given: Option<&str>,
    native: &Map<String, Value>,
) -> Result<&'static HostEvent, DialectError> {
    let named = [EVENT_KEY, "hookName"].iter().find_map(|key| native.get(*key)?.as_str());
    let given_event = given.and_then(|name| dialect.event(name));
    let Some(named) = named else {
        let unknown = |name: &str| DialectError::UnknownEvent {
            agent: dialect.title(),
            name: name.to_owned(),
        };
        return given_event
            .ok_or_else(|| given.map_or(DialectError::NoEvent { field: EVENT_KEY }, unknown));
    };
    let named_event = dialect.event(named).ok_or_else(|| DialectError::UnknownEvent {
        agent: dialect.title(),
        name: named.to_owned(),
    })?;
    Ok(given_event.filter(|given| given.ours == named_event.ours).unwrap_or(named_event))
}

/// Writes our envelope as Copilot would: in the form that it came in, else in camelCase.
pub(super) fn write(
    dialect: &AgentDialect,
    envelope: &Map<String, Value>,
) -> Result<ScriptInput, DialectError> {
    let host = envelope.get("host").and_then(Value::as_object);
    let event = Places::event_of(dialect, envelope)?;
    let is_snake = was_snake(event, host);
    let mut native = if is_snake { SNAKE } else { CAMEL }.write(event, envelope);
    native.remove(FORM);
    let is_new = host.is_none_or(|host| !host.contains_key(EVENT_KEY));
    if !is_snake && is_new {
        // In this form the envelope does not name its event, but for two.
        native.remove(EVENT_KEY);
        let named = match event.ours {
            "notification" => Some((EVENT_KEY, "Notification")),
            "permission_request" => Some(("hookName", "permissionRequest")),
            _ => None,
        };
        if let Some((key, name)) = named {
            native.entry(key).or_insert_with(|| name.into());
        }
    }
    let cwd = envelope.get("cwd").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(ScriptInput::new(event.name, Value::Object(native))
        .variable("COPILOT_CLI", "1")
        .variable("COPILOT_PROJECT_DIR", &*cwd)
        .variable("CLAUDE_PROJECT_DIR", cwd))
}

/// Older versions send the arguments as JSON in a text.
fn tool_args(native: &Map<String, Value>) -> Option<Value> {
    unpacked(native.get("toolArgs")?)
}

fn set_tool_args(native: &mut Map<String, Value>, input: &Value) {
    native.insert("toolArgs".to_owned(), input.clone());
}

fn permission_input(native: &Map<String, Value>) -> Option<Value> {
    unpacked(native.get("toolInput").or_else(|| native.get("toolArgs"))?)
}

fn set_permission_input(native: &mut Map<String, Value>, input: &Value) {
    native.insert("toolInput".to_owned(), input.clone());
}

fn unpacked(value: &Value) -> Option<Value> {
    let inner =
        value.as_str().and_then(|text| hookgate_contract::json::parse(text.as_bytes()).ok());
    Some(inner.filter(Value::is_object).unwrap_or_else(|| value.clone()))
        .filter(|value| !value.is_null())
}

fn snake_agent_id(native: &Map<String, Value>) -> Option<Value> {
    native.get("agent_id").filter(|id| id.is_string()).cloned()
}

fn snake_agent_type(native: &Map<String, Value>) -> Option<Value> {
    native.get("agent_type").filter(|name| name.is_string()).cloned()
}

fn agent_name(native: &Map<String, Value>) -> Option<Value> {
    native.get("agentName").filter(|name| name.is_string()).cloned()
}

/// What an error says; it may be a text or an object.
fn error(native: &Map<String, Value>) -> Option<Value> {
    let error = native.get("error")?;
    let message = error.as_str().or_else(|| error.get("message")?.as_str());
    Some(message.map_or_else(|| error.to_string(), str::to_owned).into())
}

fn set_error(native: &mut Map<String, Value>, error: &Value) {
    match native.get_mut("error").and_then(Value::as_object_mut) {
        Some(fields) => fields.insert("message".to_owned(), error.clone()),
        None => native.insert("error".to_owned(), error.clone()),
    };
}

/// The result of a tool in the form that an answer must give it back.
pub(super) fn changed_result(native: &Map<String, Value>, text: &Value) -> Value {
    let old = native.get("toolResult").or_else(|| native.get("tool_result"));
    let kind = old.and_then(|old| old.get("resultType").or_else(|| old.get("result_type")));
    let kind = kind.and_then(Value::as_str).unwrap_or("success");
    let said = ["textResultForLlm", "text_result_for_llm"].iter().find_map(|key| text.get(*key));
    let said = said.unwrap_or(text);
    let said = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
    json!({ "resultType": kind, "textResultForLlm": said })
}
