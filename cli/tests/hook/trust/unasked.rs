//! Where nobody can be asked: a hash says which content is trusted.

use std::fs;
use std::process::Command;

use super::ground::{Ground, OTHER, chmod, is_refused};

const NAME: &str = "HOOKGATE_TRUST_HASH";
const OTHER_HASH: &str = "the trusted hash that is named is not that of the project";

fn hash(ground: &Ground) -> String {
    ground.shown()["hash"].as_str().unwrap().to_owned()
}

#[test]
fn without_a_terminal_nobody_agrees() {
    let ground = Ground::with_script();
    let done = ground.verb(&[]);
    assert_eq!(done.exit, Some(64), "{done:?}");
    assert!(done.stderr.contains("../guard.sh") && done.stderr.contains("--yes"), "{done:?}");
    assert!(!ground.store().exists());
    ground.refuses("nobody has said", "nobody was asked");
}

#[test]
fn the_hash_of_the_content_trusts_it() {
    let ground = Ground::with_script();
    let hash = hash(&ground);
    let by_variable = |value: &str| ground.call_in(&ground.work(), &[], &[(NAME, value)]);
    let by_option = |value: &str| ground.call_in(&ground.work(), &["--trust-hash", value], &[]);
    let wrong = hash.replace("sha256:", "sha256:0");
    for value in [&hash, &format!("{wrong},{hash}"), &format!("{hash} {wrong}")] {
        assert!(by_variable(value).0, "{value}");
        assert!(by_option(value).0, "{value}");
    }
    for value in [&wrong, "sha256:", "*", "true", &hash.to_uppercase()] {
        is_refused(by_variable(value), OTHER_HASH, value);
        is_refused(by_option(value), OTHER_HASH, value);
    }
    is_refused(by_variable(""), "nobody has said", "empty");
    // Nothing of it is remembered, until its user says so.
    assert!(!ground.store().exists());
    ground.refuses("nobody has said", "afterwards");
    let mut command = ground.session.command(&["trust", "--yes"]);
    let done = command.current_dir(ground.work()).env(NAME, &hash).output().unwrap();
    assert!(done.status.success());
    ground.runs("remembered");
}

#[test]
fn the_hash_is_that_of_a_content_wherever_it_is() {
    let ground = Ground::with_script();
    let value = hash(&ground);
    let copy = ground.outside("copy");
    assert!(
        Command::new("cp")
            .arg("-r")
            .args([ground.work(), copy.clone()])
            .status()
            .unwrap()
            .success()
    );
    assert!(ground.call_in(&copy, &[], &[(NAME, &value)]).0);
    ground.script_at(&copy.join("guard.sh"), OTHER);
    is_refused(ground.call_in(&copy, &[], &[(NAME, &value)]), OTHER_HASH, "changed");
}

#[test]
fn no_hash_trusts_what_others_can_change() {
    let ground = Ground::with_script();
    let value = hash(&ground);
    chmod(&ground.path("guard.sh"), 0o777);
    let answer = ground.call_in(&ground.work(), &[], &[(NAME, &value)]);
    is_refused(answer, "can be written by everybody", "for everybody");
}

/// The control: a config that is named is in force as it is, so the hooks above do leave their mark.
#[test]
fn a_config_that_is_named_needs_no_trust() {
    let ground = Ground::with_script();
    let file = ground.path(".hookgate/hooks.toml");
    let file = file.to_str().unwrap();
    assert!(ground.call_in(&ground.work(), &["-c", file], &[]).0);
    assert!(ground.call_in(&ground.work(), &[], &[("HOOKGATE_CONFIG", file)]).0);
    // Nor does that of the user.
    ground.session.write_users(
        &fs::read_to_string(file)
            .unwrap()
            .replace("'../guard.sh'", &format!("'{}'", ground.path("guard.sh").display())),
    );
    fs::remove_dir_all(ground.path(".hookgate")).unwrap();
    assert!(ground.call_in(&ground.work(), &[], &[]).0);
}
