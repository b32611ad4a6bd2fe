//! Runs the binary.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The hooks that most tests use.
pub(crate) const HOOKS: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "push.*--force" } }
builtin = { name = "deny", reason = "force push is not allowed here" }

[[hook]]
id = "confirm-publish"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "publish" } }
builtin = { name = "ask", reason = "a published version stays" }

[[hook]]
id = "cached"
event = "pre_tool_use"
role = "rewrite"
tool = "Bash"
input = { "/command" = { equals = "date" } }
command = { shell = "echo '{\"answer\":{\"content\":\"today\",\"is_error\":false}}'" }

[[hook]]
id = "not-for-ever"
event = "pre_llm_request"
builtin = { name = "max_iterations", limit = 5 }
"#;

/// A folder that goes away with the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A folder with `hooks.toml`.
    pub(crate) fn with_hooks(text: &str) -> Self {
        let folder = Self::new();
        folder.write("hooks.toml", text);
        folder
    }

    /// A folder with `hooks.toml` and the files that configs with mistakes name.
    pub(crate) fn with_scripts(hooks: &str) -> Self {
        let folder = Self::with_hooks(hooks);
        for (name, text, mode) in [
            ("g.py", "import json\nprint(json.dumps({}))\n", 0o755),
            ("noexec.sh", "#!/bin/sh\nexit 0\n", 0o644),
            ("noshebang", "exit 0\n", 0o755),
            ("badinterp", "#!/usr/bin/there-is-no-such-program\nexit 0\n", 0o755),
            ("syn.py", "def broken(:\n    pass\n", 0o755),
            ("syn.sh", "#!/bin/sh\nif true; then\n", 0o755),
            ("plain.py", "print('no worker')\n", 0o755),
            ("guard.sh", "#!/bin/sh\nexit 0\n", 0o755),
            ("deny.py", "import sys\nsys.exit(2)\n", 0o755),
        ] {
            let path = folder.write(name, text);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// Writes a program. One of this name that runs now stays what it is.
    pub(crate) fn write_program(&self, name: &str, text: &str) {
        let path = self.write(&format!("{name}.new"), text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(path, self.path(name)).unwrap();
    }

    /// The binary, in this folder.
    pub(crate) fn hookgate(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookgate"));
        command
            .args(args)
            .current_dir(self.0.path())
            .env_remove("HOOKGATE_LOG")
            .env_remove("HOOKGATE_CONFIG")
            // The configs of whoever runs the tests do not count.
            .env("XDG_CONFIG_HOME", self.0.path().join("configs-of-user"));
        command
    }

    /// Runs the binary in this folder, with a text on stdin.
    pub(crate) fn run(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Ended {
        run(self.hookgate(args), stdin.as_ref())
    }
}

/// Runs a command to its end.
pub(crate) fn run(mut command: Command, stdin: &[u8]) -> Ended {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that ends without reading its stdin is none of our business.
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let writer = std::thread::spawn(move || pipe.write_all(&stdin));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    Ended(output)
}

/// How the binary ended.
#[derive(Debug)]
pub(crate) struct Ended(Output);

impl Ended {
    pub(crate) fn code(&self) -> i32 {
        self.0.status.code().unwrap()
    }

    pub(crate) fn out(&self) -> &str {
        std::str::from_utf8(&self.0.stdout).unwrap()
    }

    pub(crate) fn err(&self) -> &str {
        std::str::from_utf8(&self.0.stderr).unwrap()
    }

    /// Stdout as JSON lines.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.out().lines().map(parse).collect()
    }
}

/// A Bash call as an envelope.
pub(crate) fn bash(command: &str) -> String {
    serde_json::json!({
        "hook_event_name": "pre_tool_use",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    })
    .to_string()
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Whether this program was built with what a shipped policy needs.
pub(crate) fn is_built(policy: &Path) -> bool {
    let name = policy.file_name().and_then(|name| name.to_str());
    let needs = |feature: &str| name == Some(&*format!("{feature}-guard"));
    (cfg!(feature = "rego") || !needs("rego")) && (cfg!(feature = "cedar") || !needs("cedar"))
}

/// Whether the hooks in Python can run.
pub(crate) fn has_python() -> bool {
    hookgate_test_support::needs::program("python3")
}
