//! Promise: where the machine or the user has decisions recorded, every one of them is, whichever process has made it;
//! and a journal that cannot be written stops the step or is told.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate_test_support::http_service::{Mode, Service};
use serde_json::{Value, json};

use crate::daemon::machine::Daemon;
use crate::support::{POLICY, SMALL, Session, Stdin, run};

fn config(journal: &str) -> String {
    format!("[journal]\n{journal}\n{POLICY}")
}

fn default_file(home: &Path) -> PathBuf {
    home.join(".local/state/hookgate/journal.db")
}

/// The entries of a journal, as `hookgate log` prints them.
fn log(session: &Session, file: &Path) -> Vec<Value> {
    let file = file.to_str().unwrap();
    let mut command = session.command(&["log", "--json", "--journal", file]);
    let output = command.env("HOOKGATE_DAEMON", "").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn decisions(entries: &[Value]) -> Vec<&str> {
    entries.iter().filter_map(|entry| entry["report"]["decision"].as_str()).collect()
}

#[test]
fn each_decision_is_recorded_with_its_config() {
    let session = Session::with(&config(""));
    session.call("claude", "PreToolUse", "git push --force");
    session.call("codex", "PreToolUse", "git push");
    let entries = log(&session, &default_file(session.home.path()));
    assert_eq!(decisions(&entries), ["deny", "allow"]);
    assert_eq!(entries[0]["kind"], "config");
    assert!(entries[0]["files"][0]["text"].as_str().unwrap().contains("no-force-push"));
    assert_eq!(entries[0]["config_hash"], entries[1]["report"]["config_hash"]);
    assert_eq!(entries[1]["report"]["envelope"]["tool_input"]["command"], "git push --force");
}

#[test]
fn context_that_the_agent_does_not_show_is_in_the_record_as_undelivered() {
    let hint = "[[hook]]\nid = \"hint\"\nevent = \"pre_tool_use\"\n\
                builtin = { name = \"add_context\", text = \"use make\" }\n";
    let session = Session::with(&format!("[journal]\n{hint}{POLICY}"));
    // Cursor shows its model nothing at `preToolUse`; Claude Code does, and a reason is shown by both.
    session.call("cursor", "preToolUse", "ls");
    session.call("claude", "PreToolUse", "ls");
    session.call("cursor", "preToolUse", "git push --force");
    let entries = log(&session, &default_file(session.home.path()));
    let told: Vec<&Value> =
        entries[1..].iter().map(|entry| &entry["report"]["undelivered"]).collect();
    assert_eq!(told, [&json!(["hint"]), &Value::Null, &Value::Null], "{entries:#?}");
    assert!(entries[1..].iter().all(|entry| entry["report"]["context"] == json!(["use make"])));
}

#[test]
fn a_daemon_records_into_the_same_file() {
    let daemon = Daemon::with(SMALL, &config("on_failure = \"deny\""));
    daemon.started();
    let file = default_file(daemon.0.home.path());
    let before = decisions(&log(&daemon.0, &file)).len();
    daemon.call("git push --force");
    daemon.call("git push");
    // A step that has its answer is in the journal.
    let entries = log(&daemon.0, &file);
    assert_eq!(decisions(&entries)[before..], ["deny", "allow"]);
    assert_eq!(daemon.pids().len(), 1, "it was there to answer");
}

#[test]
fn a_project_does_not_say_where_its_users_steps_are_recorded() {
    let session = Session::with(POLICY);
    let theirs = session.folder.path().join("theirs.db");
    session.write("hooks.toml", &config(&format!("file = \"{}\"", theirs.display())));
    session.call("claude", "PreToolUse", "ls");
    assert!(!theirs.exists());

    let session = Session::with(&config(""));
    session.write("hooks.toml", &config(&format!("file = \"{}\"", theirs.display())));
    session.call("claude", "PreToolUse", "ls");
    assert!(!theirs.exists() && default_file(session.home.path()).exists());
}

#[test]
fn a_journal_that_cannot_be_written_stops_the_step_or_is_told() {
    for (on_failure, blocks) in [("deny", true), ("warn", false)] {
        let session = Session::new();
        let file = session.home.path().join("journal.db");
        fs::write(&file, "this is something else, and it must stay").unwrap();
        let text = format!("file = \"{}\"\non_failure = \"{on_failure}\"", file.display());
        session.write_users(&config(&text));
        let answer = session.call("claude", "PreToolUse", "ls");
        assert_eq!(answer.reaction("claude", "PreToolUse").blocks(), blocks, "{answer:?}");
        assert!(answer.text().contains("is no journal of hookgate"), "{answer:?}");
        let kept = fs::read_to_string(&file).unwrap();
        assert_eq!(kept, "this is something else, and it must stay");
        // A guard is one all the same.
        let answer = session.call("claude", "PreToolUse", "git push --force");
        assert!(answer.reaction("claude", "PreToolUse").blocks());
    }
}

#[test]
fn a_record_that_is_not_written_in_time_is_told_by_the_process_that_has_made_it() {
    let session = Session::with(&config(""));
    session.call("claude", "PreToolUse", "ls");
    let file = default_file(session.home.path());
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = session.call("claude", "PreToolUse", "ls");
    assert!(!answer.reaction("claude", "PreToolUse").blocks(), "{answer:?}");
    assert!(answer.text().contains("the journal is not written"), "{answer:?}");
    assert!(
        answer.took < Duration::from_secs(3),
        "the agent waits for the end of the process: {answer:?}"
    );
    drop(other);
    assert!(!session.call("claude", "PreToolUse", "ls").text().contains("journal"));
}

#[test]
fn a_collector_gets_the_head_of_each_decision_and_it_shows_a_cut_end() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let collector = runtime.block_on(Service::start(Mode::Verdict("{}".to_owned())));
    let session = Session::new();
    let file = session.home.path().join("j.db");
    let url = format!("http://{}", collector.address);
    let section = format!("file = \"{}\"\nheads = \"{url}\"\nhead_key = \"KEY\"", file.display());
    session.write_users(&config(&section));
    for command in ["ls", "git push --force"] {
        let envelope = session.envelope("PreToolUse", command).to_string();
        let mut call = session.command(&["hook", "--agent", "claude"]);
        call.env("HOOKGATE_DAEMON", "").env("KEY", "of the owner");
        call.env("OTEL_EXPORTER_OTLP_HEADERS", "x-scope=logs");
        let answer = run(&mut call, &Stdin::Text(envelope.as_bytes()));
        assert!(!answer.text().contains("journal"), "{answer:?}");
    }
    let requests = collector.requests();
    assert!(!requests.is_empty());
    for request in &requests {
        assert!(request.line.starts_with("POST /v1/logs "), "{}", request.line);
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("x-scope"), Some("logs"));
    }
    let bodies: Vec<Value> =
        requests.iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect();
    let log = &bodies.last().unwrap()["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
    let attribute = |name: &str| {
        let all = log["attributes"].as_array().unwrap();
        all.iter().find(|one| one["key"] == name).unwrap()["value"].clone()
    };
    // A config and two decisions.
    assert_eq!(attribute("hookgate.head.seq")["intValue"], "3");
    // What a collector writes into its file is read as it is.
    let kept: String = bodies.iter().map(|body| format!("{body}\n")).collect();
    let verify = || {
        let file = file.to_str().unwrap();
        let args =
            ["journal", "verify", "--journal", file, "--heads", "-", "--key-variable", "KEY"];
        let mut command = session.command(&args);
        run(command.env("KEY", "of the owner"), &Stdin::Text(kept.as_bytes()))
    };
    assert_eq!(verify().exit, Some(0), "{:?}", verify());
    let database = rusqlite::Connection::open(&file).unwrap();
    for table in ["record", "body", "spoke"] {
        database.execute(&format!("DELETE FROM {table} WHERE seq = 3"), ()).unwrap();
    }
    assert_eq!(verify().exit, Some(2), "{:?}", verify());
}

#[test]
fn a_collector_that_takes_no_head_is_told_and_stops_no_step() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (mode, why) in [
        (Mode::Status(503, "", String::new()), "503"),
        (
            Mode::Verdict(
                "{\"partialSuccess\":{\"rejectedLogRecords\":\"1\",\"errorMessage\":\"quota\"}}"
                    .to_owned(),
            ),
            "quota",
        ),
        (Mode::Never, "was not sent in time"),
    ] {
        let collector = runtime.block_on(Service::start(mode));
        let section = format!("on_failure = \"deny\"\nheads = \"http://{}\"", collector.address);
        let session = Session::with(&config(&section));
        let answer = session.call("claude", "PreToolUse", "ls");
        assert!(!answer.reaction("claude", "PreToolUse").blocks(), "{answer:?}");
        let text = answer.text();
        assert!(text.contains("heads of the journal") && text.contains(why), "{answer:?}");
        assert!(answer.took < Duration::from_secs(3), "{answer:?}");
        let entries = log(&session, &default_file(session.home.path()));
        assert_eq!(decisions(&entries), ["allow"]);
    }
}

#[test]
fn no_step_may_change_the_journal() {
    let session = Session::new();
    let (file, heads) = (session.home.path().join("kept/j.db"), session.home.path().join("heads"));
    let stay = "[[hook]]\nid = \"stay\"\nevent = \"pre_tool_use\"\nbuiltin = \"protect_config\"\n";
    let places = format!("file = \"{}\"\nheads = \"{}\"", file.display(), heads.display());
    session.write_users(&format!("{}{stay}", config(&places)));
    let blocks = |command: String| {
        let answer = session.call("claude", "PreToolUse", &command);
        answer.reaction("claude", "PreToolUse").blocks()
    };
    assert!(!blocks("ls".to_owned()));
    for place in [file.display(), heads.display()] {
        assert!(blocks(format!("rm -f {place}")) && blocks(format!("echo x >> {place}")));
    }
    assert!(blocks(format!("rm {}-wal", file.display())));
    assert!(!blocks(format!("cat {}", file.display())), "it may be read");
}
