//! Promise: a guard that is broken between two steps is found as soon as what is known of it is older than `[certify]`
//! allows, in a process for each step and in a daemon; its posture is in force until it works again.

use std::fs;
use std::thread;
use std::time::Duration;

use hookgate_test_support::force_guard::{CANARY, PUSH};

use crate::daemon::machine::Daemon;
use crate::support::{Answer, FULL, Session};

/// A config with a guard that writes down each call, and is broken as long as there is a file `broken`.
fn config(certify: &str) -> String {
    format!(
        r#"
{certify}
[[hook]]
id = "guard"
event = "pre_tool_use"
tool = "Bash"
command = {{ shell = '''
echo call >> "$HOME/calls"
[ -e "$HOME/broken" ] && exit 0
if grep -q -e --force; then echo 'no force' >&2; exit 2; fi
''' }}
{CANARY}
"#
    )
}

fn calls(session: &Session) -> usize {
    let calls = fs::read_to_string(session.home.path().join("calls")).unwrap_or_default();
    calls.lines().count()
}

fn set_broken(session: &Session, is_broken: bool) {
    let path = session.home.path().join("broken");
    if is_broken { fs::write(path, "").unwrap() } else { fs::remove_file(path).unwrap() }
}

fn blocks(answer: &Answer) -> bool {
    answer.reaction("claude", "PreToolUse").blocks()
}

fn push(session: &Session) -> Answer {
    session.call("claude", "PreToolUse", PUSH)
}

fn a_period_later() {
    thread::sleep(Duration::from_millis(1100));
}

/// Breaks the guard of a session and mends it, and looks at each step.
fn break_and_mend(session: &Session) {
    let answer = push(session);
    assert!(blocks(&answer) && answer.text().contains("no force"), "{answer:?}");
    set_broken(session, true);
    a_period_later();
    let answer = push(session);
    assert!(blocks(&answer), "{answer:?}");
    assert!(answer.text().contains("the canary of `guard` was let pass"), "{answer:?}");
    let doctor = session.run(&["doctor"], &crate::support::Stdin::Text(b""));
    let told = [&*doctor.stdout, &*doctor.stderr].concat();
    assert!(told.contains("the canary of `guard`"), "{told}");

    set_broken(session, false);
    a_period_later();
    assert!(!blocks(&session.call("claude", "PreToolUse", "git push")));
    assert!(push(session).text().contains("no force"));
}

#[test]
fn a_broken_guard_is_found_within_a_period() {
    break_and_mend(&Session::with(&config("[certify]\nevery = '1s'\n")));
}

#[test]
fn a_daemon_finds_it_as_well() {
    let daemon = Daemon::with(FULL, &config("[certify]\nevery = '1s'\n"));
    daemon.started();
    assert!(daemon.call(PUSH).text().contains("no force"));
    set_broken(&daemon.0, true);
    a_period_later();
    let answer = daemon.call(PUSH);
    assert!(blocks(&answer) && answer.text().contains("was let pass"), "{answer:?}");
    set_broken(&daemon.0, false);
    a_period_later();
    assert!(!blocks(&daemon.call("git push")));
    assert!(daemon.call(PUSH).text().contains("no force"));
}

#[test]
fn what_is_known_is_not_asked_again_within_a_period() {
    let session = Session::with(&config("[certify]\nevery = '1h'\n"));
    push(&session);
    assert_eq!(calls(&session), 3, "two canaries and the step");
    push(&session);
    push(&session);
    assert_eq!(calls(&session), 5, "the steps");
    // The control: another hook is not known.
    let changed = config("[certify]\nevery = '1h'\n");
    session.write_users(&changed.replace("tool = \"Bash\"", "tool = ['Bash', 'Shell']"));
    push(&session);
    assert_eq!(calls(&session), 8);
}

#[test]
fn who_wants_a_warning_gets_it_with_each_step() {
    let session = Session::with(&config("[certify]\nevery = '1h'\non_dead = 'warn'\n"));
    set_broken(&session, true);
    for _ in 0..2 {
        let answer = push(&session);
        assert!(!blocks(&answer), "{answer:?}");
        assert!(answer.text().contains("the hook stays in force"), "{answer:?}");
    }
    // The control: without the section nobody looks.
    let session = Session::with(&config(""));
    set_broken(&session, true);
    let answer = push(&session);
    assert!(!blocks(&answer) && !answer.text().contains("canary"), "{answer:?}");
    assert_eq!(calls(&session), 1);
}

#[test]
fn a_project_cannot_weaken_what_its_user_says() {
    let session = Session::with(&config("[certify]\nevery = '1h'\n"));
    session.write("hooks.toml", "allow_empty = true\n[certify]\non_dead = 'warn'\n");
    set_broken(&session, true);
    let answer = push(&session);
    assert!(blocks(&answer) && answer.text().contains("was let pass"), "{answer:?}");
    // The control: nobody has said that the project is trusted, so it has nothing run.
    let session = Session::with(&config(""));
    session.write("hooks.toml", "allow_empty = true\n[certify]\n");
    push(&session);
    assert_eq!(calls(&session), 1);
}
