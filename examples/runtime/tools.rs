//! The tools of the agent. Their input comes from a cleared step only.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::process::Command;

/// The tools, at work in one folder.
#[derive(Debug, Clone)]
pub(crate) struct Tools {
    folder: PathBuf,
}

impl Tools {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The folder, for the context of every step.
    pub(crate) fn folder(&self) -> &str {
        self.folder.to_str().unwrap_or_default()
    }

    /// Runs a tool with the input that was cleared.
    pub(crate) async fn run(&self, name: &str, input: &Value) -> Result<String, String> {
        let text = |key: &str| {
            input.get(key).and_then(Value::as_str).ok_or_else(|| format!("`{key}` is missing"))
        };
        match name {
            "read_file" => {
                let path = self.folder.join(text("path")?);
                std::fs::read_to_string(path).map_err(|error| error.to_string())
            }
            "shell" => self.shell(text("command")?).await,
            _ => Err(format!("there is no tool `{name}`")),
        }
    }

    /// Runs a command. It is killed if the future is dropped, as it is when the user presses Esc.
    async fn shell(&self, command: &str) -> Result<String, String> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&self.folder).kill_on_drop(true);
        let output = shell.output().await.map_err(|error| error.to_string())?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }
}
