//! The small program is the full one, only faster: where it cannot have a daemon answer, it becomes that.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::machine::{Daemon, WHO, blocked, until};
use crate::support::{FULL, POLICY, SMALL, Session, Stdin, run};

/// Another folder with the small program, and perhaps with a full one.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        fs::copy(SMALL, folder.small()).unwrap();
        folder
    }

    fn small(&self) -> PathBuf {
        self.0.path().join("hookgate-call")
    }

    fn full(&self) -> PathBuf {
        self.0.path().join("hookgate")
    }

    /// Puts a shell script in the place of the full program.
    fn write_full(&self, script: &str) {
        fs::write(self.full(), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(self.full(), Permissions::from_mode(0o755)).unwrap();
    }

    /// Puts the full program there, as an update does.
    fn update_full(&self) {
        let new = self.0.path().join("new");
        fs::copy(FULL, &new).unwrap();
        fs::rename(new, self.full()).unwrap();
    }
}

/// A session with a daemon that listens, whose agent then calls this program.
fn daemon_and(program: &Path) -> Daemon {
    let mut daemon = Daemon::with(FULL, POLICY);
    daemon.started();
    program.clone_into(&mut daemon.0.program);
    daemon
}

/// What makes it fast: it is a file of another size, since nothing of the engine is in it.
#[test]
fn it_has_little_in_it() {
    let folder = TempDir::new().unwrap();
    let size = |program: &str| {
        // What a debugger reads is not loaded, and the linker keeps it for functions that it leaves out.
        let stripped = folder.path().join("stripped");
        let done = Command::new("strip").arg("-g").arg("-o").arg(&stripped).arg(program).status();
        assert!(done.expect("`strip` comes with the linker").success());
        fs::metadata(stripped).unwrap().len()
    };
    assert!(size(SMALL) * 5 < size(FULL), "{} and {} bytes", size(SMALL), size(FULL));
}

#[test]
fn without_the_full_program_everything_is_refused() {
    let folder = Folder::new();
    let calls: [&[&str]; 4] = [
        &["hook", "--agent", "claude", "--daemon", "60", "--event", "PreToolUse"],
        &["hook", "--agent", "claude"],
        &["hook", "--agent"],
        &[],
    ];
    let daemon = daemon_and(&folder.small());
    let envelope = daemon.0.envelope("PreToolUse", "ls").to_string();
    let call = |arguments: &[&str]| daemon.0.run(arguments, &Stdin::Text(envelope.as_bytes()));
    for arguments in calls {
        let answer = call(arguments);
        assert_eq!((answer.exit, answer.stdout.as_str()), (Some(2), ""), "{answer:?}");
        assert!(answer.reaction("claude", "PreToolUse").blocks(), "{answer:?}");
        let full = folder.full().display().to_string();
        assert!(answer.stderr.contains(&full) && answer.stderr.contains("install"), "{answer:?}");
    }
    // The same if what is there cannot be started, and the control.
    fs::write(folder.full(), "").unwrap();
    assert_eq!(call(calls[0]).exit, Some(2));
    fs::remove_file(folder.full()).unwrap();
    std::os::unix::fs::symlink(FULL, folder.full()).unwrap();
    assert_eq!(call(calls[0]).exit, Some(0));
}

/// Whatever the command line says, the other program gets it as it is, and the whole of stdin.
#[test]
fn what_no_daemon_answers_is_handed_on_as_it_is() {
    let folder = Folder::new();
    folder.write_full("printf '%s,' \"$@\"; pwd; echo \"$HOOKGATE_DAEMON\"; wc -c; exit 2");
    let daemon = daemon_and(&folder.small());
    let calls: [&[&str]; 6] = [
        &["hook", "--agent", "claude", "--timeout", "5", "--event", "Stop"],
        &["hook", "--agent=claude", "-c", "a b"],
        &["hook", "--agent", "claude", "--agent", "codex"],
        &["hook", "--agent", "claude", "--of-tomorrow", "1"],
        &["--version"],
        &["", "'"],
    ];
    let text = "x".repeat(3 << 20);
    for arguments in calls {
        let mut command = daemon.0.command(arguments);
        command.env("HOOKGATE_DAEMON", "60");
        let answer = run(&mut command, &Stdin::Text(text.as_bytes()));
        let home = fs::canonicalize(daemon.0.home.path()).unwrap();
        let expected = format!("{},{}\n60\n{}\n", arguments.join(","), home.display(), text.len());
        assert_eq!((answer.exit, answer.stdout), (Some(2), expected), "{arguments:?}");
    }
}

#[test]
fn without_a_daemon_it_is_the_full_program() {
    let small = Session { program: SMALL.into(), ..Session::with(POLICY) };
    let full = Session::with(POLICY);
    let calls: [&[&str]; 4] =
        [&["--version"], &["hook", "--help"], &["hook"], &["check", "-c", "nowhere.toml"]];
    for arguments in calls {
        let [small, full] =
            [&small, &full].map(|session| session.run(arguments, &Stdin::Text(b"{}")));
        assert_eq!((small.exit, small.stdout, small.stderr), (full.exit, full.stdout, full.stderr));
    }
    for (command, blocks) in [("ls", false), ("git push --force", true)] {
        let answer = small.call("claude", "PreToolUse", command);
        assert_eq!(answer.reaction("claude", "PreToolUse").blocks(), blocks, "{answer:?}");
    }
    // Nobody has asked for a daemon, so there is none.
    assert!(!small.home.path().join(".local/state/hookgate/daemon").exists());
}

#[test]
fn the_daemon_of_another_version_is_not_asked() {
    let folder = Folder::new();
    folder.update_full();
    let daemon = Daemon::with(folder.small(), WHO);
    assert!(!daemon.by_daemon());
    until(|| daemon.by_daemon());
    assert_eq!((daemon.sockets().len(), daemon.pids().len()), (1, 1));
    folder.update_full();
    assert!(!daemon.by_daemon(), "that of the version before has answered");
    until(|| daemon.by_daemon());
    assert_eq!(daemon.sockets().len(), 2);
    // An update of the small program alone changes nothing.
    fs::copy(SMALL, folder.0.path().join("new")).unwrap();
    fs::rename(folder.0.path().join("new"), folder.small()).unwrap();
    assert!(daemon.by_daemon());
}

#[test]
fn a_program_that_is_not_this_one_is_not_greeted() {
    let daemon = Daemon::with(SMALL, POLICY);
    let socket = daemon.started();
    let mut said = Vec::new();
    UnixStream::connect(socket).unwrap().read_to_end(&mut said).unwrap();
    assert!(said.is_empty(), "{said:?}");
    // Nor is the small program of another folder, which finds its answer otherwise.
    let folder = Folder::new();
    std::os::unix::fs::symlink(FULL, folder.full()).unwrap();
    let other = daemon_and(&folder.small());
    assert_eq!(other.call("git push --force").reaction("claude", "PreToolUse"), blocked());
}

#[test]
fn a_large_step_arrives_whole() {
    let daemon = Daemon::with(
        SMALL,
        "[limits]\npayload = '16MiB'\n[[hook]]\nid = 'count'\nevent = 'pre_tool_use'\n\
         command = { shell = 'wc -c >&2; cat /proc/$PPID/cmdline >&2; exit 2', shim = false }\n",
    );
    let of = |size: usize| {
        let envelope = daemon.0.envelope("PreToolUse", &"é".repeat(size / 2)).to_string();
        run(&mut daemon.command("60"), &Stdin::Text(envelope.as_bytes()))
    };
    // By the call itself, then by the daemon.
    let alone = of(8 << 20);
    until(|| !daemon.sockets().is_empty());
    let asked = of(8 << 20);
    assert!(!alone.text().contains("daemon") && asked.text().contains("daemon"), "{asked:?}");
    let count = |text: String| {
        let numbers = text.split(|letter: char| !letter.is_ascii_digit());
        numbers.filter_map(|number| number.parse::<usize>().ok()).max().unwrap()
    };
    assert!(count(asked.text()) > 8 << 20, "{asked:?}");
    assert_eq!(count(alone.text()), count(asked.text()));
    let large = of(17 << 20);
    assert!(large.text().contains("larger than 16 MiB"), "{large:?}");
}

#[test]
fn an_answer_is_one_object_of_the_agent() {
    let daemon = Daemon::with(SMALL, POLICY);
    daemon.started();
    let envelope = daemon.0.envelope("PreToolUse", "git push --force").to_string();
    let arguments = ["hook", "--agent", "codex", "--daemon", "60", "--timeout", "8"];
    let answer = daemon.0.run(&arguments, &Stdin::Text(envelope.as_bytes()));
    assert!(answer.reaction("codex", "PreToolUse").blocks(), "{answer:?}");
    assert_eq!(answer.stdout.lines().count(), 1, "{answer:?}");
    assert!(serde_json::from_str::<Value>(&answer.stdout).unwrap().is_object());
}
