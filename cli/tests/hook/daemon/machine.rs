//! A session whose calls have a daemon.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use hookgate_test_support::agent_rules::Reaction;

use crate::support::{Answer, Session, Stdin, run};

/// A policy that tells who has judged: the parent of the hook's program.
pub(crate) const WHO: &str = "[[hook]]\nid = 'who'\nevent = 'pre_tool_use'\n\
    command = { shell = 'cat /proc/$PPID/cmdline >&2; exit 2', shim = false }\n";

/// A session whose calls have a daemon, which is ended with it.
pub(crate) struct Daemon(pub(crate) Session);

impl Drop for Daemon {
    fn drop(&mut self) {
        for pid in self.pids() {
            let _ = Command::new("kill").args(["-KILL", &pid]).status();
        }
    }
}

impl Daemon {
    /// A session whose agent calls this program.
    pub(crate) fn with(program: impl Into<PathBuf>, config: &str) -> Self {
        Self(Session { program: program.into(), ..Session::with(config) })
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.0.home.path().join(".local/state/hookgate/daemon")
    }

    pub(crate) fn command(&self, idle: &str) -> Command {
        let mut command = self.0.command(&["hook", "--agent", "claude"]);
        command.env("HOOKGATE_DAEMON", idle);
        command
    }

    pub(crate) fn call(&self, tool_command: &str) -> Answer {
        self.call_at("PreToolUse", tool_command)
    }

    pub(crate) fn call_at(&self, event: &str, tool_command: &str) -> Answer {
        let envelope = self.0.envelope(event, tool_command).to_string();
        run(&mut self.command("60"), &Stdin::Text(envelope.as_bytes()))
    }

    pub(crate) fn sockets(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let is_socket =
            |path: &PathBuf| path.symlink_metadata().is_ok_and(|file| file.file_type().is_socket());
        entries.map(|entry| entry.path()).filter(is_socket).collect()
    }

    /// The daemons whose home is that of this session.
    pub(crate) fn pids(&self) -> Vec<String> {
        let home = format!("HOME={}", self.0.home.path().display());
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().into_string().ok());
        let is_one = |pid: &String| {
            let read = |name| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let has = |bytes: Vec<u8>, text: &str| {
                bytes.split(|byte| *byte == 0).any(|part| part == text.as_bytes())
            };
            has(read("environ"), &home) && has(read("cmdline"), "daemon")
        };
        pids.filter(|pid| pid.parse::<u32>().is_ok()).filter(is_one).collect()
    }

    /// Calls until a daemon listens.
    pub(crate) fn started(&self) -> PathBuf {
        self.call("ls");
        until(|| !self.sockets().is_empty());
        self.sockets().remove(0)
    }

    pub(crate) fn by_daemon(&self) -> bool {
        let text = self.call("ls").text();
        assert!(text.contains("deny") || text.contains("exit"), "{text}");
        text.contains("daemon")
    }
}

pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "it does not become so");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The reaction to the deny of the policy.
pub(crate) fn blocked() -> Reaction {
    Reaction::Blocked("force push is not allowed here".to_owned())
}

/// Ends a process, or stops it.
pub(crate) fn signal(name: &str, pid: &str) {
    Command::new("kill").args([name, pid]).status().unwrap();
}
