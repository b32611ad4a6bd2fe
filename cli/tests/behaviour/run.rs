//! Promise: `run` writes a record for every line, in order, whatever the line contains.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::{Folder, HOOKS, bash};

#[test]
fn a_broken_line_is_reported_with_its_position_and_the_run_goes_on() {
    let folder = Folder::with_hooks(HOOKS);
    let mut steps = format!("{}\n\n{{\"broken\n", bash("ls")).into_bytes();
    steps.extend(b"{\"hook_event_name\":\"stop\xff\"}\n");
    steps.extend(b"{\"hook_event_name\":\"pre_tool_us\"}\r\n   \n");
    steps.extend(bash("git push --force").bytes());
    let file = folder.write("steps.jsonl", steps);
    let ended = folder.run(&["run", file.to_str().unwrap()], "");

    assert_eq!(ended.code(), 1);
    let decisions: Vec<_> =
        ended.lines().iter().map(|line| line["decision"].as_str().unwrap().to_owned()).collect();
    assert_eq!(decisions, ["allow", "deny", "deny", "deny", "deny"]);
    let failures: Vec<_> =
        ended.lines().iter().map(|line| line["votes"][0]["failure"].clone()).collect();
    assert_eq!(failures[1..4], ["malformed", "malformed", "malformed"]);
    assert_eq!(ended.lines()[4]["by"][0], "no-force-push");
    for position in ["steps.jsonl:3:8:", "steps.jsonl:4:25: ", "steps.jsonl:5:1:"] {
        assert!(ended.err().contains(position), "{position} in {}", ended.err());
    }
    assert!(ended.err().contains("not valid UTF-8"), "{}", ended.err());
    assert!(ended.err().contains("did you mean `pre_tool_use`?"), "{}", ended.err());
    assert!(ended.err().contains("3 unreadable"), "{}", ended.err());
}

#[test]
fn decisions_do_not_change_how_a_run_ends() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["run", "-"], bash("git push --force"));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert_eq!(ended.lines()[0]["decision"], "deny");
    assert!(ended.err().contains("1 step ·"), "{}", ended.err());
    assert!(ended.err().contains("no-force-push"));
}

#[test]
fn a_quiet_run_prints_only_records() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["run", "--quiet", "--json"], bash("ls"));
    assert_eq!((ended.code(), ended.err(), ended.lines().len()), (0, "", 1));
}

#[test]
fn a_line_that_is_too_long_is_unreadable_and_the_next_one_is_evaluated() {
    let folder = Folder::with_hooks(HOOKS);
    let long = format!("{}\n{}\n", bash(&"x".repeat(17 << 20)), bash("ls"));
    let ended = folder.run(&["run"], long);
    assert_eq!(ended.code(), 1);
    assert_eq!(ended.lines()[0]["votes"][0]["failure"], "malformed");
    assert_eq!(ended.lines()[1]["decision"], "allow");
    assert!(ended.err().contains("<stdin>:1:1:"), "{}", ended.err());
}

#[test]
fn without_a_config_nothing_is_evaluated() {
    let folder = Folder::new();
    let ended = folder.run(&["run"], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (3, ""));
    assert!(ended.err().contains("no config was found"), "{}", ended.err());
    assert!(ended.err().contains("hookgate init"), "{}", ended.err());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["run", "nowhere.jsonl"], "");
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("nowhere.jsonl"), "{}", ended.err());
}

#[test]
fn background_hooks_are_waited_for() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"note\"\nevent = \"stop\"\nrole = \"observe\"\nbackground = true\n\
         command = { shell = \"sleep 0.3; touch $HOME/seen\", env = [\"HOME\"] }\n",
    );
    let mut command = folder.hookgate(&["run"]);
    command.env("HOME", folder.path(""));
    let ended = crate::support::run(command, br#"{"hook_event_name":"stop"}"#);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(folder.path("seen").exists(), "{}", ended.err());
}

#[test]
fn a_closed_stdout_is_not_reported() {
    let folder = Folder::with_hooks(HOOKS);
    let steps = format!("{}\n", bash("ls")).repeat(5000);
    let file = folder.write("steps.jsonl", steps);
    let mut command = folder.hookgate(&["run", "--quiet", file.to_str().unwrap()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_record_is_there_before_the_next_step_is_decided() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = 'slow'\nevent = 'stop'\ntimeout = '60s'\ncommand = { argv = ['sleep', '50'] }\n",
    );
    let mut child = folder
        .hookgate(&["run", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let steps = format!("{}\n{{\"hook_event_name\":\"stop\"}}\n", bash("ls"));
    child.stdin.take().unwrap().write_all(steps.as_bytes()).unwrap();
    let (sender, records) = channel();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    std::thread::spawn(move || sender.send(lines.next()));
    let first = records.recv_timeout(Duration::from_secs(20));
    child.kill().unwrap();
    child.wait().unwrap();
    let first = first.expect("the record of the first step").unwrap().unwrap();
    assert!(first.contains("\"decision\":\"allow\""), "{first}");
}
