//! Branches of real repositories: worktrees, submodules, detached heads.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{ask, condition, refused};
use hookgate_contract::Truth;
use serde_json::json;
use tempfile::TempDir;

fn git(folder: &Path, args: &[&str]) {
    let settings = [
        "user.name=t",
        "user.email=t@example.com",
        "protocol.file.allow=always",
        "commit.gpgsign=false",
    ];
    let mut command = Command::new("git");
    command.current_dir(folder).env_remove("GIT_DIR").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for setting in settings {
        command.args(["-c", setting]);
    }
    let output = command.args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a repository on the branch `main` with one commit.
fn repository() -> TempDir {
    let folder = TempDir::new().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["commit", "-q", "--allow-empty", "-m", "first"]);
    folder
}

fn on(pattern: impl Into<serde_json::Value>, folder: &Path) -> (Truth, String) {
    ask(
        &condition("git_branch", &pattern.into()),
        json!({"command": "git commit"}),
        folder.to_str(),
    )
}

/// A character of a name may have more bytes than one.
#[test]
fn a_glob_compares_characters() {
    let folder = repository();
    git(folder.path(), &["switch", "-q", "-c", "fix/café"]);
    for pattern in ["fix/caf?", "fix/caf[é]", "{fix,feature}/café", "*é", "fix/caf[!a-z]"] {
        assert_eq!(on(pattern, folder.path()).0, Truth::True, "{pattern}");
    }
    for pattern in ["fix/caf??", "fix/caf[a-z]", "!fix/caf?", "caf?"] {
        assert_eq!(on(pattern, folder.path()).0, Truth::False, "{pattern}");
    }
}

#[test]
fn names_that_are_taken_out_again_are_doubtful() {
    let doubts = |names: &[&str]| condition("git_branch", &json!(names)).condition().doubts().len();
    assert_eq!((doubts(&["main", "!*"]), doubts(&["main", "!main"]), doubts(&["!*"])), (1, 1, 1));
    assert_eq!((doubts(&["release/*", "!release/old"]), doubts(&["!main"])), (0, 0));
}

#[test]
fn the_branch_is_found_from_any_folder_of_the_repository() {
    let folder = repository();
    let below = folder.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    for folder in [folder.path(), &below, &folder.path().join("not/there")] {
        assert_eq!(on("main", folder).0, Truth::True);
        assert_eq!(on("master", folder).0, Truth::False);
        assert_eq!(on("!main", folder).0, Truth::False);
        assert_eq!(on(json!(["dev", "ma*"]), folder).0, Truth::True);
        assert_eq!(on("dev|main", folder).0, Truth::True);
    }
    let (_, why) = on("main", &below);
    assert!(why.ends_with("is on branch main"), "{why}");
}

#[test]
fn a_glob_crosses_slashes_and_follows_a_checkout() {
    let folder = repository();
    git(folder.path(), &["checkout", "-q", "-b", "release/2026/11"]);
    assert_eq!(on("release/*", folder.path()).0, Truth::True);
    assert_eq!(on(json!(["*", "!release/*"]), folder.path()).0, Truth::False);
    assert_eq!(on(json!(["!main", "!dev"]), folder.path()).0, Truth::True);
}

#[test]
fn a_branch_without_a_commit_is_a_branch() {
    let folder = TempDir::new().unwrap();
    git(folder.path(), &["init", "-q", "-b", "trunk"]);
    assert_eq!(on("trunk", folder.path()).0, Truth::True);
}

#[test]
fn a_detached_head_is_no_branch() {
    let folder = repository();
    git(folder.path(), &["checkout", "-q", "--detach"]);
    let (truth, why) = on("*", folder.path());
    assert_eq!(truth, Truth::False);
    assert!(why.contains("on no branch: HEAD is at "), "{why}");
    assert_eq!(on("!main", folder.path()).0, Truth::True, "anything but main");
}

#[test]
fn worktrees_and_submodules_have_their_own_branch() {
    let folder = repository();
    let trees = TempDir::new().unwrap();
    let tree = trees.path().join("tree");
    git(folder.path(), &["worktree", "add", "-q", "-b", "feature", tree.to_str().unwrap()]);
    assert_eq!(on("feature", &tree).0, Truth::True);
    assert_eq!(on("main", folder.path()).0, Truth::True);

    let outer = repository();
    git(outer.path(), &["submodule", "-q", "add", folder.path().to_str().unwrap(), "part"]);
    let part = outer.path().join("part");
    git(&part, &["checkout", "-q", "-b", "inner"]);
    assert_eq!(on("inner", &part).0, Truth::True);
    assert_eq!(on("main", outer.path()).0, Truth::True);
}

#[test]
fn a_bare_repository_has_a_branch() {
    let folder = TempDir::new().unwrap();
    git(folder.path(), &["init", "-q", "--bare", "-b", "main"]);
    assert_eq!(on("main", folder.path()).0, Truth::True);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_of_a_repository_is_followed() {
    let (folder, elsewhere) = (repository(), TempDir::new().unwrap());
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    assert_eq!(on("main", &link).0, Truth::True);
}

#[test]
fn without_a_repository_there_is_no_branch() {
    let folder = TempDir::new().unwrap();
    let (truth, why) = on("main", folder.path());
    assert_eq!(truth, Truth::False);
    assert!(why.ends_with("is in no git repository"), "{why}");
    // A folder .git that is empty is passed, as git does.
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    assert_eq!(on("main", folder.path()).0, Truth::False);
}

#[test]
fn what_cannot_be_read_is_unknown() {
    let folder = TempDir::new().unwrap();
    let main = condition("git_branch", &json!("main"));
    assert_eq!(
        ask(&main, json!({}), None),
        (Truth::Unknown, "the branch is not known: the step has no cwd".into())
    );
    assert_eq!(ask(&main, json!({}), Some("relative")).0, Truth::Unknown);
    for (head, part) in [
        ("nonsense", "neither a ref nor a commit"),
        ("ref: refs/heads/.invalid", "reftable"),
        (&*"x".repeat(5000), "larger than"),
    ] {
        let git = folder.path().join(".git");
        std::fs::create_dir_all(&git).unwrap();
        std::fs::write(git.join("HEAD"), head).unwrap();
        let (truth, why) = on("main", folder.path());
        assert!(truth == Truth::Unknown && why.contains(part), "{why}");
    }
    let other = TempDir::new().unwrap();
    std::fs::write(other.path().join(".git"), "hello").unwrap();
    assert_eq!(on("main", other.path()).0, Truth::Unknown);
    std::fs::write(other.path().join(".git"), "gitdir: gone\n").unwrap();
    assert_eq!(on("main", other.path()).0, Truth::Unknown);
}

#[test]
fn patterns_that_no_branch_can_match_are_refused() {
    for (pattern, part) in [
        (json!("refs/heads/main"), "write \"main\""),
        (json!("^main$"), "looks like a regular expression"),
        (json!("release/.*"), "looks like a regular expression"),
        (json!(" main"), "white space"),
        (json!("my branch"), "no name of a branch contains"),
        (json!(""), "empty"),
        (json!("!"), "empty"),
        (json!([]), "it is empty"),
        (json!("main|"), "empty"),
        (json!("feature/"), "not the name of a branch"),
        (json!("a[b"), "is not a glob"),
        (json!(1), "must be a string or an array of strings"),
    ] {
        let why = refused("git_branch", &pattern);
        assert!(why.contains(part), "{pattern}: {why}");
    }
}
