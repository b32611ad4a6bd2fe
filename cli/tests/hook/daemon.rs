//! A daemon answers as the call itself would.

mod faults;
pub(crate) mod machine;
mod small;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{POLICY, Stdin, each_program, run};
use machine::{Daemon, WHO, blocked, until};

#[test]
fn a_daemon_is_started_on_demand_and_judges_the_next_calls() {
    each_program(|program| {
        let daemon = Daemon::with(program, WHO);
        assert!(!daemon.by_daemon(), "the first call judges by itself");
        until(|| daemon.by_daemon());
        assert_eq!(daemon.pids().len(), 1);
        // The control: nobody has asked for one.
        let none = Daemon::with(program, WHO);
        none.0.call("claude", "PreToolUse", "ls");
        assert!(none.sockets().is_empty() && none.pids().is_empty());
        let folder = fs::metadata(daemon.folder()).unwrap().permissions().mode();
        let socket = fs::metadata(&daemon.sockets()[0]).unwrap().permissions().mode();
        assert_eq!((folder & 0o777, socket & 0o777), (0o700, 0o600));
    });
}

#[test]
fn the_answers_are_the_same_as_without_it() {
    each_program(|program| {
        let daemon = Daemon::with(
            program,
            &format!(
                "{POLICY}[[hook]]\nid = 'sure'\nevent = 'pre_tool_use'\nruns = ['rm']\nbuiltin = {{ name = 'ask', reason = 'sure?' }}\n\
         [[hook]]\nid = 'late'\nevent = 'stop'\nbuiltin = {{ name = 'deny', reason = 'not yet' }}\n\
         [[hook]]\nid = 'day'\nevent = 'session_start'\nbuiltin = 'add_date'\n"
            ),
        );
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
    });
}

#[test]
fn concurrent_first_calls_leave_one_daemon() {
    each_program(|program| {
        let daemon = Daemon::with(program, POLICY);
        thread::scope(|scope| {
            let calls: Vec<_> =
                (0..4).map(|_| scope.spawn(|| daemon.call("git push --force"))).collect();
            for call in calls {
                assert_eq!(call.join().unwrap().reaction("claude", "PreToolUse"), blocked());
            }
        });
        until(|| daemon.sockets().len() == 1 && daemon.pids().len() == 1);
    });
}

#[test]
fn an_edited_config_is_in_force_at_once() {
    each_program(|program| {
        let daemon = Daemon::with(program, POLICY);
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
    });
}

#[test]
fn a_file_that_a_pattern_of_the_config_means_is_in_force_as_soon_as_it_is_there() {
    each_program(|program| {
        let daemon =
            Daemon::with(program, &("include = ['policies/*.toml']\n".to_owned() + POLICY));
        let policies = daemon.0.home.path().join(".config/hookgate/policies");
        fs::create_dir(&policies).unwrap();
        let theirs = |id: &str, word: &str| {
            POLICY.replace("no-force-push", id).replace("push.*--force", word)
        };
        fs::write(policies.join("a.toml"), theirs("a", "one")).unwrap();
        daemon.started();
        let blocks = |command: &str| daemon.call(command).reaction("claude", "PreToolUse").blocks();
        // Long enough for the table to be kept.
        thread::sleep(Duration::from_millis(150));
        assert!(blocks("one") && !blocks("two"));
        fs::write(policies.join("b.toml"), theirs("b", "two")).unwrap();
        assert!(blocks("one") && blocks("two"));
        fs::write(policies.join("a.toml"), theirs("a", "three")).unwrap();
        assert!(!blocks("one") && blocks("two") && blocks("three"));
    });
}

#[test]
fn a_daemon_ends_when_nobody_calls() {
    each_program(|program| {
        let daemon = Daemon::with(program, POLICY);
        let envelope = daemon.0.envelope("PreToolUse", "ls").to_string();
        run(&mut daemon.command("0.5"), &Stdin::Text(envelope.as_bytes()));
        until(|| !daemon.sockets().is_empty());
        until(|| daemon.sockets().is_empty() && daemon.pids().is_empty());
        assert_eq!(daemon.call("git push --force").reaction("claude", "PreToolUse"), blocked());
    });
}

#[test]
fn the_environment_and_the_folder_are_those_of_the_call() {
    each_program(|program| {
        let daemon = Daemon::with(
            program,
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
    });
}

#[test]
fn a_daemon_does_not_hold_the_streams_of_the_agent() {
    each_program(|program| {
        let daemon = Daemon::with(program, POLICY);
        let started = Instant::now();
        daemon.started();
        assert!(started.elapsed() < Duration::from_secs(20));
        // Nor one that was handed on by mistake.
        let other = Daemon::with(program, POLICY);
        let mut shell = Command::new("sh");
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
    });
}
