//! Steps and hooks of the tests that judge recorded steps: `replay` and `diff`.

use serde_json::{Value, json};

/// A hook that denies every `rm`.
pub(crate) const NO_RM: &str = r#"
[[hook]]
id = "no-rm"
event = "pre_tool_use"
runs = ["rm *"]
builtin = { name = "deny", reason = "nothing is removed" }
"#;

/// A call of a tool.
pub(crate) fn call(tool: &str, input: &Value) -> Value {
    json!({"hook_event_name": "pre_tool_use", "session_id": "s", "tool_name": tool, "tool_input": input})
}

/// A call of Bash with a command.
pub(crate) fn bash_call(command: &str) -> Value {
    call("Bash", &json!({ "command": command }))
}

/// Steps as lines of a file.
pub(crate) fn lines(steps: impl IntoIterator<Item = Value>) -> String {
    steps.into_iter().map(|step| format!("{step}\n")).collect()
}
