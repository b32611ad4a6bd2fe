//! Runs the hook command.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hookgate_test_support::agent_rules::{self, Ended, Reaction};
use serde_json::{Value, json};
use tempfile::TempDir;

/// One hook that denies a command, and nothing else.
pub(crate) const POLICY: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "push.*--force" } }
builtin = { name = "deny", reason = "force push is not allowed here" }
"#;

/// The program with all verbs.
pub(crate) const FULL: &str = env!("CARGO_BIN_EXE_hookgate");

/// The program that has a daemon answer.
pub(crate) const SMALL: &str = env!("CARGO_BIN_EXE_hookgate-call");

/// Does the same with each program that an agent can call.
pub(crate) fn each_program(test: impl Fn(&'static str)) {
    for program in [FULL, SMALL] {
        println!("with {program}");
        test(program);
    }
}

/// How a hook command has ended.
#[derive(Debug)]
pub(crate) struct Answer {
    /// `None` after a signal.
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Answer {
    /// What the agent does with it.
    pub(crate) fn reaction(&self, agent: &str, event: &str) -> Reaction {
        let exit = self.exit.unwrap_or(-1);
        let ended = Ended { exit, stdout: &self.stdout, stderr: &self.stderr };
        agent_rules::reaction(agent, event, ended).0
    }

    /// Everything that it says.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// What is on stdin.
pub(crate) enum Stdin<'a> {
    Text(&'a [u8]),
    /// It is closed.
    Closed,
    /// It stays open, after these bytes.
    Open(&'a [u8]),
    /// It never ends.
    Endless,
}

/// A folder in which a session works, and a home without a config.
pub(crate) struct Session {
    pub(crate) folder: TempDir,
    pub(crate) home: TempDir,
    /// What the agent calls.
    pub(crate) program: PathBuf,
    /// How long a daemon waits for calls, if there is to be one.
    pub(crate) idle: Option<&'static str>,
}

impl Session {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
            home: TempDir::new().unwrap(),
            program: FULL.into(),
            idle: None,
        }
    }

    /// A session with a config of its user.
    pub(crate) fn with(config: &str) -> Self {
        let session = Self::new();
        session.write_users(config);
        session
    }

    /// A session with a config of its project.
    pub(crate) fn in_project(config: &str) -> Self {
        let session = Self::new();
        session.write("hooks.toml", config);
        session
    }

    /// Writes the config of the user.
    pub(crate) fn write_users(&self, config: &str) {
        let folder = self.home.path().join(".config/hookgate");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("hooks.toml"), config).unwrap();
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Returns the command, as the agent starts it: not in the folder of the session.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env_remove("HOOKGATE_CONFIG")
            .env_remove("HOOKGATE_LOG")
            .env_remove("HOOKGATE_DAEMON")
            .env_remove("XDG_RUNTIME_DIR")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_STATE_HOME")
            .env("HOME", self.home.path());
        if let Some(idle) = self.idle {
            command.env("HOOKGATE_DAEMON", idle);
        }
        command
    }

    /// Returns an envelope of an event, in the folder of the session.
    pub(crate) fn envelope(&self, event: &str, command: &str) -> Value {
        envelope(self.folder.path(), event, command)
    }

    /// Calls the hook of an agent about an event.
    pub(crate) fn call(&self, agent: &str, event: &str, command: &str) -> Answer {
        let envelope = self.envelope(event, command).to_string();
        self.run(&["hook", "--agent", agent], &Stdin::Text(envelope.as_bytes()))
    }

    pub(crate) fn run(&self, arguments: &[&str], stdin: &Stdin<'_>) -> Answer {
        run(&mut self.command(arguments), stdin)
    }
}

/// Returns an envelope of an event, with every field that one of them needs.
pub(crate) fn envelope(cwd: &Path, event: &str, command: &str) -> Value {
    json!({
        "session_id": "s-1", "turn_id": "t-1", "cwd": cwd, "hook_event_name": event, "model": "m",
        "permission_mode": "default", "transcript_path": null,
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "call-1",
        "tool_response": "one\ntwo", "prompt": "rename it", "source": "startup", "reason": "other",
        "trigger": "manual", "stop_hook_active": false, "error": "exit 1", "message": "look",
    })
}

/// Runs a command, and waits for its end and for the end of its output.
pub(crate) fn run(command: &mut Command, stdin: &Stdin<'_>) -> Answer {
    let started = Instant::now();
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(match stdin {
        Stdin::Closed => Stdio::null(),
        _ => Stdio::piped(),
    });
    let mut child = command.spawn().unwrap();
    let held = feed(&mut child, stdin);
    let read = |mut stream: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        })
    };
    let stdout = read(Box::new(child.stdout.take().unwrap()));
    let stderr = read(Box::new(child.stderr.take().unwrap()));
    let status = child.wait().unwrap();
    let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
    drop(held);
    Answer { exit: status.code(), stdout, stderr, took: started.elapsed() }
}

/// Writes to stdin, and returns it if it must stay open.
fn feed(child: &mut Child, stdin: &Stdin<'_>) -> Option<std::process::ChildStdin> {
    let mut pipe = child.stdin.take()?;
    match stdin {
        // Who has refused already reads no more.
        Stdin::Text(bytes) => {
            let _ = pipe.write_all(bytes);
            None
        }
        Stdin::Open(bytes) => {
            let _ = pipe.write_all(bytes);
            Some(pipe)
        }
        Stdin::Endless => {
            thread::spawn(move || while pipe.write_all(&[b' '; 65_536]).is_ok() {});
            None
        }
        Stdin::Closed => None,
    }
}
