//! Systems and protocols in which hookgate is not installed: their scripts run here, and hookgate is the
//! hook command of those that call commands.

use serde_json::{Value, json};

use crate::support::Folder;

fn step(command: &str) -> Value {
    json!({
        "hook_event_name": "pre_tool_use", "session_id": "s", "tool_name": "Bash",
        "tool_use_id": "c-1", "tool_input": {"command": command},
    })
}

/// Scripts that look where their system tells the command, and what they do then.
const SCRIPTS: [(&str, &str); 3] = [
    (
        "docker-agent",
        "step['tool_name'] == 'shell' and step['tool_input']['cmd'] == 'rm':\n    print('no', file=sys.stderr); sys.exit(2)",
    ),
    (
        "meerkat",
        "step['tool_call']['args']['command'] == 'rm':\n    print(json.dumps({'decision': {'decision': 'deny', 'hook_id': 'h', 'reason_code': 'policy_violation', 'message': 'no'}}))\nelse:\n    print('{}')",
    ),
    (
        "defect",
        "step['args']['command'] == 'rm' and os.environ['DEFECT_TOOL_NAME'] == 'Bash':\n    print('no', file=sys.stderr); sys.exit(2)",
    ),
];

#[test]
fn a_script_for_a_system_guards_here() {
    for (system, test) in SCRIPTS {
        let hook = |dialect: &str| {
            let text = format!(
                "#!/usr/bin/env python3\nimport json, os, sys\nstep = json.load(sys.stdin)\nif {test}\n"
            );
            Folder::with(&format!(
                "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\n\
                 command = {{ argv = ['./hook.py']{dialect} }}\n"
            ))
            .script("hook.py", &text)
        };
        let folder = hook(&format!(", dialect = '{system}'"));
        let denied = folder.eval(&step("rm"));
        assert_eq!(
            (&denied["decision"], &denied["reason"]),
            (&json!("deny"), &json!("no")),
            "{denied}"
        );
        let passed = folder.eval(&step("ls"));
        assert_eq!(passed["decision"], "allow", "{system}: {passed}");
        assert!(passed["votes"][0]["failure"].is_null(), "{system}: {passed}");
        // Without the dialect it does not find the command.
        let blind = hook("").eval(&step("rm"));
        assert_ne!(blind["reason"], "no", "{system}: {blind}");
    }
}

#[test]
fn hookgate_is_their_hook_command() {
    let folder = Folder::with(
        "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\ninput = { '/command' = { equals = 'rm' } }\n\
         builtin = { name = 'deny', reason = 'not here' }\n",
    );
    let (config, cwd) = (format!("{}/hooks.toml", folder.path()), folder.path());
    let calls = [
        (
            "docker-agent",
            json!({"hook_event_name": "tool_guard", "session_id": "s", "cwd": cwd, "tool_name": "x", "tool_input": {"command": "rm"}}),
            (0, json!({"decision": "block", "reason": "not here"})),
        ),
        (
            "meerkat",
            json!({"point": "pre_tool_execution", "session_id": "s", "tool_call": {"tool_use_id": "c", "name": "x", "args": {"command": "rm"}}}),
            (
                0,
                json!({"decision": {"decision": "deny", "hook_id": "hookgate", "message": "not here", "reason_code": "policy_violation"}}),
            ),
        ),
        (
            "defect",
            json!({"hook_event": "before_tool_apply", "session_id": "s", "cwd": cwd, "tool": "x", "safety": "mutating", "args": {"command": "rm"}}),
            (2, Value::Null),
        ),
        (
            "ahp",
            json!({"jsonrpc": "2.0", "id": "e", "method": "hooks/intercept", "params": {"protocolVersion": "draft", "event": {"id": "e", "type": "tool.before", "session": {"id": "s"}, "tool": {"name": "x", "input": {"command": "rm"}}}, "capabilities": {"effects": ["deny"]}}}),
            (
                0,
                json!({"jsonrpc": "2.0", "id": "e", "result": {"protocolVersion": "draft", "effects": [{"type": "deny", "reason": "not here"}]}}),
            ),
        ),
    ];
    for (system, envelope, (exit, expected)) in calls {
        let ended = folder.run(&["hook", "--agent", system, "-c", &config], &envelope.to_string());
        assert_eq!(ended.status.code(), Some(exit), "{system}: {ended:?}");
        let said = serde_json::from_slice::<Value>(&ended.stdout).unwrap_or_default();
        assert_eq!(said, expected, "{system}");
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert!(exit == 0 || stderr.trim() == "not here", "{system}: {stderr}");
    }
}

#[test]
fn a_system_whose_hooks_are_code_is_told_apart() {
    let folder = Folder::with("allow_empty = true\n");
    let ended = folder.run(&["hook", "--agent", "pioneer"], "{}");
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.contains("calls no programs"), "{stderr}");
    assert_eq!(ended.status.code(), Some(2));
    // It is offered neither to be installed nor to be examined.
    for verb in ["install", "doctor"] {
        for system in ["pioneer", "docker-agent", "meerkat", "defect", "ahp"] {
            let ended = folder.run(&[verb, "--agent", system], "");
            assert_ne!(ended.status.code(), Some(0), "{verb} {system}: {ended:?}");
            let said = String::from_utf8(ended.stderr).unwrap();
            assert!(
                said.contains("unknown") || said.contains("no agent"),
                "{verb} {system}: {said}"
            );
        }
    }
}
