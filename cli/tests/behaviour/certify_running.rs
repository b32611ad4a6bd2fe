//! Promise: a guard that is broken while a run goes on is found within one period of `[certify]`; its posture is in force
//! from then on, until it works again.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use hookgate_test_support::force_guard::{CANARY, PUSH, SCRIPT};
use serde_json::Value;

use crate::support::Folder;
use crate::watching::{PATIENCE, Watching};

const KEY: &str = "/command";

/// A config with the guard.
fn config(certify: &str, key: &str) -> String {
    format!(
        r#"
{certify}
[[hook]]
id = "guard"
event = "pre_tool_use"
tool = "Bash"
input = {{ "{key}" = {{ contains = "git push" }} }}
timeout = "1s"
command = {{ argv = ["./guard.sh"] }}
{CANARY}
"#
    )
}

fn started(certify: &str) -> (Folder, Watching) {
    let folder = Folder::new();
    folder.write_program("guard.sh", SCRIPT);
    folder.write("hooks.toml", config(certify, KEY));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(reason(&run.evaluate(PUSH)), "no force");
    (folder, run)
}

fn reason(record: &Value) -> &str {
    record["reason"].as_str().unwrap_or_default()
}

/// Evaluates a command until its record is as it should be.
fn until(run: &mut Watching, command: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let record = run.evaluate(command);
        if is_so(&record) {
            return record;
        }
        assert!(began.elapsed() < PATIENCE, "{record}");
        thread::sleep(Duration::from_millis(50));
    }
}

type Defect = fn(&Folder);

const DEFECTS: [(&str, Defect, Defect); 5] = [
    ("let pass", |folder| folder.write_program("guard.sh", "#!/bin/sh\nexit 0\n"), mend),
    ("spawn", |folder| fs::remove_file(folder.path("guard.sh")).unwrap(), mend),
    (
        "malformed",
        |folder| folder.write_program("guard.sh", "#!/bin/sh\necho '{\"decision\":'\n"),
        mend,
    ),
    ("timeout", |folder| folder.write_program("guard.sh", "#!/bin/sh\nsleep 30\n"), mend),
    ("never_called", |folder| rewrite(folder, "/commnad"), |folder| rewrite(folder, KEY)),
];

const EVERY_SECOND: &str = "[certify]\nevery = \"1s\"\n";

fn mend(folder: &Folder) {
    folder.write_program("guard.sh", SCRIPT);
}

fn rewrite(folder: &Folder, key: &str) {
    folder.write("new.toml", config(EVERY_SECOND, key));
    fs::rename(folder.path("new.toml"), folder.path("hooks.toml")).unwrap();
}

#[test]
fn each_of_five_defects_is_denied_within_a_period_and_let_go_when_it_is_mended() {
    for (how, break_it, mend) in DEFECTS {
        let (folder, mut run) = started(EVERY_SECOND);
        break_it(&folder);
        let is_set_aside = |record: &Value| reason(record).contains("set aside until");
        let record = until(&mut run, PUSH, is_set_aside);
        assert_eq!(record["decision"], "deny");
        assert!(reason(&record).contains(how), "{how}: {record}");
        let told = run.wait_for("the hook is set aside until it is proved again");
        assert!(told.contains("the canary of `guard`"), "{told}");
        assert_eq!(run.evaluate("git push")["decision"], "deny", "{how}: whatever it would say");

        mend(&folder);
        until(&mut run, "git push", |record| record["decision"] == "allow");
        assert_eq!(reason(&run.evaluate(PUSH)), "no force", "{how}");
    }
}

#[test]
fn who_wants_a_warning_gets_it_and_no_more() {
    let (folder, mut run) = started("[certify]\nevery = \"1s\"\non_dead = \"warn\"\n");
    folder.write_program("guard.sh", "#!/bin/sh\nexit 0\n");
    let told = run.wait_for("the canary of `guard` was let pass");
    assert!(told.contains("stays in force"), "{told}");
    assert_eq!(run.evaluate(PUSH)["decision"], "allow");
}

#[test]
fn without_the_section_nobody_looks() {
    let (folder, mut run) = started("");
    folder.write_program("guard.sh", "#!/bin/sh\nexit 0\n");
    until(&mut run, PUSH, |record| record["decision"] == "allow");
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(run.evaluate(PUSH)["decision"], "allow");
    assert!(!run.end().1.contains("canary"));
}

#[test]
fn no_step_is_judged_before_the_first_round() {
    let folder = Folder::new();
    folder.write_program("guard.sh", "#!/bin/sh\nexit 0\n");
    folder.write("hooks.toml", config("[certify]\nevery = \"1h\"\n", KEY));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert!(reason(&run.evaluate(PUSH)).contains("the canary of `guard` was let pass"));
}

#[test]
fn a_period_is_a_second_at_least() {
    let folder = Folder::with_hooks(&config("[certify]\nevery = \"200ms\"\n", KEY));
    folder.write_program("guard.sh", SCRIPT);
    let ended = folder.run(&["check", "-c", "hooks.toml"], "");
    assert_eq!(ended.code(), 3, "{}", ended.err());
    assert!(ended.err().contains("shorter than a second"), "{}", ended.err());
}

#[test]
fn check_names_the_guards_that_cannot_be_proved() {
    let plain = config(EVERY_SECOND, KEY);
    let without = plain.split("canary").next().unwrap();
    for (text, is_warned) in [(without, true), (plain.as_str(), false)] {
        let folder = Folder::with_hooks(text);
        folder.write_program("guard.sh", SCRIPT);
        let ended = folder.run(&["check", "-c", "hooks.toml"], "");
        let told = [ended.out(), ended.err()].concat();
        assert_eq!(told.contains("cannot prove the hook `guard`"), is_warned, "{told}");
    }
}
