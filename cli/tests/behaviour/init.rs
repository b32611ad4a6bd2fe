//! Promise: the files that `init` writes pass `check`.

use std::fs;

use crate::support::{Folder, bash, has_python};

#[test]
fn what_it_writes_is_valid_and_enforced() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let ended = folder.run(&["init", "--dir", "policy"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(ended.out().contains("hookgate check -c policy/hooks.toml"), "{}", ended.out());

    let checked = folder.run(&["check", "-c", "policy/hooks.toml"], "");
    assert_eq!(checked.code(), 0, "{}", checked.err());
    assert_eq!(checked.err(), "");
    for (command, code) in [("ls", 0), ("sudo ls", 2), ("git push --force", 2), ("npm publish", 4)]
    {
        let ended = folder.run(&["eval", "-c", "policy/hooks.toml"], bash(command));
        assert_eq!(ended.code(), code, "{command}: {}", ended.out());
    }
}

#[test]
fn nothing_is_overwritten_unless_it_is_forced() {
    let folder = Folder::new();
    folder.write("guard.py", "mine");
    let ended = folder.run(&["init"], "");
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("guard.py") && ended.err().contains("--force"), "{}", ended.err());
    assert!(!folder.path("hooks.toml").exists(), "all or nothing");
    assert_eq!(fs::read_to_string(folder.path("guard.py")).unwrap(), "mine");

    assert_eq!(folder.run(&["init", "--force"], "").code(), 0);
    assert_ne!(fs::read_to_string(folder.path("guard.py")).unwrap(), "mine");
}

#[test]
fn an_sdk_is_written_as_well() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init", "--sdk", "python", "--sdk", "node"], "").code(), 0);
    for (file, expected) in [("hookgate.py", "def run("), ("hookgate.mjs", "export")] {
        let text = fs::read_to_string(folder.path(file)).unwrap();
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(folder.run(&["init", "--sdk", "cobol"], "").code(), 64);
}
