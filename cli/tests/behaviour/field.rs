//! Promise: commands of public threads, and those with which others tried to get past the shipped policies, are
//! decided as they should be, in a real repository with the links that they need.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookgate_test_support::needs;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Folder, repository};

/// A repository beside a folder that is not to be lost. It is not below the folder for temporary files, where a
/// command may delete.
struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let project = folder.path().join("proj");
        for name in ["src", "dev/cpan-reports"] {
            fs::create_dir_all(project.join(name)).unwrap();
        }
        for file in ["src/a.py", "dev/cpan-reports/r", "a.txt"] {
            fs::write(project.join(file), "x\n").unwrap();
        }
        fs::create_dir(folder.path().join("victim")).unwrap();
        fs::write(folder.path().join("victim/keep"), "").unwrap();
        symlink("../victim", project.join("out")).unwrap();
        symlink("/", project.join("rootlink")).unwrap();
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
            let mut git = Command::new("git");
            git.args(who).args(args).current_dir(&project);
            assert!(git.status().unwrap().success());
        }
        Self(folder)
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("proj")
    }
}

/// What a policy decides about a step.
fn decisions(policy: &Path, steps: &[Value]) -> Vec<String> {
    let steps: Vec<String> = steps.iter().map(Value::to_string).collect();
    let folder = Folder::new();
    let policy = policy.to_str().unwrap();
    let ended = folder.run(&["run", "--quiet", "-c", policy], steps.join("\n"));
    let records = ended.lines();
    assert_eq!(records.len(), steps.len(), "{}", ended.err());
    let decision = |record: &Value| record["decision"].as_str().unwrap().to_owned();
    records.iter().map(decision).collect()
}

/// A row of a file: the tool, its input, whether it is to be stopped.
fn row(row: &Value) -> Option<(String, Value, bool)> {
    let input = row.get("input").unwrap_or(row);
    let tool = input["tool_name"].as_str().unwrap_or("Bash").to_owned();
    let tool_input =
        input.get("tool_input").cloned().unwrap_or_else(|| json!({"command": input["command"]}));
    let is_stopped = match row["expect"].as_str()? {
        "stop" | "deny" | "ask" | "policy" => true,
        "allow" | "allow-or-unclear" => false,
        // Two steps: the one writes the script that the other runs.
        _ => return None,
    };
    Some((tool, tool_input, is_stopped))
}

/// The rows of a file that are decided otherwise than they should be: to be stopped by one policy is enough.
fn wrong(file: &str, is_about: impl Fn(&Value) -> bool, policies: &[&str]) -> Vec<String> {
    let file = repository().join("../shared/conformance").join(file);
    if !needs::path(&file) || !needs::program("git") {
        return Vec::new();
    }
    let place = Repository::new();
    let text = fs::read_to_string(file).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<_> = rows.filter(is_about).filter_map(|value| row(&value)).collect();
    assert!(rows.len() > 60, "{}", rows.len());
    let steps: Vec<Value> = rows
        .iter()
        .map(|(tool, input, _)| {
            json!({"hook_event_name": "pre_tool_use", "session_id": "s", "cwd": place.project(), "tool_name": tool,
                "tool_input": input})
        })
        .collect();
    let answers: Vec<Vec<String>> =
        policies.iter().map(|policy| decisions(&repository().join(policy), &steps)).collect();
    let is_stopped = |place: usize| answers.iter().any(|answers| answers[place] != "allow");
    let wrong = rows.iter().enumerate().filter(|(place, row)| is_stopped(*place) != row.2);
    wrong.map(|(_, (_, input, _))| input.to_string()).collect()
}

const DANGEROUS_SHELL: &str = "examples/policies/dangerous-shell/hooks.toml";
const GUARDRAILS: &str = "examples/guardrails/hooks.toml";

#[test]
fn commands_of_public_threads() {
    let is_command = |row: &Value| row["kind"] == "shell";
    let wrong = wrong("field/cases.jsonl", is_command, &[DANGEROUS_SHELL, GUARDRAILS]);
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn commands_that_were_tried_against_us() {
    let wrong = wrong("shell/redteam-3.jsonl", |_| true, &[DANGEROUS_SHELL]);
    assert_eq!(wrong, Vec::<String>::new());
}
