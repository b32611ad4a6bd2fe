//! A script finds the tools of its own agent, whichever agent calls them.

use hookgate_contract::dialect::{ScriptAgent, ScriptOutput};
use hookgate_contract::payload::ToolCall;
use hookgate_contract::{Envelope, Invocation, StepContext, StepId};
use hookgate_dialects::of_agents;
use serde_json::{Value, json};

use crate::samples::dialect;

/// Tells a script of `agent` of a call, and returns the call as it is told, and back again the input that
/// the script sets.
fn told(agent: &str, name: &str, input: Value, set: &str) -> (Value, Value, Option<Value>) {
    let payload = ToolCall::new(name, input);
    let mut context = StepContext::new("s");
    context.cwd = Some("/w");
    let id = StepId::new(Some("x"), String::new);
    let envelope = Envelope::new(&payload, &context, &id, 1, 1 << 20);
    let agent = ScriptAgent::new(dialect(agent), &of_agents());
    let call = agent.call(&Invocation::new("h", &envelope)).unwrap();
    let sent = call.input().envelope.clone();
    let verdict = call.reply(&ScriptOutput::new(0, set.as_bytes(), "")).unwrap();
    let patch = verdict.parts().and_then(|parts| parts.patch.get("tool_input").cloned());
    let name = sent.get("tool_name").or_else(|| sent.get("toolName")).cloned().unwrap();
    let input = sent.get("tool_input").or_else(|| sent.get("toolArgs")).cloned().unwrap();
    (name, input, patch)
}

#[test]
fn a_script_for_claude_code_is_told_of_its_own_tools() {
    let cases = [
        ("run_shell_command", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
        ("bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
        ("run_commands", json!({"commands": ["a", "b"]}), "Bash", json!({"command": "a\nb"})),
        ("view", json!({"path": "a.txt"}), "Read", json!({"file_path": "/w/a.txt"})),
        (
            "write",
            json!({"filePath": "/x", "content": "c"}),
            "Write",
            json!({"file_path": "/x", "content": "c"}),
        ),
        (
            "edit",
            json!({"path": "a", "old_str": "o", "new_str": "n"}),
            "Edit",
            json!({"file_path": "/w/a", "old_string": "o", "new_string": "n"}),
        ),
        // Of Kimi Code, and of Copilot in PascalCase: the name is the same, the argument is not.
        ("Read", json!({"path": "a.txt"}), "Read", json!({"file_path": "/w/a.txt"})),
        ("Bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
        ("mcp__fs__read", json!({"path": "a"}), "mcp__fs__read", json!({"path": "a"})),
        ("Read", json!({"file_path": "rel"}), "Read", json!({"file_path": "rel"})),
    ];
    for (name, input, told_name, told_input) in cases {
        let (name_there, input_there, _) = told("claude", name, input, "");
        assert_eq!((&name_there, &input_there), (&json!(told_name), &told_input), "{name}");
    }
}

#[test]
fn what_the_script_changes_is_changed_in_the_call_itself() {
    let set = |input: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{input}}}}}"#
        )
    };
    let (.., patch) =
        told("claude", "run_commands", json!({"commands": ["ls"]}), &set(r#"{"command":"ls -l"}"#));
    assert_eq!(patch, Some(json!({"commands": ["ls -l"]})));
    let (.., patch) =
        told("claude", "view", json!({"path": "a"}), &set(r#"{"file_path":"/w/b","limit":3}"#));
    assert_eq!(patch, Some(json!({"path": "/w/b", "limit": 3})));
}

#[test]
fn other_agents_scripts_are_told_of_theirs() {
    let (name, input, _) = told("gemini", "Bash", json!({"command": "ls"}), "");
    assert_eq!((name, input), (json!("run_shell_command"), json!({"command": "ls"})));
    let (name, input, _) =
        told("copilot", "write_file", json!({"file_path": "a", "content": "c"}), "");
    assert_eq!((name, input), (json!("create"), json!({"path": "a", "file_text": "c"})));
}

#[test]
fn copilot_names_its_tools_in_the_style_of_the_event() {
    let (name, ..) = told("copilot", "Bash", json!({"command": "ls"}), "");
    assert_eq!(name, "bash");
    let pascal = dialect("copilot");
    assert!(pascal.calls_tool("PreToolUse", "Bash") && !pascal.calls_tool("PreToolUse", "bash"));
}

#[test]
fn no_agent_has_two_tools_of_one_name_and_the_same_arguments() {
    for dialect in of_agents() {
        let mut names: Vec<_> =
            dialect.tools().iter().map(|tool| (tool.name, tool.arguments)).collect();
        let count = names.len();
        names.sort_by_key(|(name, arguments)| format!("{name} {arguments:?}"));
        names.dedup();
        assert_eq!(names.len(), count, "{}", dialect.name());
    }
}
