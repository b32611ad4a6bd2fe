//! Scripts: the very text that is written for Claude Code, and the answer that another agent gets.

use serde_json::{Value, json};

use crate::support::Folder;

/// It asks for the tool and the argument by the names of Claude Code, and answers as that wants it.
const CLAUDE_GUARD: &str = r#"#!/bin/sh
input=$(cat)
printf '%s\n' "$input" >> "$CLAUDE_PROJECT_DIR/seen.txt"
printf '%s' "$input" | grep -q '"hook_event_name":"PreToolUse"' || exit 0
printf '%s' "$input" | grep -q '"tool_name":"Bash"' || exit 0
if printf '%s' "$input" | grep -q 'rm -rf'; then
  echo 'rm -rf is not for agents' >&2
  exit 2
fi
if printf '%s' "$input" | grep -q 'npm install'; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"use pnpm"}}'
fi
if printf '%s' "$input" | grep -q 'crash'; then
  exit 3
fi
"#;

fn guarded(more: &str) -> Folder {
    Folder::with(&format!(
        "[[hook]]\nid = 'guard'\nevent = 'pre_tool_use'\n{more}\n\
         command = {{ argv = ['./guard.sh'], dialect = 'claude' }}\n"
    ))
    .script("guard.sh", CLAUDE_GUARD)
}

#[test]
fn a_script_for_claude_code_guards_gemini_cli() {
    let folder = guarded("");
    let denied = folder.hook("gemini", "BeforeTool", &folder.gemini("rm -rf /"));
    assert_eq!(denied, json!({"decision": "deny", "reason": "rm -rf is not for agents"}));
    let denied = folder.hook("gemini", "BeforeTool", &folder.gemini("npm install x"));
    assert_eq!(denied, json!({"decision": "deny", "reason": "use pnpm"}));
    assert_eq!(folder.hook("gemini", "BeforeTool", &folder.gemini("ls")), Value::Null);
    let seen = folder.read("seen.txt");
    let first: Value = serde_json::from_str(seen.lines().next().unwrap()).unwrap();
    assert_eq!(first["session_id"], "s-1");
    assert_eq!(first["transcript_path"], "/t.jsonl");
    assert_eq!(first["cwd"], folder.path());
}

/// Claude Code would let a step pass after this; here the hook has failed, and a guard denies then.
#[test]
fn a_script_that_crashes_has_failed() {
    let folder = guarded("");
    let failed = folder.hook("gemini", "BeforeTool", &folder.gemini("crash"));
    assert_eq!(failed["decision"], "deny");
    let open = guarded("on_failure = 'allow'");
    let passed = open.hook("gemini", "BeforeTool", &open.gemini("crash"));
    assert_eq!(
        passed,
        json!({"systemMessage": "the hook `guard` failed (exit) and was not enforced"})
    );
}

#[test]
fn it_guards_every_other_agent() {
    let folder = guarded("");
    let cwd = folder.path();
    let cases = [
        (
            "copilot",
            "preToolUse",
            json!({"sessionId": "s", "timestamp": 1, "cwd": cwd, "toolName": "bash",
                   "toolArgs": {"command": "rm -rf /"}}),
            "permissionDecision",
            "deny",
        ),
        (
            "cursor",
            "beforeShellExecution",
            json!({"conversation_id": "c", "hook_event_name": "beforeShellExecution", "cwd": cwd,
                   "command": "rm -rf /"}),
            "permission",
            "deny",
        ),
        (
            "opencode",
            "tool.execute.before",
            json!({"hook_event_name": "tool.execute.before", "session_id": "s", "cwd": cwd,
                   "tool_name": "bash", "tool_input": {"command": "rm -rf /"}}),
            "decision",
            "deny",
        ),
    ];
    for (agent, event, envelope, key, word) in cases {
        let answer = folder.hook(agent, event, &envelope);
        assert_eq!(answer[key], word, "{agent}: {answer}");
        assert!(answer.to_string().contains("rm -rf is not for agents"), "{agent}: {answer}");
    }
    let cline = json!({"hookName": "tool_call", "taskId": "t", "workspaceRoots": [cwd],
                       "tool_call": {"id": "1", "name": "run_commands", "input": {"commands": ["rm -rf /"]}}});
    let answer = folder.hook("cline", "PreToolUse", &cline);
    assert_eq!(answer, json!({"cancel": true, "errorMessage": "rm -rf is not for agents"}));
}

#[test]
fn what_it_rewrites_is_rewritten_in_the_words_of_the_other_agent() {
    let rewriter = "#!/bin/sh\ncat > /dev/null\necho '{\"hookSpecificOutput\":{\"hookEventName\":\
                    \"PreToolUse\",\"updatedInput\":{\"command\":\"ls -l\"}}}'\n";
    let folder = Folder::with(
        "[[hook]]\nid = 'quiet'\nevent = 'pre_tool_use'\nrole = 'rewrite'\n\
         command = { argv = ['./quiet.sh'], dialect = 'claude' }\n",
    )
    .script("quiet.sh", rewriter);
    let answer = folder.hook("gemini", "BeforeTool", &folder.gemini("ls"));
    assert_eq!(answer["hookSpecificOutput"]["tool_input"], json!({"command": "ls -l"}));
    // An agent that cannot change the arguments denies, and says which ones are wanted.
    let qwen = json!({"session_id": "s", "cwd": folder.path(), "hook_event_name": "PreToolUse",
                      "tool_name": "run_shell_command", "tool_input": {"command": "ls"}});
    let answer = folder.hook("qwen", "PreToolUse", &qwen);
    let own = &answer["hookSpecificOutput"];
    assert_eq!(own["permissionDecision"], "deny");
    assert_eq!(
        own["permissionDecisionReason"],
        "call the tool again with this `command` instead: ls -l"
    );
}

#[test]
fn text_is_context_where_the_agent_of_the_script_takes_it_for_that() {
    let hook = |event: &str, dialect: &str| {
        Folder::with(&format!(
            "[[hook]]\nid = 'team'\nevent = '{event}'\n\
             command = {{ argv = ['cat', 'TEAM.md'], dialect = '{dialect}' }}\n"
        ))
        .script("TEAM.md", "use tabs\n")
    };
    let start = json!({"hook_event_name": "session_start", "source": "startup"});
    let stop = json!({"hook_event_name": "stop"});
    assert_eq!(hook("session_start", "claude").eval(&start)["context"], json!(["use tabs"]));
    assert_eq!(hook("session_start", "qwen").eval(&start)["context"], json!(["use tabs"]));
    // Gemini CLI shows it to the user.
    let shown = hook("session_start", "gemini").eval(&start);
    assert_eq!((&shown["context"], &shown["messages"]), (&json!([]), &json!(["use tabs"])));
    let ignored = hook("stop", "claude").eval(&stop);
    assert_eq!((&ignored["decision"], &ignored["context"]), (&json!("allow"), &json!([])));
}

/// Without the dialect the same scripts would be failures.
#[test]
fn without_the_dialect_it_does_not_understand_the_script() {
    let folder = Folder::with(
        "[[hook]]\nid = 'guard'\nevent = 'pre_tool_use'\ncommand = { argv = ['./guard.sh'] }\n",
    )
    .script("guard.sh", CLAUDE_GUARD);
    let answer = folder.hook("gemini", "BeforeTool", &folder.gemini("rm -rf /"));
    // The script finds neither the variable nor the tool, and says nothing.
    assert_eq!(answer, Value::Null);
}
