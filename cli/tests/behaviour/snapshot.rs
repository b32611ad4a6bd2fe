//! Promise: what the builtin `snapshot` keeps is listed, and a project goes back to it.

use std::process::Command;

use crate::support::{Ended, Folder};

const HOOKS: &str = "[[hook]]\nid = \"undo\"\nevent = \"pre_tool_use\"\ntimeout = \"50s\"\nbuiltin = \"snapshot\"\n";

fn git(folder: &Folder, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(args).current_dir(folder.path(""));
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "t").env(format!("GIT_{who}_EMAIL"), "t@localhost");
    }
    assert!(command.status().unwrap().success(), "{args:?}");
}

/// A project with a file, and the state of it before each of two calls of a session.
fn project() -> Folder {
    let folder = Folder::with_hooks(HOOKS);
    git(&folder, &["init", "-q"]);
    folder.write("a.txt", "one");
    git(&folder, &["add", "a.txt"]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    for (turn, text) in [(1, "two"), (2, "three")] {
        let step = serde_json::json!({
            "hook_event_name": "pre_tool_use", "tool_name": "Write", "session_id": "s 1", "turn": turn,
            "cwd": folder.path(""), "tool_input": {"file_path": "a.txt", "content": text},
        });
        let ended = folder.run(&["eval"], step.to_string());
        assert_eq!(ended.code(), 0, "{}", ended.err());
        folder.write("a.txt", text);
    }
    folder
}

fn text(folder: &Folder) -> String {
    std::fs::read_to_string(folder.path("a.txt")).unwrap()
}

fn listed(folder: &Folder) -> Vec<String> {
    let ended = folder.run(&["snapshot", "list", "--json"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    ended.lines().iter().map(|line| line["reference"].as_str().unwrap().to_owned()).collect()
}

fn failed(ended: &Ended, code: i32, with: &str) {
    assert_eq!(ended.code(), code, "{}", ended.out());
    assert!(ended.err().contains(with), "{}", ended.err());
}

/// Row E7.
#[test]
fn a_project_goes_back() {
    if !hookgate_test_support::needs::program("git") {
        return;
    }
    let folder = project();
    let references = listed(&folder);
    assert_eq!(references.len(), 2);
    let table = folder.run(&["snapshot", "list", "--table"], "");
    assert!(table.out().contains("turn 2, before `Write`"), "{}", table.out());

    let undone = folder.run(&["snapshot", "undo", "--session", "s 1", "--json"], "");
    assert_eq!(undone.lines()[0]["files"], serde_json::json!(["a.txt"]), "{}", undone.err());
    assert_eq!(text(&folder), "two");
    assert_eq!(listed(&folder), references[..1]);
    // Without a session it is the latest one.
    assert_eq!(folder.run(&["snapshot", "undo"], "").code(), 0);
    assert_eq!((text(&folder).as_str(), listed(&folder).len()), ("one", 0));
    failed(&folder.run(&["snapshot", "undo"], ""), 1, "there is no snapshot");
}

#[test]
fn a_project_goes_back_to_the_snapshot_that_is_named_and_to_no_other_reference() {
    if !hookgate_test_support::needs::program("git") {
        return;
    }
    let folder = project();
    let references = listed(&folder);
    for wrong in ["refs/heads/main", "HEAD", "refs/hookgate/snapshots/x/00000001"] {
        failed(&folder.run(&["snapshot", "reset", wrong], ""), 64, "there is no snapshot");
    }
    failed(&folder.run(&["snapshot", "undo", "--session", "s 2"], ""), 64, "no session `s 2`");
    assert_eq!(text(&folder), "three");
    let reset = folder.run(&["snapshot", "reset", &references[0], "--table"], "");
    assert!(reset.out().starts_with("1 files are as they were at: turn 1"), "{}", reset.out());
    assert_eq!((text(&folder).as_str(), listed(&folder).len()), ("one", 0));
}
