//! The envelopes of Cursor, both ways.

use hookgate_contract::dialect::{HostEvent, ScriptInput};
use hookgate_contract::json::{self, Integers, JsonType};
use serde_json::{Map, Value, json};

use crate::places::{
    CWD, Field, PROMPT, Places, REASON, SOURCE, TOOL_INPUT, TOOL_NAME, TOOL_USE_ID, TRIGGER,
    by_table, keep,
};

pub(super) const PLACES: Places = Places {
    event_key: "hook_event_name",
    header: &[Field::at("session_id", "conversation_id", JsonType::Text), CWD],
    fields,
    ours: by_table,
    facts: &[
        "generation_id",
        "model",
        "model_id",
        "model_params",
        "cursor_version",
        "workspace_roots",
        "user_email",
        "transcript_path",
        "session_id",
    ],
};

const MODEL: Field = Field::same("model", JsonType::Text);
const DURATION: Field = Field::at("duration_ms", "duration", JsonType::Count);
const SHELL: Field = Field::made("tool_name", shell, keep);
const SHELL_INPUT: Field = Field::made("tool_input", shell_input, set_shell_input).required();
const MCP: Field = Field::made("tool_name", mcp_name, set_mcp_name).required();
const TEXT_INPUT: Field = Field::made("tool_input", text_input, set_text_input).required();
const FILE_INPUT: Field = Field::made("tool_input", file_input, set_file_input).required();

fn fields(event: &str, _: &str) -> &'static [Field] {
    match event {
        "sessionStart" => const { &[SOURCE, MODEL] },
        "sessionEnd" => const { &[REASON] },
        "beforeSubmitPrompt" => const { &[PROMPT, Field::same("attachments", JsonType::List)] },
        "preToolUse" => const { &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID] },
        "beforeShellExecution" => const { &[SHELL, SHELL_INPUT] },
        "beforeMCPExecution" => const { &[MCP, TEXT_INPUT] },
        "beforeReadFile" | "beforeTabFileRead" => {
            const { &[Field::made("tool_name", read_tool, keep), FILE_INPUT] }
        }
        "postToolUse" => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    TOOL_USE_ID,
                    Field::made("tool_response", tool_output, set_tool_output).or(""),
                    DURATION,
                ]
            }
        }
        "postToolUseFailure" => {
            const {
                &[
                    TOOL_NAME,
                    TOOL_INPUT,
                    TOOL_USE_ID,
                    Field::at("error", "error_message", JsonType::Text).or("failed"),
                    Field::same("is_interrupt", JsonType::Flag),
                    DURATION,
                ]
            }
        }
        "afterShellExecution" => {
            const {
                &[
                    SHELL,
                    SHELL_INPUT,
                    Field::at("tool_response", "output", JsonType::Json).or(""),
                    DURATION,
                ]
            }
        }
        "afterMCPExecution" => {
            const {
                &[
                    MCP,
                    TEXT_INPUT,
                    Field::made("tool_response", result_json, set_result_json).or(""),
                    DURATION,
                ]
            }
        }
        "afterFileEdit" => {
            const {
                &[
                    Field::made("tool_name", write_tool, keep),
                    Field::made("tool_input", edit_input, set_edit_input).required(),
                    Field::made("tool_response", no_response, keep),
                ]
            }
        }
        "subagentStart" => {
            const {
                &[
                    Field::at("agent_id", "subagent_id", JsonType::Text),
                    Field::at("agent_type", "subagent_type", JsonType::Text),
                    Field::at("parent_session_id", "parent_conversation_id", JsonType::Text),
                    Field::at("prompt", "task", JsonType::Text),
                ]
            }
        }
        "subagentStop" => {
            const {
                &[
                    Field::at("agent_type", "subagent_type", JsonType::Text),
                    Field::at("last_assistant_message", "summary", JsonType::Text),
                    Field::at("continues_so_far", "loop_count", JsonType::Count),
                ]
            }
        }
        "stop" => {
            const {
                &[
                    Field::at("stop_reason", "status", JsonType::Text),
                    Field::at("continues_so_far", "loop_count", JsonType::Count),
                ]
            }
        }
        "preCompact" => {
            const {
                &[
                    TRIGGER,
                    Field::at("token_estimate", "context_tokens", JsonType::Count),
                    Field::at("context_limit", "context_window_size", JsonType::Count),
                ]
            }
        }
        _ => &[],
    }
}

/// Completes what was written of our envelope as Cursor would.
pub(super) fn complete(
    event: &HostEvent,
    envelope: &Map<String, Value>,
    mut native: Map<String, Value>,
) -> ScriptInput {
    // A script may have been written for the event of the shell alone.
    if event.name == "preToolUse"
        && !native.contains_key("cursor_version")
        && let Some(Value::String(command)) =
            native.get("tool_input").and_then(|input| input.get("command"))
    {
        let command = command.clone();
        native.entry("command").or_insert_with(|| command.into());
    }
    let cwd = envelope.get("cwd").and_then(Value::as_str).unwrap_or(".").to_owned();
    native.entry("workspace_roots").or_insert_with(|| json!([cwd]));
    let roots = native.get("workspace_roots").and_then(Value::as_array);
    let root = roots.and_then(|all| all.first()?.as_str()).unwrap_or(&cwd).to_owned();
    ScriptInput::new(event.name, Value::Object(native))
        .variable("CURSOR_PROJECT_DIR", &*root)
        .variable("CLAUDE_PROJECT_DIR", root)
}

fn shell(_: &Map<String, Value>) -> Option<Value> {
    Some("Shell".into())
}

fn read_tool(_: &Map<String, Value>) -> Option<Value> {
    Some("Read".into())
}

fn write_tool(_: &Map<String, Value>) -> Option<Value> {
    Some("Write".into())
}

fn no_response(_: &Map<String, Value>) -> Option<Value> {
    Some("".into())
}

/// The command line.
fn shell_input(native: &Map<String, Value>) -> Option<Value> {
    let command = native.get("command").filter(|command| command.is_string())?;
    Some(json!({ "command": command }))
}

fn set_shell_input(native: &mut Map<String, Value>, input: &Value) {
    if let Some(command) = input.get("command") {
        native.insert("command".to_owned(), command.clone());
    }
}

/// At its own events an MCP tool has its bare name; elsewhere it is `MCP:name`.
fn mcp_name(native: &Map<String, Value>) -> Option<Value> {
    let name = native.get("tool_name")?.as_str()?;
    Some(if name.starts_with(MCP_PREFIX) {
        name.into()
    } else {
        format!("{MCP_PREFIX}{name}").into()
    })
}

fn set_mcp_name(native: &mut Map<String, Value>, name: &Value) {
    let name = name.as_str().unwrap_or_default();
    let bare = name.strip_prefix(MCP_PREFIX).unwrap_or(name);
    native.insert("tool_name".to_owned(), bare.into());
}

/// How Cursor marks the tools of MCP servers.
pub(super) const MCP_PREFIX: &str = "MCP:";

/// Arguments that come as JSON in a text.
fn text_input(native: &Map<String, Value>) -> Option<Value> {
    native.get("tool_input").filter(|input| !input.is_null()).map(unpacked)
}

fn set_text_input(native: &mut Map<String, Value>, input: &Value) {
    native.insert("tool_input".to_owned(), input.to_string().into());
}

fn tool_output(native: &Map<String, Value>) -> Option<Value> {
    native.get("tool_output").map(unpacked)
}

fn set_tool_output(native: &mut Map<String, Value>, output: &Value) {
    native.insert("tool_output".to_owned(), packed(output));
}

fn result_json(native: &Map<String, Value>) -> Option<Value> {
    native.get("result_json").map(unpacked)
}

fn set_result_json(native: &mut Map<String, Value>, result: &Value) {
    native.insert("result_json".to_owned(), packed(result));
}

fn packed(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.to_string().into(), Value::from)
}

/// What is in a text of JSON; the text itself if it is none.
fn unpacked(value: &Value) -> Value {
    let inner = value.as_str().and_then(|text| {
        json::parse_with(text.as_bytes(), Integers::Exact).ok().filter(|inner| !inner.is_null())
    });
    inner.unwrap_or_else(|| value.clone())
}

fn file_input(native: &Map<String, Value>) -> Option<Value> {
    let path = native.get("file_path").filter(|path| path.is_string())?;
    Some(json!({ "file_path": path }))
}

fn set_file_input(native: &mut Map<String, Value>, input: &Value) {
    if let Some(path) = input.get("file_path").or_else(|| input.get("path")) {
        native.insert("file_path".to_owned(), path.clone());
    }
}

fn edit_input(native: &Map<String, Value>) -> Option<Value> {
    let mut input = file_input(native)?;
    if let (Some(edits), Some(fields)) = (native.get("edits"), input.as_object_mut()) {
        fields.insert("edits".to_owned(), edits.clone());
    }
    Some(input)
}

fn set_edit_input(native: &mut Map<String, Value>, input: &Value) {
    set_file_input(native, input);
    if let Some(edits) = input.get("edits") {
        native.insert("edits".to_owned(), edits.clone());
    }
}
