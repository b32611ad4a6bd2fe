//! The envelopes of Claude Code, both ways.

use hookgate_contract::dialect::{DialectError, HostStep, ScriptInput};
use serde_json::{Map, Value, json};

use crate::agent_dialect::AgentDialect;
use crate::wire::{Layout, Ours, counterpart, event_of, take, theirs};

const LAYOUT: Layout = Layout {
    event: "hook_event_name",
    header: &[],
    facts: &["transcript_path", "permission_mode", "prompt_id", "effort"],
};

/// Where Claude Code puts a work tree if nobody else does.
const WORKTREES: &str = ".claude/worktrees";

/// Reads an envelope of Claude Code.
pub(super) fn read(
    dialect: &AgentDialect,
    given: Option<&str>,
    native: Map<String, Value>,
) -> Result<HostStep, DialectError> {
    let event = event_of(dialect, &LAYOUT, given, &native)?;
    let mut ours = Ours::of(&LAYOUT, event, &native);
    match event.name {
        "PermissionDenied" => {
            ours.set("approval_decision", "deny");
            ours.set("approval_source", "classifier");
        }
        "PostToolBatch" => match native.get("tool_calls") {
            Some(Value::Array(calls)) => {
                ours.set("results", calls.iter().map(batch_result).collect::<Value>());
            }
            // What stands under that name is another thing.
            _ => ours.unset("results"),
        },
        "WorktreeCreate" => {
            if let Some(path) = worktree_path(&native) {
                ours.fill("path", path);
            }
        }
        _ => {}
    }
    Ok(HostStep::new(event, ours.finish()?, native))
}

/// Writes our envelope as Claude Code would.
pub(super) fn write(
    dialect: &AgentDialect,
    envelope: &Map<String, Value>,
) -> Result<ScriptInput, DialectError> {
    let event = counterpart(dialect, envelope)?;
    let mut native = theirs(&LAYOUT, event, envelope);
    // Scripts rely on these four.
    native.entry("session_id").or_insert_with(|| "".into());
    native.entry("transcript_path").or_insert_with(|| "".into());
    native.entry("cwd").or_insert_with(|| "".into());
    match event.name {
        "PermissionDenied" => {
            take(&mut native, envelope, "approval_decision");
            take(&mut native, envelope, "approval_source");
            native.entry("reason").or_insert_with(|| "denied".into());
        }
        "PostToolBatch" => {
            let results = take(&mut native, envelope, "results").unwrap_or_default();
            native.entry("tool_calls").or_insert_with(|| tool_calls(results));
        }
        "WorktreeCreate" => {
            let name = native.get("path").and_then(Value::as_str).and_then(last_segment);
            if let Some(name) = name.map(str::to_owned) {
                native.entry("name").or_insert_with(|| name.into());
            }
        }
        _ => {}
    }
    let project = native.get("cwd").and_then(Value::as_str).unwrap_or_default().to_owned();
    let session = native.get("session_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(ScriptInput::new(event.name, Value::Object(native))
        .variable("CLAUDE_PROJECT_DIR", project)
        .variable("CLAUDE_CODE_SESSION_ID", session)
        .variable("CLAUDECODE", "1"))
}

/// A call that failed has no response.
fn batch_result(call: &Value) -> Value {
    let text = |key| call.get(key).and_then(Value::as_str);
    let mut result = json!({
        "tool_name": text("tool_name").unwrap_or_default(),
        "is_error": call.get("tool_response").is_none(),
    });
    if let (Some(id), Some(fields)) = (text("tool_use_id"), result.as_object_mut()) {
        fields.insert("tool_use_id".to_owned(), id.into());
    }
    result
}

fn tool_calls(results: Value) -> Value {
    let Value::Array(results) = results else { return Value::Array(Vec::new()) };
    let call = |mut result: Value| {
        if let Some(fields) = result.as_object_mut() {
            let failed = fields.remove("is_error") == Some(Value::Bool(true));
            fields.entry("tool_input").or_insert_with(|| json!({}));
            if !failed {
                fields.entry("tool_response").or_insert_with(|| "".into());
            }
        }
        result
    };
    results.into_iter().map(call).collect()
}

fn worktree_path(native: &Map<String, Value>) -> Option<String> {
    let text = |key| native.get(key).and_then(Value::as_str);
    let (cwd, name) = (text("cwd").unwrap_or("."), text("name")?);
    Some(format!("{}/{WORKTREES}/{name}", cwd.trim_end_matches('/')))
}

fn last_segment(path: &str) -> Option<&str> {
    path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty())
}
