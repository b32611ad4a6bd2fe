//! The labelled commands: which programs are found, and what is called complete.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

use std::path::Path;

use hookgate_effects::{Effects, Manifests, Origin, Place, Run, Surroundings, shell};
use serde_json::{Value, json};

/// The share of complete commands whose programs must be those of the labels.
const EQUAL: f64 = 0.99;

fn rows() -> Option<Vec<Value>> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = repository.join("../shared/conformance/shell/commands.jsonl");
    if !hookgate_test_support::needs::path(&file) {
        return None;
    }
    let text = std::fs::read_to_string(file).expect("the commands can be read");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect())
}

fn read(row: &Value) -> shell::ShellReading {
    shell::read(row["command"].as_str().expect("a command"), &around())
}

fn around() -> Surroundings {
    Surroundings { cwd: Some("/home/test/project".to_owned()), home: Some("/home/test".to_owned()) }
}

fn names(reading: &shell::ShellReading, place: Place) -> Value {
    let runs = reading.runs.iter().filter(|run| run.origin == Origin::Text && run.place == place);
    runs.filter_map(Run::name).collect()
}

/// The JSON that `hookgate effects` writes for a command.
fn json(row: &Value) -> Value {
    let around = around();
    let input = json!({"command": row["command"]});
    let effects = Effects::of_call("Bash", &input, &around, &Manifests::default());
    let report = effects.report("Bash", around.cwd.as_deref());
    serde_json::to_value(report).expect("effects are JSON")
}

#[test]
fn the_programs_are_those_of_the_labels() {
    let Some(rows) = rows() else { return };
    let complete: Vec<&Value> = rows.iter().filter(|row| row["complete"] == true).collect();
    let mut wrong = 0;
    for row in &complete {
        let json = json(row);
        let runs = json["runs"].as_array().expect("runs");
        let programs: Value = runs.iter().map(|run| run["program"].clone()).collect();
        if programs != row["programs"] {
            wrong += 1;
            println!(
                "{} {}\n  labels {}\n  read   {programs}",
                row["id"], row["command"], row["programs"]
            );
        }
    }
    println!("{wrong} of {} differ", complete.len());
    assert!(
        f64::from(wrong) <= (1.0 - EQUAL) * complete.len() as f64,
        "{wrong} of {}",
        complete.len()
    );
}

/// Labelled as not known, and read: the value that `${FILE%x}` leaves.
const READ_ALL_THE_SAME: [&str; 1] = ["FILE='payload.pyx'; python \"${FILE%x}\""];

#[test]
fn nothing_is_called_complete_that_is_not() {
    let Some(rows) = rows() else { return };
    let incomplete = rows.iter().filter(|row| row["complete"] != true || row["programs"].is_null());
    let is_silent = |row: &&Value| {
        read(row).complete || json(row)["unclear"].as_array().expect("a list").is_empty()
    };
    let wrong = incomplete.filter(is_silent).map(|row| row["command"].as_str().expect("a text"));
    let wrong: Vec<&str> = wrong.filter(|command| !READ_ALL_THE_SAME.contains(command)).collect();
    assert_eq!(wrong, Vec::<&str>::new());
}

#[test]
fn what_runs_elsewhere_is_remote() {
    let Some(rows) = rows() else { return };
    let remote = rows.iter().filter(|row| row["remote_programs"].is_array());
    let wrong: Vec<_> = remote
        .map(|row| (&row["command"], &row["remote_programs"], names(&read(row), Place::Remote)))
        .filter(|(_, labels, read)| *labels != read)
        .collect();
    println!("{wrong:#?}");
    assert!(wrong.len() <= 1, "{} rows", wrong.len());
}

#[test]
fn a_text_that_bash_refuses_is_not_complete() {
    let Some(rows) = rows() else { return };
    if !hookgate_test_support::needs::program("bash") {
        return;
    }
    for row in rows.iter().filter(|row| row["programs"].is_null()) {
        assert!(!read(row).complete, "{}", row["command"]);
    }
    // Texts that were cut somewhere: what bash refuses must not be called complete.
    for row in rows.iter().step_by(40) {
        let command = row["command"].as_str().expect("a command");
        let half: String = command.chars().take(command.chars().count() * 2 / 3).collect();
        let mut bash = std::process::Command::new("bash");
        let refused = !bash
            .args(["-n", "-O", "extglob", "-c", &half])
            .output()
            .expect("bash")
            .status
            .success();
        let around = Surroundings::default();
        assert!(!refused || !shell::read(&half, &around).complete, "{half}");
    }
}
