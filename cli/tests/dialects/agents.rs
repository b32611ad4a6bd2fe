//! Scripts of five agents under our own events: each reads the names of its agent and answers in its form.

use serde_json::{Value, json};

use crate::support::Folder;

/// A script for an agent, in Python. It fails if it does not find the names of its agent.
struct Script {
    agent: &'static str,
    /// The event, the tool, and the expression of its command.
    event: &'static str,
    tool: &'static str,
    names: (&'static str, &'static str),
    command: &'static str,
    /// What it prints for a deny, an ask and a rewrite; `None` if its agent has no such answer.
    deny: &'static str,
    ask: Option<&'static str>,
    rewrite: Option<&'static str>,
}

const SCRIPTS: [Script; 5] = [
    Script {
        agent: "claude",
        event: "PreToolUse",
        tool: "Bash",
        names: ("hook_event_name", "tool_name"),
        command: "step['tool_input']['command']",
        deny: r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"by json"}}"#,
        ask: Some(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#,
        ),
        rewrite: Some(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -l"}}}"#,
        ),
    },
    Script {
        agent: "codex",
        event: "PreToolUse",
        tool: "Bash",
        names: ("hook_event_name", "tool_name"),
        command: "step['tool_input']['command']",
        deny: r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"by json"}}"#,
        ask: None,
        rewrite: Some(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls -l"}}}"#,
        ),
    },
    Script {
        agent: "gemini",
        event: "BeforeTool",
        tool: "run_shell_command",
        names: ("hook_event_name", "tool_name"),
        command: "step['tool_input']['command']",
        deny: r#"{"decision":"deny","reason":"by json"}"#,
        ask: Some(r#"{"decision":"ask","reason":"sure?"}"#),
        rewrite: Some(r#"{"hookSpecificOutput":{"tool_input":{"command":"ls -l"}}}"#),
    },
    Script {
        agent: "cursor",
        event: "preToolUse",
        tool: "Shell",
        names: ("hook_event_name", "tool_name"),
        command: "step['tool_input']['command']",
        deny: r#"{"permission":"deny","agent_message":"by json"}"#,
        ask: Some(r#"{"permission":"ask","user_message":"sure?"}"#),
        rewrite: Some(r#"{"permission":"allow","updated_input":{"command":"ls -l"}}"#),
    },
    Script {
        agent: "copilot",
        event: "",
        tool: "bash",
        names: ("", "toolName"),
        command: "step['toolArgs']['command']",
        deny: r#"{"permissionDecision":"deny","permissionDecisionReason":"by json"}"#,
        ask: Some(r#"{"permissionDecision":"ask","permissionDecisionReason":"sure?"}"#),
        rewrite: Some(r#"{"permissionDecision":"allow","modifiedArgs":{"command":"ls -l"}}"#),
    },
];

impl Script {
    fn text(&self) -> String {
        let (event, tool) = self.names;
        let checks_event = match event {
            "" => String::new(),
            key => format!("assert step['{key}'] == '{}', step\n", self.event),
        };
        format!(
            "#!/usr/bin/env python3\n\
             import json, sys\n\
             step = json.load(sys.stdin)\n\
             {checks_event}\
             assert step['{tool}'] == '{}', step\n\
             command = {}\n\
             answers = {{'curl': '''{}''', 'sudo': '''{}''', 'ls': '''{}'''}}\n\
             if command == 'rm -rf /':\n\
             \x20   print('by status', file=sys.stderr)\n\
             \x20   sys.exit(2)\n\
             print(answers.get(command, ''))\n",
            self.tool,
            self.command,
            self.deny,
            self.ask.unwrap_or_default(),
            self.rewrite.unwrap_or_default(),
        )
    }

    /// A folder in which it is a hook with this role.
    fn folder(&self, role: &str, dialect: &str) -> Folder {
        Folder::with(&format!(
            "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\nrole = '{role}'\n\
             command = {{ argv = ['./hook.py']{dialect} }}\n"
        ))
        .script("hook.py", &self.text())
    }

    fn speaking(&self, role: &str) -> Folder {
        self.folder(role, &format!(", dialect = '{}'", self.agent))
    }
}

fn step(command: &str) -> Value {
    json!({
        "hook_event_name": "pre_tool_use", "session_id": "s", "tool_name": "Bash",
        "tool_use_id": "c-1", "tool_input": {"command": command},
    })
}

#[test]
fn each_reads_its_own_names_and_denies_by_status_and_by_json() {
    for script in &SCRIPTS {
        let folder = script.speaking("guard");
        for (command, reason) in [("rm -rf /", "by status"), ("curl", "by json")] {
            let record = folder.eval(&step(command));
            assert_eq!(record["decision"], "deny", "{}: {record}", script.agent);
            assert!(record.to_string().contains(reason), "{}: {record}", script.agent);
            assert!(record["votes"][0]["failure"].is_null(), "{}: {record}", script.agent);
        }
        let record = folder.eval(&step("pwd"));
        assert_eq!(record["decision"], "allow", "{}: {record}", script.agent);
        assert!(record["votes"][0]["failure"].is_null(), "{}: {record}", script.agent);
    }
}

#[test]
fn each_asks_if_its_agent_can() {
    for script in SCRIPTS.iter().filter(|script| script.ask.is_some()) {
        let record = script.speaking("guard").eval(&step("sudo"));
        assert_eq!(record["decision"], "ask", "{}: {record}", script.agent);
        assert!(record.to_string().contains("sure?"), "{}: {record}", script.agent);
    }
}

#[test]
fn each_rewrites() {
    for script in SCRIPTS.iter().filter(|script| script.rewrite.is_some()) {
        let record = script.speaking("rewrite").eval(&step("ls"));
        assert_eq!(record["decision"], "allow", "{}: {record}", script.agent);
        let input = &record["final"]["tool_input"];
        assert_eq!(input, &json!({"command": "ls -l"}), "{}: {record}", script.agent);
    }
}

/// Without its dialect none of them does its work: what they say of it is a failure, and a guard denies.
#[test]
fn none_is_understood_without_its_dialect() {
    for script in &SCRIPTS {
        let record = script.folder("guard", "").eval(&step("pwd"));
        let failure = &record["votes"][0]["failure"];
        assert_eq!((&record["decision"], failure), (&json!("deny"), &json!("exit")), "{record}");
    }
}
