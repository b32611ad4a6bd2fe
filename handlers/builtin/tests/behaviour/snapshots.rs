//! Promise: a snapshot keeps the files of a work tree, an undo goes back to it, and neither touches
//! what is the user's: the index, the branch, ignored files.

use std::fs;
use std::path::Path;

use hookgate_builtin::Snapshots;
use hookgate_contract::payload::{ToolCall, TurnStart};
use serde_json::json;

use crate::git::{git, repository};
use crate::support::{build, invoke_at};

fn take(folder: &Path, label: &str) -> String {
    let snapshots = Snapshots::find().unwrap();
    wait(snapshots.take(folder, "session/1", label)).unwrap().unwrap().reference
}

fn undo(folder: &Path) -> Option<(String, Vec<String>)> {
    let undone = wait(Snapshots::find().unwrap().undo(folder, "session/1")).unwrap()?;
    Some((undone.snapshot.label, undone.files))
}

fn labels(folder: &Path, session: &str) -> Vec<String> {
    let all = wait(Snapshots::find().unwrap().list(folder, session)).unwrap();
    all.into_iter().map(|snapshot| snapshot.label).collect()
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

fn read(folder: &Path, name: &str) -> Option<String> {
    fs::read_to_string(folder.join(name)).ok()
}

#[test]
fn an_undo_brings_back_changed_and_deleted_files_and_removes_new_ones() {
    let repository = repository();
    let folder = repository.path();
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/new ü\n.txt"), "not followed").unwrap();
    take(folder, "turn 1");
    fs::write(folder.join("a.txt"), "changed").unwrap();
    fs::remove_dir_all(folder.join("src")).unwrap();
    fs::create_dir_all(folder.join("deep/er")).unwrap();
    fs::write(folder.join("deep/er/added"), "added").unwrap();

    let (label, mut files) = undo(folder).unwrap();
    files.sort();
    assert_eq!(label, "turn 1");
    assert_eq!(files, ["a.txt", "deep/er/added", "src/new ü\n.txt"]);
    assert_eq!(read(folder, "a.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!(read(folder, "src/new ü\n.txt").as_deref(), Some("not followed"));
    assert!(!folder.join("deep").exists());
    assert_eq!(undo(folder), None, "there is nothing more to undo");
    // Not even the undo loses anything.
    let before = git(folder, &["for-each-ref", "--format=%(refname)", "refs/hookgate/undone"]);
    assert_eq!(git(folder, &["show", &format!("{}:a.txt", before.trim())]), "changed");
}

/// Row E7: undo, list and reset of a session, among others.
#[test]
fn a_session_goes_back_to_any_of_its_snapshots() {
    let repository = repository();
    let folder = repository.path();
    let snapshots = Snapshots::find().unwrap();
    let mut references = Vec::new();
    for turn in 1..=3 {
        references.push(take(folder, &format!("turn {turn}")));
        fs::write(folder.join("a.txt"), format!("after turn {turn}")).unwrap();
    }
    let other = wait(snapshots.take(folder, "another", "of another session")).unwrap().unwrap();
    let sessions = wait(snapshots.sessions(folder)).unwrap();
    // Both are of this second, or the next one.
    let of = |id: &str| {
        let name = Snapshots::session_name(id);
        let session = sessions.iter().find(|session| session.name == name).unwrap();
        session.snapshots.iter().map(|snapshot| snapshot.reference.clone()).collect::<Vec<_>>()
    };
    assert_eq!((sessions.len(), of("session/1")), (2, references.clone()));
    assert_eq!(of("another"), std::slice::from_ref(&other.reference));

    let undone = wait(snapshots.reset(folder, &references[1])).unwrap().unwrap();
    assert_eq!(
        (undone.snapshot.label.as_str(), undone.files),
        ("turn 2", vec!["a.txt".to_owned()])
    );
    assert_eq!(read(folder, "a.txt").as_deref(), Some("after turn 1"));
    assert_eq!(labels(folder, "session/1"), ["turn 1"], "it and the later ones are forgotten");
    assert_eq!(labels(folder, "another"), ["of another session"], "and no others");
    assert_eq!(wait(snapshots.reset(folder, &references[1])).unwrap(), None, "it is gone");
    assert_eq!(wait(snapshots.reset(folder, "refs/heads/main")).unwrap(), None, "no snapshot");
    assert!(wait(snapshots.reset(folder, &other.reference)).unwrap().is_some());
}

#[test]
fn several_undos_go_back_one_by_one() {
    let repository = repository();
    let folder = repository.path();
    for turn in 1..=3 {
        take(folder, &format!("turn {turn}"));
        fs::write(folder.join("a.txt"), format!("after turn {turn}")).unwrap();
    }
    assert_eq!(labels(folder, "session/1"), ["turn 1", "turn 2", "turn 3"]);
    for (label, text) in
        [("turn 3", "after turn 2"), ("turn 2", "after turn 1"), ("turn 1", "one\ntwo\n")]
    {
        assert_eq!(undo(folder), Some((label.to_owned(), vec!["a.txt".to_owned()])));
        assert_eq!(read(folder, "a.txt").as_deref(), Some(text));
    }
    assert_eq!(undo(folder), None);
}

#[test]
fn what_is_the_users_stays() {
    let repository = repository();
    let folder = repository.path();
    fs::write(folder.join(".gitignore"), "secret\n").unwrap();
    fs::write(folder.join("secret"), "one").unwrap();
    fs::write(folder.join("a.txt"), "staged").unwrap();
    git(folder, &["add", "a.txt"]);
    fs::write(folder.join("a.txt"), "not staged").unwrap();
    let state = || {
        let head = git(folder, &["rev-parse", "HEAD"]);
        let heads = git(folder, &["for-each-ref", "refs/heads", "refs/stash"]);
        (head, heads, git(folder, &["ls-files", "--stage"]))
    };
    let (before, status) = (state(), git(folder, &["status", "--short"]));
    let reference = take(folder, "turn 1");
    assert_eq!((state(), git(folder, &["status", "--short"])), (before.clone(), status.clone()));
    let kept = git(folder, &["ls-tree", "-r", "--name-only", &reference]);
    assert_eq!(kept, ".gitignore\na.txt\n");
    fs::write(folder.join("a.txt"), "broken").unwrap();
    fs::write(folder.join("secret"), "two").unwrap();
    undo(folder).unwrap();
    assert_eq!((state(), git(folder, &["status", "--short"])), (before, status));
    assert_eq!(read(folder, "a.txt").as_deref(), Some("not staged"));
    assert_eq!(read(folder, "secret").as_deref(), Some("two"), "an ignored file is not kept");
    let left = fs::read_dir(folder.join(".git")).unwrap().flatten();
    let left: Vec<_> = left
        .filter(|entry| entry.file_name().to_string_lossy().contains("hookgate-index"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn git_alone_can_go_back() {
    let repository = repository();
    let folder = repository.path();
    let reference = take(folder, "turn 1");
    fs::remove_file(folder.join("a.txt")).unwrap();
    git(folder, &["restore", &format!("--source={reference}"), "--worktree", ":/"]);
    assert_eq!(read(folder, "a.txt").as_deref(), Some("one\ntwo\n"));
}

#[test]
fn the_hook_takes_one_for_each_state_and_names_it() {
    let repository = repository();
    let folder = repository.path();
    let built = build("snapshot", &json!({"keep": 2})).unwrap();
    let call = ToolCall::new("Bash", json!({"command": "make"}));
    let note = |turn| {
        let verdict = invoke_at(&built, &call, folder, turn).unwrap();
        assert!(verdict.parts().unwrap().is_silent());
        verdict.into_parts().unwrap().note.unwrap()
    };
    let first = note(1);
    assert!(first.starts_with("refs/hookgate/snapshots/session-1-"), "{first}");
    assert!(first.ends_with("/00000001"), "{first}");
    assert_eq!(note(2), first, "nothing has changed");
    for turn in 3..6 {
        fs::write(folder.join("a.txt"), format!("{turn}")).unwrap();
        note(turn);
    }
    assert_eq!(labels(folder, "session/1"), ["turn 4, before `Bash`", "turn 5, before `Bash`"]);
    assert!(labels(folder, "session-1").is_empty(), "another session");
}

#[test]
fn large_new_files_and_other_repositories_are_left_out() {
    let outer = repository();
    let folder = outer.path();
    fs::write(folder.join("large"), vec![b'x'; 3000]).unwrap();
    fs::write(folder.join("small"), vec![b'x'; 2000]).unwrap();
    fs::create_dir(folder.join("inner")).unwrap();
    git(&folder.join("inner"), &["init", "-q"]);
    fs::write(folder.join("inner/file"), "").unwrap();
    let snapshots = Snapshots::find().unwrap().max_new_file(2048);
    let taken = wait(snapshots.take(folder, "s", "turn 1")).unwrap().unwrap();
    let kept = git(folder, &["ls-tree", "-r", "--name-only", &taken.reference]);
    assert_eq!(kept, "a.txt\nsmall\n");
    fs::write(folder.join("a.txt"), "x").unwrap();
    wait(snapshots.undo(folder, "s")).unwrap().unwrap();
    assert!(folder.join("large").exists() && folder.join("inner/file").exists());
}

#[test]
fn a_repository_without_a_commit_and_a_second_work_tree_have_snapshots_too() {
    let empty = tempfile::tempdir().unwrap();
    git(empty.path(), &["init", "-q"]);
    fs::write(empty.path().join("a"), "1").unwrap();
    take(empty.path(), "turn 1");
    fs::write(empty.path().join("a"), "2").unwrap();
    undo(empty.path()).unwrap();
    assert_eq!(read(empty.path(), "a").as_deref(), Some("1"));

    let repository = repository();
    let second = tempfile::tempdir().unwrap();
    let tree = second.path().join("tree");
    git(repository.path(), &["worktree", "add", "-q", "-b", "other", tree.to_str().unwrap()]);
    take(&tree, "turn 1");
    fs::remove_file(tree.join("a.txt")).unwrap();
    undo(&tree).unwrap();
    assert!(tree.join("a.txt").exists());
}

#[cfg(unix)]
#[test]
fn a_file_that_became_a_folder_and_a_link_come_back() {
    let repository = repository();
    let folder = repository.path();
    std::os::unix::fs::symlink("a.txt", folder.join("link")).unwrap();
    take(folder, "turn 1");
    fs::remove_file(folder.join("a.txt")).unwrap();
    fs::create_dir(folder.join("a.txt")).unwrap();
    fs::write(folder.join("a.txt/inside"), "").unwrap();
    fs::remove_file(folder.join("link")).unwrap();
    fs::write(folder.join("link"), "no link").unwrap();
    undo(folder).unwrap();
    assert_eq!(read(folder, "a.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!(fs::read_link(folder.join("link")).unwrap(), Path::new("a.txt"));
}

#[test]
fn at_a_turn_the_label_is_the_event() {
    let repository = repository();
    invoke_at(&build("snapshot", &json!({})).unwrap(), &TurnStart::new(1), repository.path(), 7)
        .unwrap();
    assert_eq!(labels(repository.path(), "session/1"), ["turn 7, turn_start"]);
}

#[test]
fn an_undo_leaves_what_git_does_not_have() {
    let repository = repository();
    let folder = repository.path();
    for name in ["grown", "hidden", "own", "kept"] {
        fs::write(folder.join(name), "small").unwrap();
    }
    take(folder, "turn 1");
    fs::write(folder.join("grown"), "x".repeat(3 << 20)).unwrap();
    fs::write(folder.join("hidden"), "mine").unwrap();
    fs::write(folder.join(".gitignore"), "hidden\n").unwrap();
    fs::remove_file(folder.join("own")).unwrap();
    fs::create_dir(folder.join("own")).unwrap();
    git(&folder.join("own"), &["init", "--quiet"]);
    fs::write(folder.join("own/work"), "precious").unwrap();
    fs::write(folder.join("kept"), "changed").unwrap();

    let undone = wait(Snapshots::find().unwrap().undo(folder, "session/1")).unwrap().unwrap();
    assert_eq!(undone.files, [".gitignore", "kept"]);
    assert_eq!(undone.left, ["grown", "hidden", "own"]);
    assert_eq!(fs::metadata(folder.join("grown")).unwrap().len(), 3 << 20);
    assert_eq!(read(folder, "hidden").as_deref(), Some("mine"));
    assert_eq!(read(folder, "own/work").as_deref(), Some("precious"));
    assert_eq!(read(folder, "kept").as_deref(), Some("small"));
}

#[test]
fn each_work_tree_goes_back_to_its_own_snapshots_and_git_keeps_those_of_all() {
    let repository = repository();
    let second = tempfile::tempdir().unwrap();
    let (first, second) = (repository.path(), second.path().join("tree"));
    git(first, &["worktree", "add", "-q", "-b", "other", second.to_str().unwrap()]);
    for (tree, label) in [(first, "first"), (&second, "second")] {
        take(tree, label);
        fs::write(tree.join("a.txt"), label).unwrap();
    }
    assert_eq!(labels(first, "session/1"), ["first"]);
    assert_eq!(labels(&second, "session/1"), ["second"]);
    let sessions = wait(Snapshots::find().unwrap().sessions(first)).unwrap();
    let listed: Vec<_> = sessions[0].snapshots.iter().map(|one| one.label.as_str()).collect();
    assert_eq!((sessions.len(), listed), (1, vec!["first"]));
    // What only a reference of another work tree leads to stays.
    git(first, &["gc", "-q", "--prune=now"]);
    let of_second = wait(Snapshots::find().unwrap().list(&second, "session/1")).unwrap();
    let reset = Snapshots::find().unwrap();
    assert_eq!(wait(reset.reset(first, &of_second[0].reference)).unwrap(), None);
    assert_eq!(undo(first).unwrap().0, "first");
    assert_eq!(undo(first), None);
    assert_eq!(read(&second, "a.txt").as_deref(), Some("second"));
    assert_eq!(undo(&second).unwrap().0, "second");
    assert_eq!(read(&second, "a.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!(read(first, "a.txt").as_deref(), Some("one\ntwo\n"));
}

#[test]
fn an_undo_keeps_to_the_size_up_to_which_its_snapshot_has_new_files() {
    for (most, is_kept) in [(1000, false), (10 << 20, true)] {
        let repository = repository();
        let folder = repository.path();
        fs::write(folder.join("early"), vec![b'x'; 3 << 20]).unwrap();
        let taken = Snapshots::find().unwrap().max_new_file(most);
        wait(taken.take(folder, "session/1", "turn 1")).unwrap();
        fs::write(folder.join("a.txt"), "changed").unwrap();
        if is_kept {
            fs::write(folder.join("early"), "shorter").unwrap();
        }
        fs::write(folder.join("late"), vec![b'x'; 2000]).unwrap();
        // Whoever undoes it knows nothing of the setting of the hook.
        undo(folder).unwrap();
        assert_eq!(read(folder, "a.txt").as_deref(), Some("one\ntwo\n"));
        assert_eq!(folder.join("late").exists(), !is_kept, "new since, and not too large for it");
        let early = fs::metadata(folder.join("early")).map(|file| file.len());
        assert_eq!(early.unwrap(), 3 << 20);
    }
}

#[test]
fn a_snapshot_of_an_earlier_version_is_listed_and_undone() {
    let repository = repository();
    let folder = repository.path();
    let reference = take(folder, "turn 1");
    let tree = git(folder, &["rev-parse", &format!("{reference}^{{tree}}")]);
    let commit = git(folder, &["commit-tree", "-m", "turn 0", tree.trim()]);
    git(folder, &["update-ref", &reference, commit.trim()]);
    fs::write(folder.join("a.txt"), "changed").unwrap();
    assert_eq!(labels(folder, "session/1"), ["turn 0"]);
    assert_eq!(undo(folder).unwrap().0, "turn 0");
    assert_eq!(read(folder, "a.txt").as_deref(), Some("one\ntwo\n"));
}
