//! A folder with a config, in which hookgate runs.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn with(config: &str) -> Self {
        let folder = Self(TempDir::new().unwrap());
        fs::write(folder.0.path().join("hooks.toml"), config).unwrap();
        folder
    }

    /// Adds a script.
    pub(crate) fn script(self, name: &str, text: &str) -> Self {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
    }

    pub(crate) fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    pub(crate) fn run(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hookgate"))
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("HOOKGATE_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Who refuses at once does not read it.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Calls the hook of an agent, and returns what the agent gets.
    pub(crate) fn hook(&self, agent: &str, event: &str, envelope: &Value) -> Value {
        let config = format!("{}/hooks.toml", self.path());
        let arguments = ["hook", "--agent", agent, "--event", event, "-c", &config];
        let ended = self.run(&arguments, &envelope.to_string());
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        match String::from_utf8(ended.stdout).unwrap().trim() {
            "" => Value::Null,
            text => serde_json::from_str(text).unwrap(),
        }
    }

    /// Evaluates one of our own envelopes, and returns the record.
    pub(crate) fn eval(&self, envelope: &Value) -> Value {
        let ended = self.run(&["eval", "-c", "hooks.toml", "--json"], &envelope.to_string());
        serde_json::from_slice(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"))
    }

    /// Returns an envelope of Gemini CLI about a command.
    pub(crate) fn gemini(&self, command: &str) -> Value {
        json!({
            "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": self.path(),
            "hook_event_name": "BeforeTool", "timestamp": "2026-08-20T10:00:00.000Z",
            "tool_name": "run_shell_command", "tool_input": {"command": command},
        })
    }
}
