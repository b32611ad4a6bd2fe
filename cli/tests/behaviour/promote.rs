//! Promise: `promote` replaces a config as a whole, by one without mistakes, and only if it is what was compared.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Ended, Folder, HOOKS, bash};

fn next() -> String {
    HOOKS.replace("force push is not allowed here", "no force")
}

/// The hash of the config in force.
fn hash(folder: &Folder) -> String {
    let record = folder.run(&["run", "--json", "--quiet", "-c", "hooks.toml"], bash("ls"));
    record.lines()[0]["config_hash"].as_str().unwrap().to_owned()
}

fn promote(folder: &Folder, was: &str) -> Ended {
    folder.run(&["promote", "next.toml", "--over", "hooks.toml", "--was", was, "--json"], "")
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn the_command_that_a_run_prints_puts_the_config_in_force() {
    let folder = Folder::with_hooks(HOOKS);
    folder.write("next.toml", next());
    fs::set_permissions(folder.path("hooks.toml"), fs::Permissions::from_mode(0o640)).unwrap();
    let args = ["run", "-c", "hooks.toml", "--shadow-config", "next.toml"];
    let run = folder.run(&args, bash("git push --force"));
    let command = run.err().split("hookgate ").last().unwrap().trim().to_owned();
    let words: Vec<&str> = command.split(' ').collect();
    let ended = folder.run(&words, "");
    assert_eq!(ended.code(), 0, "{command}: {}", ended.err());
    assert_eq!(read(&folder, "hooks.toml"), next());
    assert_eq!(read(&folder, "hooks.toml.before-promote"), HOOKS);
    assert_eq!(read(&folder, "next.toml"), next());
    let mode = fs::metadata(folder.path("hooks.toml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(ended.lines()[0]["hash"], hash(&folder).as_str());
    // A second time it is refused: what is there now was not compared.
    assert_eq!(folder.run(&words, "").code(), 2);
}

#[test]
fn a_config_that_has_changed_since_is_left_alone() {
    let folder = Folder::with_hooks(HOOKS);
    folder.write("next.toml", next());
    let was = hash(&folder);
    let changed = HOOKS.replace("publish", "release");
    folder.write("hooks.toml", &changed);
    let ended = promote(&folder, &was);
    assert_eq!((ended.code(), ended.out()), (2, ""), "{}", ended.err());
    assert!(ended.err().contains("compare again"), "{}", ended.err());
    assert_eq!(read(&folder, "hooks.toml"), changed);
    assert!(!folder.path("hooks.toml.before-promote").exists());
    // The control: another layout is the same config.
    folder.write("hooks.toml", format!("# a comment\n{HOOKS}"));
    assert_eq!(promote(&folder, &was).code(), 0);
}

#[test]
fn a_config_with_a_mistake_or_another_meaning_there_is_refused() {
    let folder = Folder::with_hooks(HOOKS);
    let was = hash(&folder);
    folder
        .write("next.toml", "[[hook]]\nid = \"x\"\nevent = \"pre_tool_us\"\nbuiltin = \"audit\"\n");
    let ended = promote(&folder, &was);
    assert_eq!(ended.code(), 3, "{}", ended.err());
    assert!(ended.err().contains("next.toml:3"), "{}", ended.err());

    // What it names lies beside it, and not beside the config that it would replace.
    fs::create_dir(folder.path("draft")).unwrap();
    let script = folder.write("draft/guard.sh", "#!/bin/sh\nexit 0\n");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    let other = folder.write("guard.sh", "#!/bin/sh\nexit 2\n");
    fs::set_permissions(other, fs::Permissions::from_mode(0o755)).unwrap();
    let command =
        "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\ncommand = { argv = [\"./guard.sh\"] }\n";
    folder.write("draft/next.toml", command);
    let args = ["promote", "draft/next.toml", "--over", "hooks.toml", "--was", &was];
    let ended = folder.run(&args, "");
    assert_eq!(ended.code(), 1, "{}", ended.err());
    assert!(ended.err().contains("would be another config"), "{}", ended.err());
    assert_eq!(read(&folder, "hooks.toml"), HOOKS);
    // The control: in the same folder it is the same config.
    folder.write("next.toml", command);
    assert_eq!(promote(&folder, &was).code(), 0);
}

#[test]
fn the_project_that_must_be_trusted_again_is_named() {
    let folder = Folder::with_hooks(HOOKS);
    folder.write("next.toml", next());
    let ended = promote(&folder, &hash(&folder));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(ended.err().contains("hookgate trust "), "{}", ended.err());
}
