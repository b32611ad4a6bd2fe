//! Whatever is wrong with a daemon, the step is judged, or refused.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use super::machine::{Daemon, WHO, blocked, signal, until};
use crate::support::{POLICY, Stdin, each_program, run};

#[test]
fn a_daemon_that_was_killed_leaves_a_socket_that_is_replaced() {
    each_program(|program| {
        let daemon = Daemon::with(program, WHO);
        let socket = daemon.started();
        for pid in daemon.pids() {
            signal("-KILL", &pid);
        }
        until(|| daemon.pids().is_empty());
        assert!(socket.exists());
        assert!(!daemon.by_daemon());
        until(|| daemon.by_daemon());
    });
}

#[test]
fn a_daemon_that_is_killed_in_a_call_leaves_the_call_to_itself() {
    each_program(|program| {
        let daemon = Daemon::with(
            program,
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
                signal("-KILL", pid);
            }
            call.join().unwrap()
        });
        assert!(
            call.reaction("claude", "PreToolUse").blocks() && call.text().contains("judged"),
            "{call:?}"
        );
    });
}

#[test]
fn a_daemon_that_hangs_is_not_waited_for_longer_than_the_deadline() {
    each_program(|program| {
        let daemon = Daemon::with(program, POLICY);
        daemon.started();
        for pid in daemon.pids() {
            signal("-STOP", &pid);
        }
        // It has not greeted, so the step is judged by the call.
        let call = daemon.call("git push --force");
        assert_eq!(call.reaction("claude", "PreToolUse"), blocked());
        assert!(call.took < Duration::from_secs(5), "{call:?}");
    });
}

#[test]
fn a_daemon_that_hangs_in_a_call_is_a_deny_at_the_deadline() {
    each_program(|program| {
        let daemon = Daemon::with(
            program,
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
                signal("-STOP", &pid);
            }
            call.join().unwrap()
        });
        assert!(call.reaction("claude", "PreToolUse").blocks(), "{call:?}");
        assert!(call.text().contains("in time") && call.took < Duration::from_secs(8), "{call:?}");
    });
}

/// Another program at the socket: an older version, or somebody who would say yes to everything.
#[test]
fn who_is_not_this_program_is_not_asked() {
    each_program(|program| {
        let daemon = Daemon::with(program, POLICY);
        let socket = daemon.started();
        for pid in daemon.pids() {
            signal("-KILL", &pid);
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
    });
}

#[test]
fn a_folder_that_others_can_enter_is_not_used() {
    each_program(|program| {
        let daemon = Daemon::with(program, WHO);
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
    });
}
