//! A daemon answers as the call itself would, and whatever is wrong with it, the step is judged.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hookgate_test_support::agent_rules::Reaction;

use crate::support::{Answer, POLICY, Session, Stdin, run};

/// A policy that tells who has judged: the parent of the hook's program.
const WHO: &str = "[[hook]]\nid = 'who'\nevent = 'pre_tool_use'\n\
    command = { shell = 'cat /proc/$PPID/cmdline >&2; exit 2', shim = false }\n";

/// A session whose calls have a daemon, which is ended with it.
struct Daemon(Session);

impl Drop for Daemon {
    fn drop(&mut self) {
        for pid in self.pids() {
            let _ = Command::new("kill").args(["-KILL", &pid]).status();
        }
    }
}

impl Daemon {
    fn with(config: &str) -> Self {
        Self(Session::with(config))
    }

    fn folder(&self) -> PathBuf {
        self.0.home.path().join(".local/state/hookgate/daemon")
    }

    fn command(&self, idle: &str) -> Command {
        let mut command = self.0.command(&["hook", "--agent", "claude"]);
        command.env("HOOKGATE_DAEMON", idle);
        command
    }

    fn call(&self, tool_command: &str) -> Answer {
        self.call_at("PreToolUse", tool_command)
    }

    fn call_at(&self, event: &str, tool_command: &str) -> Answer {
        let envelope = self.0.envelope(event, tool_command).to_string();
        run(&mut self.command("60"), &Stdin::Text(envelope.as_bytes()))
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let is_socket =
            |path: &PathBuf| path.symlink_metadata().is_ok_and(|file| file.file_type().is_socket());
        entries.map(|entry| entry.path()).filter(is_socket).collect()
    }

    /// The daemons whose home is that of this session.
    fn pids(&self) -> Vec<String> {
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
    fn started(&self) -> PathBuf {
        self.call("ls");
        until(|| !self.sockets().is_empty());
        self.sockets().remove(0)
    }

    fn by_daemon(&self) -> bool {
        let text = self.call("ls").text();
        assert!(text.contains("deny") || text.contains("exit"), "{text}");
        text.contains("daemon")
    }
}

fn until(mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "it does not become so");
        thread::sleep(Duration::from_millis(20));
    }
}

fn blocked() -> Reaction {
    Reaction::Blocked("force push is not allowed here".to_owned())
}

#[test]
fn a_daemon_is_started_on_demand_and_judges_the_next_calls() {
    let daemon = Daemon::with(WHO);
    assert!(!daemon.by_daemon(), "the first call judges by itself");
    until(|| daemon.by_daemon());
    assert_eq!(daemon.pids().len(), 1);
    // The control: nobody has asked for one.
    let none = Daemon::with(WHO);
    none.0.call("claude", "PreToolUse", "ls");
    assert!(none.sockets().is_empty() && none.pids().is_empty());
    let folder = fs::metadata(daemon.folder()).unwrap().permissions().mode();
    let socket = fs::metadata(&daemon.sockets()[0]).unwrap().permissions().mode();
    assert_eq!((folder & 0o777, socket & 0o777), (0o700, 0o600));
}

#[test]
fn the_answers_are_the_same_as_without_it() {
    let daemon = Daemon::with(&format!(
        "{POLICY}[[hook]]\nid = 'sure'\nevent = 'pre_tool_use'\nruns = ['rm']\nbuiltin = {{ name = 'ask', reason = 'sure?' }}\n\
         [[hook]]\nid = 'late'\nevent = 'stop'\nbuiltin = {{ name = 'deny', reason = 'not yet' }}\n\
         [[hook]]\nid = 'day'\nevent = 'session_start'\nbuiltin = 'add_date'\n"
    ));
    daemon.started();
    let events = [
        "PreToolUse",
        "PostToolUse",
        "UserPromptSubmit",
        "SessionStart",
        "Stop",
        "SessionEnd",
        "Quantum",
    ];
    for event in events {
        for command in ["ls", "git push --force", "rm x"] {
            let with = daemon.call_at(event, command);
            let without = daemon.0.call("claude", event, command);
            assert_eq!(
                (with.exit, &with.stdout, &with.stderr),
                (without.exit, &without.stdout, &without.stderr),
                "{event} {command}"
            );
        }
    }
}

#[test]
fn concurrent_first_calls_leave_one_daemon() {
    let daemon = Daemon::with(POLICY);
    thread::scope(|scope| {
        let calls: Vec<_> =
            (0..4).map(|_| scope.spawn(|| daemon.call("git push --force"))).collect();
        for call in calls {
            assert_eq!(call.join().unwrap().reaction("claude", "PreToolUse"), blocked());
        }
    });
    until(|| daemon.sockets().len() == 1 && daemon.pids().len() == 1);
}

#[test]
fn an_edited_config_is_in_force_at_once() {
    let daemon = Daemon::with(POLICY);
    daemon.started();
    for round in 0..10 {
        let reason = format!("reason {round}");
        daemon.0.write_users(&POLICY.replace("force push is not allowed here", &reason));
        for _ in 0..3 {
            let text = daemon.call("git push --force").text();
            assert!(text.contains(&reason), "{round}: {text}");
        }
        // Long enough for the table to be kept.
        thread::sleep(Duration::from_millis(if round % 2 == 0 { 150 } else { 0 }));
        assert!(daemon.call("git push --force").text().contains(&reason));
    }
    daemon.0.write_users("nonsense");
    assert!(daemon.call("ls").text().contains("hookgate check -c"));
    // One of a project that appears later.
    daemon.0.write_users(POLICY);
    daemon.0.write(
        "hooks.toml",
        &POLICY.replace("no-force-push", "theirs").replace("push.*--force", "ls"),
    );
    assert!(daemon.call("ls").reaction("claude", "PreToolUse").blocks());
}

#[test]
fn a_daemon_ends_when_nobody_calls() {
    let daemon = Daemon::with(POLICY);
    let envelope = daemon.0.envelope("PreToolUse", "ls").to_string();
    run(&mut daemon.command("0.5"), &Stdin::Text(envelope.as_bytes()));
    until(|| !daemon.sockets().is_empty());
    until(|| daemon.sockets().is_empty() && daemon.pids().is_empty());
    assert_eq!(daemon.call("git push --force").reaction("claude", "PreToolUse"), blocked());
}

#[test]
fn a_daemon_that_was_killed_leaves_a_socket_that_is_replaced() {
    let daemon = Daemon::with(WHO);
    let socket = daemon.started();
    for pid in daemon.pids() {
        Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    }
    until(|| daemon.pids().is_empty());
    assert!(socket.exists());
    assert!(!daemon.by_daemon());
    until(|| daemon.by_daemon());
}

#[test]
fn a_daemon_that_is_killed_in_a_call_leaves_the_call_to_itself() {
    let daemon = Daemon::with(
        "[[hook]]\nid = 'slow'\nevent = 'pre_tool_use'\ntimeout = '6s'\n\
         command = { shell = 'sleep 1; echo judged >&2; exit 2' }\n",
    );
    daemon.started();
    let pids = daemon.pids();
    let envelope = daemon.0.envelope("PreToolUse", "ls").to_string();
    let call = thread::scope(|scope| {
        let call =
            scope.spawn(|| run(&mut daemon.command("60"), &Stdin::Text(envelope.as_bytes())));
        thread::sleep(Duration::from_millis(500));
        for pid in &pids {
            Command::new("kill").args(["-KILL", pid]).status().unwrap();
        }
        call.join().unwrap()
    });
    assert!(
        call.reaction("claude", "PreToolUse").blocks() && call.text().contains("judged"),
        "{call:?}"
    );
}

#[test]
fn a_daemon_that_hangs_is_not_waited_for_longer_than_the_deadline() {
    let daemon = Daemon::with(POLICY);
    daemon.started();
    for pid in daemon.pids() {
        Command::new("kill").args(["-STOP", &pid]).status().unwrap();
    }
    // It has not greeted, so the step is judged by the call.
    let call = daemon.call("git push --force");
    assert_eq!(call.reaction("claude", "PreToolUse"), blocked());
    assert!(call.took < Duration::from_secs(5), "{call:?}");
}

#[test]
fn a_daemon_that_hangs_in_a_call_is_a_deny_at_the_deadline() {
    let daemon = Daemon::with(
        "[[hook]]\nid = 'slow'\nevent = 'pre_tool_use'\nrole = 'observe'\ncommand = { shell = 'sleep 1' }\n",
    );
    daemon.started();
    let envelope = daemon.0.envelope("PreToolUse", "ls").to_string();
    let call = thread::scope(|scope| {
        let call = scope.spawn(|| {
            let mut command = daemon.command("60");
            run(command.args(["--timeout", "2"]), &Stdin::Text(envelope.as_bytes()))
        });
        thread::sleep(Duration::from_millis(500));
        for pid in daemon.pids() {
            Command::new("kill").args(["-STOP", &pid]).status().unwrap();
        }
        call.join().unwrap()
    });
    assert!(call.reaction("claude", "PreToolUse").blocks(), "{call:?}");
    assert!(call.text().contains("in time") && call.took < Duration::from_secs(8), "{call:?}");
}

/// Another program at the socket: an older version, or somebody who would say yes to everything.
#[test]
fn who_is_not_this_program_is_not_asked() {
    let daemon = Daemon::with(POLICY);
    let socket = daemon.started();
    for pid in daemon.pids() {
        Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    }
    until(|| daemon.pids().is_empty());
    fs::remove_file(&socket).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    });
    assert_eq!(daemon.call("git push --force").reaction("claude", "PreToolUse"), blocked());
    assert!(asked.join().unwrap().is_empty(), "it was told the step");
}

#[test]
fn a_folder_that_others_can_enter_is_not_used() {
    let daemon = Daemon::with(WHO);
    daemon.started();
    until(|| daemon.by_daemon());
    fs::set_permissions(daemon.folder(), Permissions::from_mode(0o755)).unwrap();
    assert!(!daemon.by_daemon());
    fs::set_permissions(daemon.folder(), Permissions::from_mode(0o700)).unwrap();
    assert!(daemon.by_daemon());
    // Nor is one behind a link.
    let real = daemon.0.home.path().join("real");
    fs::rename(daemon.folder(), &real).unwrap();
    std::os::unix::fs::symlink(&real, daemon.folder()).unwrap();
    assert!(!daemon.by_daemon());
}

#[test]
fn the_environment_and_the_folder_are_those_of_the_call() {
    let daemon = Daemon::with(
        "[[hook]]\nid = 'env'\nevent = 'pre_tool_use'\n\
         command = { shell = 'echo \"$SECRET_OF_CALL\" >&2; exit 2', env = ['SECRET_OF_CALL'] }\n",
    );
    let other = daemon.0.home.path().join("hooks.toml");
    fs::write(&other, POLICY.replace("push.*--force", "ls")).unwrap();
    let envelope = daemon.0.envelope("PreToolUse", "ls").to_string();
    let call = |value: &str, more: &[&str], folder: &Path| {
        let mut command = daemon.command("60");
        command.args(more).env("SECRET_OF_CALL", value).current_dir(folder);
        run(&mut command, &Stdin::Text(envelope.as_bytes())).text()
    };
    let (home, work) = (daemon.0.home.path(), daemon.0.folder.path());
    for _ in 0..3 {
        assert!(call("one", &[], home).contains("one"));
        assert!(call("two", &[], home).contains("two"));
        // A relative path begins where the call is.
        assert!(call("one", &["-c", "hooks.toml"], home).contains("force push"));
        assert!(call("one", &["-c", "hooks.toml"], work).contains("hookgate check -c"));
        thread::sleep(Duration::from_millis(300));
    }
    assert_eq!(daemon.sockets().len(), 3, "one for each environment and folder");
}

#[test]
fn a_daemon_does_not_hold_the_streams_of_the_agent() {
    let daemon = Daemon::with(POLICY);
    let started = Instant::now();
    daemon.started();
    assert!(started.elapsed() < Duration::from_secs(20));
    // Nor one that was handed on by mistake.
    let other = Daemon::with(POLICY);
    let mut shell = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_hookgate");
    shell
        .args(["-c", &format!("exec 3>&1; {program} hook --agent claude --daemon 60")])
        .env("HOME", other.0.home.path())
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("HOOKGATE_CONFIG")
        .stderr(Stdio::piped());
    let envelope = other.0.envelope("PreToolUse", "git push --force").to_string();
    let answer = run(&mut shell, &Stdin::Text(envelope.as_bytes()));
    assert_eq!(answer.reaction("claude", "PreToolUse"), blocked());
    assert!(answer.took < Duration::from_secs(20), "{answer:?}");
    until(|| !other.pids().is_empty());
}
