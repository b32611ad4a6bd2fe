//! Nothing that a hook starts keeps the agent waiting, and no stream that is closed turns a deny into
//! silence.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{POLICY, Session, Stdin, run};

/// A program of a hook leaves something behind that goes on for a minute. The agent waits until nobody
/// holds its pipes any more.
#[test]
fn what_a_hook_leaves_behind_does_not_hold_the_pipes_of_the_agent() {
    let session = Session::with(
        "[[hook]]\nid = 'leaky'\nevent = 'pre_tool_use'\ntimeout = '5s'\n\
         command = { shell = 'sleep 60 & exit 2' }\n\
         [[hook]]\nid = 'daemon'\nevent = 'pre_tool_use'\nbackground = true\nrole = 'observe'\n\
         command = { shell = 'setsid sleep 60 & exit 0' }\n",
    );
    for agent in ["claude", "codex"] {
        let answer = session.call(agent, "PreToolUse", "ls");
        assert!(answer.reaction(agent, "PreToolUse").blocks(), "{answer:?}");
        assert!(answer.took < Duration::from_secs(20), "{answer:?}");
    }
}

/// The control: a hook command that starts the same by itself does hold them.
#[test]
fn a_shell_script_in_its_place_would_hold_them() {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 2 & exit 2"]);
    assert!(run(&mut command, &Stdin::Closed).took >= Duration::from_secs(2));
}

#[test]
fn a_deny_that_cannot_be_written_is_said_by_the_exit_code() {
    let session = Session::with(POLICY);
    let envelope = session.envelope("PreToolUse", "git push --force").to_string();
    let input = session.folder.path().join("envelope.json");
    std::fs::write(&input, envelope).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = session.command(&["hook", "--agent", "claude"]);
    command.stdin(std::fs::File::open(input).unwrap()).stdout(writer).stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!output.stderr.is_empty());
}

/// The deadline holds also for what goes on after the answer.
#[test]
fn a_slow_observer_does_not_keep_the_agent_waiting() {
    let session = Session::with(
        "[[hook]]\nid = 'log'\nevent = 'pre_tool_use'\nrole = 'observe'\nbackground = true\ntimeout = '60s'\n\
         command = { shell = 'sleep 60' }\n",
    );
    let started = Instant::now();
    let envelope = session.envelope("PreToolUse", "ls").to_string();
    let arguments = ["hook", "--agent", "claude", "--timeout", "1.5"];
    let answer = session.run(&arguments, &Stdin::Text(envelope.as_bytes()));
    assert_eq!((answer.exit, answer.stdout.as_str()), (Some(0), ""), "{answer:?}");
    assert!(started.elapsed() < Duration::from_secs(6), "{answer:?}");
}
