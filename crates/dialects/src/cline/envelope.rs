//! The envelopes of Cline, both ways.
//!
//! They hold the call of a tool twice: as the command line (3.x) has it, and as the extension had it, whose
//! arguments are texts of JSON. Either is enough.

use hookgate_contract::dialect::{Dialect, DialectError, HostEvent, HostStep, ScriptInput};
use hookgate_contract::json::{self, Integers, JsonType};
use serde_json::{Map, Value, json};

use crate::agent_dialect::AgentDialect;
use crate::places::{AGENT_ID, Field, Places, keep};
use crate::pointer;

pub(super) const PLACES: Places = Places {
    event_key: EVENT_KEY,
    header: &[
        Field::at("session_id", "/sessionContext/rootSessionId", JsonType::Text),
        Field::made("session_id", task_id, keep),
        Field::made("cwd", cwd, set_cwd),
        AGENT_ID,
    ],
    fields,
    ours,
    facts: &[
        "clineVersion",
        "timestamp",
        "taskId",
        "sessionContext",
        "workspaceRoots",
        "workspaceInfo",
    ],
};

const EVENT_KEY: &str = "hookName";

/// What the command line calls its events.
const NAMES: [(&str, &str); 10] = [
    ("agent_start", "TaskStart"),
    ("agent_resume", "TaskResume"),
    ("agent_abort", "TaskCancel"),
    ("agent_end", "TaskComplete"),
    ("agent_error", "TaskError"),
    ("prompt_submit", "UserPromptSubmit"),
    ("tool_call", "PreToolUse"),
    ("tool_result", "PostToolUse"),
    ("pre_compact", "PreCompact"),
    ("session_shutdown", "SessionShutdown"),
];

fn fields(event: &str, ours: &str) -> &'static [Field] {
    match (event, ours) {
        ("TaskStart", _) => const { &[Field::made("source", startup, keep)] },
        ("TaskResume", _) => const { &[Field::made("source", resume, keep)] },
        ("TaskComplete", _) => {
            const {
                &[
                    Field::at("result_text", "/turn/outputText", JsonType::Text).or(""),
                    Field::made("turns", turns, keep).required(),
                ]
            }
        }
        ("TaskError", _) => {
            const { &[Field::made("error", task_error, set_task_error).required()] }
        }
        ("UserPromptSubmit", _) => {
            const {
                &[
                    Field::at("prompt", "/userPromptSubmit/prompt", JsonType::Text),
                    Field::made("prompt", prompt, set_prompt).required(),
                ]
            }
        }
        ("PreToolUse", _) => {
            const {
                &[
                    Field::at("tool_name", "/tool_call/name", JsonType::Text),
                    Field::made("tool_name", old_name, keep).required(),
                    Field::at("tool_use_id", "/tool_call/id", JsonType::Text),
                    Field::at("tool_input", "/tool_call/input", JsonType::Json),
                    Field::made("tool_input", old_input, keep).required(),
                ]
            }
        }
        ("PostToolUse", "post_tool_use") => {
            const {
                &[
                    RESULT_NAME,
                    OLD_NAME,
                    RESULT_ID,
                    RESULT_INPUT,
                    OLD_INPUT,
                    Field::at("tool_response", "/tool_result/output", JsonType::Json),
                    Field::made("tool_response", old_result, keep).or(""),
                    DURATION,
                ]
            }
        }
        ("PostToolUse", _) => {
            const {
                &[
                    RESULT_NAME,
                    OLD_NAME,
                    RESULT_ID,
                    RESULT_INPUT,
                    OLD_INPUT,
                    Field::made("error", tool_error, keep).required(),
                    DURATION,
                ]
            }
        }
        ("PreCompact", _) => {
            const { &[Field::at("trigger", "/preCompact/trigger", JsonType::Text).or("auto")] }
        }
        ("SessionShutdown", _) => {
            const { &[Field::at("reason", "reason", JsonType::Text).or("other")] }
        }
        _ => &[],
    }
}

const RESULT_NAME: Field = Field::at("tool_name", "/tool_result/name", JsonType::Text);
const OLD_NAME: Field = Field::made("tool_name", old_result_name, keep).required();
const RESULT_ID: Field = Field::at("tool_use_id", "/tool_result/id", JsonType::Text);
const RESULT_INPUT: Field = Field::at("tool_input", "/tool_result/input", JsonType::Json);
const OLD_INPUT: Field = Field::made("tool_input", old_result_input, keep).required();
const DURATION: Field = Field::at("duration_ms", "/tool_result/durationMs", JsonType::Count);

/// Reads an envelope of Cline.
pub(super) fn read(
    dialect: &AgentDialect,
    given: Option<&str>,
    native: Map<String, Value>,
) -> Result<HostStep, DialectError> {
    let named = native.get(EVENT_KEY).and_then(Value::as_str);
    let named = named.and_then(|name| {
        let new = NAMES.iter().find(|(new, _)| *new == name).map(|(_, event)| *event);
        dialect.event(new.unwrap_or(name))
    });
    let event = match (named, given) {
        (Some(event), _) => event,
        (None, Some(given)) => dialect.event(given).ok_or_else(|| DialectError::UnknownEvent {
            agent: dialect.title(),
            name: given.to_owned(),
        })?,
        (None, None) => return Err(DialectError::NoEvent { field: EVENT_KEY }),
    };
    PLACES.read(event, native)
}

/// Completes what was written of our envelope as Cline would: with the call in both forms.
pub(super) fn complete(
    event: &HostEvent,
    envelope: &Map<String, Value>,
    mut native: Map<String, Value>,
) -> ScriptInput {
    let new = NAMES.iter().find(|(_, name)| *name == event.name).map(|(new, _)| *new);
    if let Some(new) = new.filter(|_| native.get(EVENT_KEY) == Some(&event.name.into())) {
        native.insert(EVENT_KEY.to_owned(), new.into());
    }
    let text = |key: &str| envelope.get(key).cloned().unwrap_or_default();
    if event.name == "PreToolUse" {
        native.entry("preToolUse").or_insert_with(|| json!({ "toolName": text("tool_name") }));
        let parameters = old_parameters(&text("tool_input"));
        refresh(&mut native, "/preToolUse/parameters", old_input, &text("tool_input"), parameters);
    }
    if event.name == "PostToolUse" {
        native.entry("postToolUse").or_insert_with(|| {
            let failed = envelope.contains_key("error");
            let result = envelope.get("tool_response").or_else(|| envelope.get("error"));
            let result =
                result.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            json!({ "toolName": text("tool_name"), "result": result, "success": !failed })
        });
        let parameters = old_parameters(&text("tool_input"));
        let old = "/postToolUse/parameters";
        refresh(&mut native, old, old_result_input, &text("tool_input"), parameters);
    }
    ScriptInput::new(event.name, Value::Object(native))
}

/// Puts the arguments in their old form, unless they say the same already.
fn refresh(
    native: &mut Map<String, Value>,
    place: &str,
    read: fn(&Map<String, Value>) -> Option<Value>,
    input: &Value,
    parameters: Value,
) {
    let parent = place.rsplit_once('/').and_then(|(parent, _)| pointer::get(native, parent));
    if parent.is_some_and(Value::is_object) && read(native).as_ref() != Some(input) {
        pointer::put(native, place, parameters);
    }
}

/// A result with an error is that of a tool that failed.
fn ours(event: &'static HostEvent, native: &Map<String, Value>) -> &'static str {
    let failed = || {
        let succeeded = pointer::get(native, "/postToolUse/success");
        let error = pointer::get(native, "/tool_result/error");
        succeeded == Some(&Value::Bool(false)) || error.is_some_and(|error| !error.is_null())
    };
    if event.name == "PostToolUse" && failed() { "post_tool_use_failure" } else { event.ours }
}

fn task_id(native: &Map<String, Value>) -> Option<Value> {
    native.get("taskId").filter(|id| id.is_string()).cloned()
}

fn old_result(native: &Map<String, Value>) -> Option<Value> {
    pointer::get(native, "/postToolUse/result").cloned()
}

fn cwd(native: &Map<String, Value>) -> Option<Value> {
    let places = ["/workspaceInfo/rootPath", "/workspaceRoots/0"];
    places
        .iter()
        .find_map(|place| pointer::get(native, place).filter(|path| path.is_string()))
        .cloned()
}

fn set_cwd(native: &mut Map<String, Value>, cwd: &Value) {
    native.insert("workspaceRoots".to_owned(), json!([cwd]));
}

fn startup(_: &Map<String, Value>) -> Option<Value> {
    Some("startup".into())
}

fn resume(_: &Map<String, Value>) -> Option<Value> {
    Some("resume".into())
}

fn turns(native: &Map<String, Value>) -> Option<Value> {
    Some(native.get("iteration").and_then(Value::as_u64).unwrap_or_default().into())
}

fn task_error(native: &Map<String, Value>) -> Option<Value> {
    let error = ["/error/message", "/error", "/taskError/error", "/taskError/message"];
    let text = error.iter().find_map(|place| pointer::get(native, place)?.as_str());
    Some(text.unwrap_or("unknown").into())
}

fn set_task_error(native: &mut Map<String, Value>, error: &Value) {
    pointer::put(native, "/taskError/error", error.clone());
}

/// Where the command line may put a prompt: it never sent one while it was watched.
fn prompt(native: &Map<String, Value>) -> Option<Value> {
    let places = ["/prompt_submit/prompt", "/prompt", "/turn/inputText"];
    places
        .iter()
        .find_map(|place| pointer::get(native, place).filter(|text| text.is_string()))
        .cloned()
}

fn set_prompt(native: &mut Map<String, Value>, prompt: &Value) {
    pointer::put(native, "/userPromptSubmit/prompt", prompt.clone());
}

fn old_name(native: &Map<String, Value>) -> Option<Value> {
    pointer::get(native, "/preToolUse/toolName").filter(|name| name.is_string()).cloned()
}

fn old_result_name(native: &Map<String, Value>) -> Option<Value> {
    pointer::get(native, "/postToolUse/toolName").filter(|name| name.is_string()).cloned()
}

fn old_input(native: &Map<String, Value>) -> Option<Value> {
    pointer::get(native, "/preToolUse/parameters").map(new_parameters)
}

fn old_result_input(native: &Map<String, Value>) -> Option<Value> {
    pointer::get(native, "/postToolUse/parameters").map(new_parameters)
}

/// In the old form every argument that is no text is JSON in a text.
fn old_parameters(input: &Value) -> Value {
    let Value::Object(input) = input else { return input.clone() };
    let old = |value: &Value| match value {
        Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    };
    Value::Object(input.iter().map(|(key, value)| (key.clone(), old(value))).collect())
}

fn new_parameters(old: &Value) -> Value {
    let Value::Object(old) = old else { return old.clone() };
    let new = |value: &Value| {
        let text = value.as_str().filter(|text| text.starts_with(['[', '{']));
        let inner = text.and_then(|text| json::parse_with(text.as_bytes(), Integers::Exact).ok());
        inner.unwrap_or_else(|| value.clone())
    };
    Value::Object(old.iter().map(|(key, value)| (key.clone(), new(value))).collect())
}

/// What went wrong, from the place that says most.
fn tool_error(native: &Map<String, Value>) -> Option<Value> {
    let places = [
        "/tool_result/output/error",
        "/postToolUse/result",
        "/tool_result/error",
        "/tool_result/output",
    ];
    let text = places.iter().find_map(|place| pointer::get(native, place)?.as_str());
    Some(text.unwrap_or("failed").into())
}
