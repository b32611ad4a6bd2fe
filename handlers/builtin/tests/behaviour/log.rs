//! Promise: `log` appends each step as a line of JSON, without secrets, and puts large files aside.

use std::fs;
use std::path::Path;

use hookgate_contract::payload::{PostToolUse, ToolCall};
use hookgate_contract::{BuiltHandler, FailureClass, Verdict};
use serde_json::{Value, json};

use crate::support::{build_in, full_host, invoke};

fn log(folder: &Path, settings: Value) -> BuiltHandler {
    build_in("log", &settings, &[], folder, &full_host()).unwrap()
}

fn call(command: &str) -> ToolCall {
    ToolCall::new("Bash", json!({"command": command}))
}

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_step_is_a_line_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let built = log(folder.path(), json!({"file": "steps.jsonl"}));
    assert_eq!(invoke(&built, &call("ls")).unwrap(), Verdict::none());
    invoke(&built, &PostToolUse::new(call("ls"), json!({"stdout": "a\nb"}))).unwrap();
    let lines = lines(&folder.path().join("steps.jsonl"));
    let names: Vec<_> = lines.iter().map(|line| &line["hook_event_name"]).collect();
    assert_eq!(names, ["pre_tool_use", "post_tool_use"]);
    assert_eq!(lines[1]["tool_response"], json!({"stdout": "a\nb"}));
    assert_eq!(lines[0]["session_id"], "session-1");
    assert!(lines[0]["time"].as_str().unwrap().ends_with('Z'));
}

#[cfg(unix)]
#[test]
fn a_new_log_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    invoke(&log(folder.path(), json!({"file": "a.log"})), &call("ls")).unwrap();
    let mode = fs::metadata(folder.path().join("a.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn secrets_are_taken_out_unless_they_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let step =
        call("curl -H 'Authorization: Bearer 0aB1cD2eF3gH4iJ5kL6m' x; DB_PASS=correct7horse");
    invoke(&log(folder.path(), json!({"file": "a"})), &step).unwrap();
    invoke(&log(folder.path(), json!({"file": "b", "redact": false})), &step).unwrap();
    let command = |file: &str| lines(&folder.path().join(file))[0]["tool_input"]["command"].clone();
    let redacted = command("a");
    assert!(!redacted.as_str().unwrap().contains("0aB1cD2eF3gH4iJ5kL6m"), "{redacted}");
    assert!(!redacted.as_str().unwrap().contains("correct7horse"), "{redacted}");
    assert_eq!(command("b"), step.tool_input["command"]);
}

#[test]
fn a_large_log_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let settings = json!({"file": "log", "max_bytes": 600, "keep": 2});
    let (one, other) = (log(folder.path(), settings.clone()), log(folder.path(), settings));
    for number in 0..20 {
        let writer = if number % 2 == 0 { &one } else { &other };
        invoke(writer, &call(&format!("echo {number}"))).unwrap();
    }
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["log", "log.1", "log.2"]);
    let last = |file: &str| lines(&folder.path().join(file)).pop().unwrap();
    assert_eq!(last("log")["tool_input"]["command"], "echo 19");
    let all: Vec<_> = ["log.2", "log.1", "log"]
        .iter()
        .flat_map(|file| lines(&folder.path().join(file)))
        .map(|line| line["tool_input"]["command"].as_str().unwrap().to_owned())
        .collect();
    let expected: Vec<_> = (20 - all.len()..20).map(|number| format!("echo {number}")).collect();
    assert_eq!(all, expected, "no line is lost or out of order");
    assert!(all.len() >= 4);
}

#[test]
fn a_log_that_was_moved_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let built = log(folder.path(), json!({"file": "log"}));
    invoke(&built, &call("one")).unwrap();
    fs::rename(&file, folder.path().join("old")).unwrap();
    invoke(&built, &call("two")).unwrap();
    assert_eq!(lines(&file).len(), 1);
    assert_eq!(lines(&file)[0]["tool_input"]["command"], "two");
}

#[test]
fn what_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let built = log(folder.path(), json!({"file": "log"}));
    fs::create_dir(folder.path().join("log")).unwrap();
    let failure = invoke(&built, &call("ls")).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
    assert!(failure.detail.contains("not a regular file"), "{failure}");
    let wrong = |file: &str| {
        build_in("log", &json!({"file": file}), &[], folder.path(), &full_host()).unwrap_err()
    };
    assert!(wrong("log").contains("it is a folder"));
    assert!(wrong("no/such").contains("its folder is not there"));
}
