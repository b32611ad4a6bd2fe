//! Promise: the files that `init` writes pass `check`.

use std::fs;

use hookgate_test_support::needs;

use crate::support::{Folder, bash, has_python, is_built, repository};

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
    let tested = folder.run(&["test", "-c", "policy/hooks.toml"], "");
    assert_eq!((tested.code(), tested.err()), (0, ""), "{}", tested.out());
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

    let forced = folder.run(&["init", "--force"], "");
    assert_eq!(forced.code(), 0);
    assert!(forced.out().contains("the old one is ./guard.py.bak"), "{}", forced.out());
    assert_ne!(fs::read_to_string(folder.path("guard.py")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(folder.path("guard.py.bak")).unwrap(), "mine");

    // A second time there is a second one, and what has not changed needs none.
    folder.write("guard.py", "mine again");
    let forced = folder.run(&["init", "--force"], "");
    assert!(forced.out().contains("the old one is ./guard.py.bak.2"), "{}", forced.out());
    assert_eq!(fs::read_to_string(folder.path("guard.py.bak")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(folder.path("guard.py.bak.2")).unwrap(), "mine again");
    assert!(!folder.path("hooks.toml.bak").exists());
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

/// The steps of every guard that `init` writes, after `check`.
fn guards(folder: &Folder) {
    let checked = folder.run(&["check"], "");
    assert_eq!((checked.code(), checked.err()), (0, ""));
    for (command, code) in [("ls", 0), ("sudo ls", 2)] {
        let ended = folder.run(&["eval"], bash(command));
        assert_eq!(ended.code(), code, "{command}: {}", ended.out());
    }
}

#[test]
fn the_guard_of_an_sdk_is_a_worker_that_uses_it() {
    for (sdk, program, guard, uses) in [
        ("python", "python3", "guard.py", "import hookgate"),
        ("node", "node", "guard.mjs", "from \"./hookgate.mjs\""),
    ] {
        if !needs::program(program) {
            continue;
        }
        let folder = Folder::new();
        assert_eq!(folder.run(&["init", "--sdk", sdk], "").code(), 0);
        assert!(fs::read_to_string(folder.path(guard)).unwrap().contains(uses), "{sdk}");
        let written = fs::read_dir(folder.path("")).unwrap().count();
        assert_eq!(written, 3, "{sdk}: the config, the SDK, the guard");
        guards(&folder);
        let id = format!("{sdk}-guard");
        let ended = folder.run(&["eval", "--hook", &id, "--trace"], bash("sudo ls"));
        assert!(ended.err().contains("call 1 of its process"), "{}", ended.err());
    }
}

#[test]
fn an_sdk_is_added_to_a_folder_and_nothing_else_is_touched() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"], "").code(), 0);
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    let before = (read("hooks.toml"), read("guard.py"));

    let ended = folder.run(&["init", "--sdk", "python"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert_eq!((read("hooks.toml"), read("guard.py")), before);
    for said in ["wrote ./hookgate.py", "wrote ./sdk_guard.py", "kept  ./hooks.toml", "Add to"] {
        assert!(ended.out().contains(said), "{said}: {}", ended.out());
    }
    let (_, hook) = ended.out().split_once("Add to ./hooks.toml\n").unwrap();
    let (hook, _) = hook.split_once("\nNext").unwrap();
    folder.write("hooks.toml", before.0 + "\n" + hook);
    guards(&folder);

    let again = folder.run(&["init", "--sdk", "python"], "");
    assert_eq!(again.code(), 0, "{}", again.err());
    assert!(!again.out().contains("wrote") && !again.out().contains("Add to"), "{}", again.out());
}

/// The shipped policies: the folders with a config, but for links.
fn shipped() -> Vec<String> {
    let policies = fs::read_dir(repository().join("examples/policies")).unwrap();
    let folders = policies
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("hooks.toml").is_file() && is_built(&entry.path()));
    let mut names: Vec<_> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.extend(["guardrails", "guard", "audit", "redact", "judge"].map(str::to_owned));
    names
}

#[test]
fn every_shipped_policy_can_be_listed_and_written() {
    if !has_python() {
        return;
    }
    let listed = Folder::new().run(&["init", "--example"], "");
    assert_eq!(listed.code(), 0);
    for name in shipped() {
        let line = listed.out().lines().find(|line| line.starts_with(&name)).expect(&name);
        assert!(line.trim().len() > name.len() + 10, "it has no first sentence: {line}");
        let folder = Folder::new();
        let ended = folder.run(&["init", "--example", &name], "");
        assert_eq!(ended.code(), 0, "{name}: {}", ended.err());
        let checked = folder.run(&["check"], "");
        assert_eq!((checked.code(), checked.err()), (0, ""), "{name}");
        assert_eq!(folder.run(&["init", "--example", &name], "").code(), 1, "it is there already");
    }
}

#[test]
fn an_unknown_example_is_an_error_that_names_the_nearest() {
    let ended = Folder::new().run(&["init", "--example", "gardrails"], "");
    assert_eq!(ended.code(), 64);
    assert!(ended.err().contains("did you mean `guardrails`?"), "{}", ended.err());
    assert_eq!(Folder::new().run(&["init", "--example", "--sdk", "node"], "").code(), 64);
}

/// In an empty folder, without a terminal: the four commands of a new user.
#[test]
fn each_policy_to_begin_with_works_as_it_is() {
    // What the recorded session comes to: of each step the decision.
    for (name, decisions) in [
        ("guard", "allow allow allow allow deny allow deny allow deny ask allow"),
        ("audit", "allow allow allow allow allow allow allow allow allow allow allow"),
        ("redact", "allow allow allow allow allow"),
        // The model is not there.
        ("judge", "ask ask allow"),
    ] {
        let folder = Folder::new();
        let written = folder.run(&["init", "--example", name], "");
        assert_eq!(written.code(), 0, "{name}: {}", written.err());
        for next in ["  hookgate check", "  hookgate test", "  hookgate run session.jsonl"] {
            assert!(written.out().contains(next), "{name}: {}", written.out());
        }
        let checked = folder.run(&["check", "--analyze", "--deny-warnings"], "");
        assert_eq!(checked.code(), 0, "{name}: {}", checked.err());
        let tested = folder.run(&["test", "--coverage", "--threshold", "60"], "");
        assert_eq!((tested.code(), tested.err()), (0, ""), "{name}: {}", tested.out());
        let ran = folder.run(&["run", "session.jsonl"], "");
        assert_eq!(ran.code(), 0, "{name}: {}", ran.err());
        let found: Vec<_> =
            ran.lines().iter().map(|line| line["decision"].as_str().unwrap().to_owned()).collect();
        assert_eq!(found.join(" "), decisions, "{name}");
        assert!(!ran.out().contains("ghp_"), "{name}: a secret is left");
    }
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let folder = Folder::new();
    let ended = folder.run(&["init"], "2\n");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(folder.path("guard.py").is_file(), "{}", ended.out());
}
