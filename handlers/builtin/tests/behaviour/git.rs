//! Promise: what git says is added for the model: bounded, without starting what the repository
//! names, and without a word where there is no repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use hookgate_contract::payload::TurnStart;
use hookgate_contract::{FailureClass, Verdict};
use serde_json::{Value, json};

use crate::support::{build, invoke_at};

const ALL: &[&str] = &["add_git_status", "add_git_diff", "add_recent_commits", "snapshot"];

/// Runs git as a user would.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]);
    let output = command.args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with one commit.
pub(crate) fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main"]);
    fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "The first"]);
    folder
}

/// What is added for the model in a folder.
fn context(name: &str, settings: &Value, folder: &Path) -> String {
    let verdict =
        invoke_at(&build(name, settings).unwrap(), &TurnStart::new(1), folder, 1).unwrap();
    verdict.into_parts().map(|parts| parts.context.concat()).unwrap_or_default()
}

#[test]
fn the_state_of_a_repository_is_added() {
    let folder = repository();
    let text = |name: &str, settings: Value| context(name, &settings, folder.path());
    assert_eq!(text("add_git_status", json!({})), "Git status:\n## main\n");
    assert_eq!(text("add_git_diff", json!({})), "");
    fs::write(folder.path().join("a.txt"), "one\n2\n").unwrap();
    fs::write(folder.path().join("ü b.txt"), "new\n").unwrap();
    assert_eq!(
        text("add_git_status", json!({})),
        "Git status:\n## main\n M a.txt\n?? \"ü b.txt\"\n"
    );
    let diff = text("add_git_diff", json!({}));
    assert!(diff.starts_with("Changes since the last commit:\n a.txt | 2 +-\n"), "{diff}");
    git(folder.path(), &["add", "a.txt"]);
    let diff = text("add_git_diff", json!({"full": true}));
    assert!(diff.contains("\n-two\n+2\n"), "{diff}");
    git(folder.path(), &["commit", "-q", "-m", "The second"]);
    let commits = text("add_recent_commits", json!({}));
    let lines: Vec<_> = commits.lines().filter_map(|line| line.split_once(' ')).collect();
    assert_eq!(
        lines.iter().map(|line| line.1).collect::<Vec<_>>(),
        ["commits:", "The second", "The first"]
    );
    let one = text("add_recent_commits", json!({"count": 1}));
    assert!(one.contains("The second") && !one.contains("The first"), "{one}");
}

#[test]
fn a_long_text_is_cut_at_a_line() {
    let folder = repository();
    for number in 0..200 {
        fs::write(folder.path().join(format!("file-{number:03}")), "").unwrap();
    }
    let text = context("add_git_status", &json!({"max_bytes": 300}), folder.path());
    assert!(text.ends_with("\n[the rest is left out]\n"), "{text}");
    let files: Vec<_> = text.lines().filter(|line| line.starts_with("??")).collect();
    assert!(files.len() > 10 && text.len() < 400, "{text}");
    assert!(files.iter().all(|line| line.len() == "?? file-000".len()), "{text}");
}

#[test]
fn outside_of_a_repository_there_is_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    for name in ALL {
        let built = build(name, &json!({})).unwrap();
        for folder in [folder.path(), Path::new("/no/such/folder"), Path::new("relative")] {
            let verdict = invoke_at(&built, &TurnStart::new(1), folder, 1);
            assert_eq!(verdict, Ok(Verdict::none()), "{name} in {}", folder.display());
        }
    }
    git(folder.path(), &["init", "-q"]);
    for name in ["add_git_diff", "add_recent_commits"] {
        assert_eq!(context(name, &json!({}), folder.path()), "", "{name} without a commit");
    }
}

#[test]
fn what_git_cannot_do_is_a_failure_that_quotes_it() {
    let folder = repository();
    fs::write(folder.path().join(".git/config"), "[core\n").unwrap();
    let built = build("add_git_status", &json!({})).unwrap();
    let failure = invoke_at(&built, &TurnStart::new(1), folder.path(), 1).unwrap_err();
    assert_eq!(failure.class, FailureClass::Exit);
    assert!(failure.detail.contains("bad config"), "{failure}");
}

#[cfg(unix)]
#[test]
fn programs_that_the_repository_names_are_not_started() {
    let folder = repository();
    let trap = folder.path().join(".git/trap.sh");
    let sprung = folder.path().join(".git/sprung");
    fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\n", sprung.display())).unwrap();
    Command::new("chmod").arg("755").arg(&trap).status().unwrap();
    let program = trap.to_str().unwrap();
    fs::create_dir_all(folder.path().join(".git/hooks")).unwrap();
    for hook in ["reference-transaction", "post-index-change", "pre-commit", "post-checkout"] {
        fs::copy(&trap, folder.path().join(".git/hooks").join(hook)).unwrap();
    }
    for key in
        ["core.fsmonitor", "core.pager", "diff.external", "diff.trap.textconv", "diff.trap.command"]
    {
        git(folder.path(), &["config", key, program]);
    }
    fs::remove_file(&sprung).ok();
    fs::write(folder.path().join(".gitattributes"), "*.txt diff=trap\n").unwrap();
    fs::write(folder.path().join("a.txt"), "changed\n").unwrap();
    for (name, settings) in [
        ("add_git_status", json!({})),
        ("add_git_diff", json!({"full": true})),
        ("add_recent_commits", json!({})),
        ("snapshot", json!({})),
    ] {
        let built = build(name, &settings).unwrap();
        invoke_at(&built, &TurnStart::new(1), folder.path(), 1).unwrap();
        assert!(!sprung.exists(), "{name} has started a program of the repository");
    }
}
