//! A session of an agent whose calls have a daemon.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

/// How long anything is waited for.
pub const LONGEST: Duration = Duration::from_secs(60);

/// What a call says if something else than its daemon listens.
pub const NOTE: &str = "not a program of this user";

pub struct Session {
    folder: PathBuf,
    program: PathBuf,
    /// After how many seconds without a call the daemon ends.
    idle: &'static str,
}

/// What a call has said.
#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Answer {
    /// The number of the step, and the process of the hook that has denied it.
    pub fn denied(&self) -> Option<(u32, u32)> {
        if !self.stdout.contains(r#""permissionDecision":"deny""#) {
            return None;
        }
        let (_, rest) = self.stdout.split_once("step ")?;
        let (number, process) = rest.split_once('.')?.0.split_once(" of ")?;
        Some((number.parse().ok()?, process.parse().ok()?))
    }
}

impl Session {
    pub fn new(program: &Path, idle: &'static str) -> Self {
        static SESSIONS: AtomicU32 = AtomicU32::new(0);
        let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
        let name = format!("hookgate-test-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let hook = std::env::current_exe().unwrap();
        let config = format!(
            "[[hook]]\nid = 'who'\nevent = 'pre_tool_use'\n\
             command = {{ argv = ['{}', 'worker'], mode = 'worker' }}\n",
            hook.display()
        );
        fs::write(folder.join("hooks.toml"), config).unwrap();
        Self { folder, program: program.to_owned(), idle }
    }

    /// Calls the hook of the agent, and waits for the end of its streams.
    pub fn call(&self) -> Answer {
        let started = Instant::now();
        let mut command = Command::new(&self.program);
        command
            .args(["hook", "--agent", "claude", "-c", "hooks.toml", "--timeout", "30"])
            .args(["--daemon", self.idle])
            .current_dir(&self.folder)
            .env("LOCALAPPDATA", &self.folder)
            .env("HOME", &self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let step = json!({
            "session_id": "s", "cwd": self.folder, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "secret-of-the-step"},
        });
        child.stdin.take().unwrap().write_all(step.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Answer {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            took: started.elapsed(),
        }
    }

    /// Calls until a daemon has answered two calls. Returns their number and the process of the hook. A machine that is
    /// busy may be too slow for the time in which a daemon has to greet: then a call judges by itself.
    pub fn answered(&self) -> (u32, u32) {
        let mut answered = None;
        wait_until(|| {
            answered = self.call().denied().filter(|(number, _)| *number > 0);
            answered.is_some()
        });
        answered.unwrap()
    }

    /// Calls, and waits until a daemon listens. Returns its key.
    pub fn started(&self) -> String {
        let answer = self.call();
        assert_eq!(answer.denied().map(|(number, _)| number), Some(0), "{answer:?}");
        wait_until(|| self.key().is_some());
        self.key().unwrap()
    }

    /// Waits until a daemon has come and gone. Returns its key.
    pub fn ended(&self) -> String {
        let key = self.started();
        wait_until(|| self.key().is_none());
        key
    }

    /// The key of the daemon that listens.
    pub fn key(&self) -> Option<String> {
        let entries = fs::read_dir(self.daemons()).ok()?;
        let mut names = entries.flatten().map(|entry| entry.file_name().into_string().unwrap());
        names.find_map(|name| name.strip_suffix(".listens").map(str::to_owned))
    }

    fn daemons(&self) -> PathBuf {
        self.folder.join("hookgate").join("daemon")
    }

    /// The file of the secret.
    pub fn secret_file(&self) -> PathBuf {
        self.daemons().join("secret")
    }

    /// The secret.
    pub fn secret(&self) -> [u8; 32] {
        fs::read(self.secret_file()).unwrap().try_into().unwrap()
    }

    /// What a daemon of this program greets with.
    pub fn greeting(&self, key: &str) -> String {
        let full = self.program.with_file_name("hookgate.exe");
        let output = Command::new(full).arg("--version").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        format!("hookgate {} {key}\n", text.trim().rsplit(' ').next().unwrap())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A daemon may still stand in it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub fn wait_until(mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONGEST;
    while !is_so() {
        assert!(Instant::now() < end, "it was never so");
        sleep(Duration::from_millis(20));
    }
}
