//! Promise: an agent with a goal does not stop before it is reached, and is told what is missing.

use std::fs;
use std::path::Path;

use hookgate_contract::payload::{SessionSource, SessionStart, Stop, SubagentStop};
use hookgate_contract::{BuiltHandler, Event, FailureClass, Verdict};
use serde_json::{Value, json};

use crate::support::{build, build_in, full_host, invoke_at, supports};

fn gate(settings: Value) -> BuiltHandler {
    build_in("goal_gate", &settings, &[], Path::new("/"), &full_host()).unwrap()
}

fn at_stop(gate: &BuiltHandler, message: &str, folder: &Path) -> Option<String> {
    let stop = Stop::new().last_assistant_message(message);
    let verdict = invoke_at(gate, &stop, folder, 3).unwrap();
    verdict.into_parts().map(|parts| parts.reason.unwrap())
}

/// Row D5.
#[test]
fn an_agent_stops_when_its_goal_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let gate =
        gate(json!({"goal": "all is well", "file": "report.md", "says": "DONE", "mark": "tested"}));
    let missing = at_stop(&gate, "I am tired", folder.path()).unwrap();
    assert_eq!(
        missing,
        "the goal is not reached: all is well. Missing: the file `report.md`; the text `DONE` in your last message"
    );
    let missing = at_stop(&gate, "DONE", folder.path()).unwrap();
    assert!(missing.ends_with("Missing: the file `report.md`"), "{missing}");
    fs::write(folder.path().join("report.md"), "x").unwrap();
    assert_eq!(at_stop(&gate, "it is DONE now", folder.path()), None);
    // A sub-agent as well.
    let verdict =
        invoke_at(&gate, &SubagentStop::new().last_assistant_message("no"), folder.path(), 1);
    assert!(verdict.unwrap().into_parts().is_some());
}

/// Row D5.
#[test]
fn a_mark_counts_and_the_goal_is_told_where_work_begins() {
    let untested = gate(json!({"goal": "tests pass", "mark": "linted"}));
    let missing = at_stop(&untested, "", Path::new("/srv")).unwrap();
    assert!(missing.ends_with("Missing: the mark `linted`"), "{missing}");
    let tested = gate(json!({"goal": "tests pass", "mark": "tested", "after": "edited"}));
    assert_eq!(at_stop(&tested, "", Path::new("/srv")), None);
    // It must be later than the other one, not only there.
    let stale = gate(json!({"goal": "tests pass", "mark": "tested", "after": "merged"}));
    let missing = at_stop(&stale, "", Path::new("/srv")).unwrap();
    assert!(missing.ends_with("Missing: the mark `tested`, later than `merged`"), "{missing}");
    let told = invoke_at(&tested, &SessionStart::new(SessionSource::Startup), Path::new("/srv"), 0);
    assert_eq!(told.unwrap(), Verdict::none().context("The goal of this work: tests pass"));
    assert!(
        supports(&tested, Event::Stop.contract())
            && !supports(&tested, Event::PreToolUse.contract())
    );
}

#[test]
fn what_cannot_be_told_is_a_failure_and_not_a_goal_that_is_reached() {
    let says = gate(json!({"goal": "x", "says": "DONE"}));
    let failure = invoke_at(&says, &Stop::new(), Path::new("/srv"), 1).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unclear);
    let file = gate(json!({"goal": "x", "file": "a"}));
    let failure = invoke_at(&file, &Stop::new(), Path::new("relative"), 1).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unclear);
    let unknown = gate(json!({"goal": "x", "mark": "unknown"}));
    let failure = invoke_at(&unknown, &Stop::new(), Path::new("/srv"), 1).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unclear);
}

#[test]
fn wrong_settings_say_what_to_write() {
    let wrong = |settings: Value| build("goal_gate", &settings).unwrap_err();
    assert!(wrong(json!({"goal": "x"})).contains("write `mark`, `file` or `says`"));
    assert!(wrong(json!({"goal": "x", "says": " "})).starts_with("`says`: it is empty"));
    assert!(wrong(json!({"goal": "x", "file": "../a"})).starts_with("`file`: `../a` is not below"));
    assert!(wrong(json!({"goal": "x", "says": "y", "after": "z"})).starts_with("`after`"));
    assert!(
        wrong(json!({"goal": "x", "mark": "y"})).starts_with("`mark`: this program keeps no marks")
    );
}
