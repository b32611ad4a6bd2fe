//! Configs of other agents run as those agents run them: cases of hook protocols, each with real programs,
//! a real server, and the answer that the agent would obey.
//!
//! The cases in `cases/` are ours; those of `../shared/conformance` are beside the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookgate_test_support::{built, needs};
use serde_json::{Value, json};

/// How many expectations of one key are turned into their opposite.
const MOST_OF_A_KEY: usize = 12;

/// What the runner said of a file.
struct Verdicts {
    /// The ids of the cases that did not pass.
    failed: BTreeSet<String>,
    passed: usize,
    total: usize,
    status: i32,
    output: String,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the cases of a file.
fn run(file: &Path) -> Verdicts {
    let mut command = Command::new(built::example("conformance"));
    let output = command.arg(file).current_dir(package()).output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
    let last = stdout.lines().last().unwrap_or_else(|| panic!("the runner says nothing: {stderr}"));
    let mut words = last.split_whitespace().filter_map(|word| word.parse().ok());
    let counts = (words.next(), words.next());
    let (Some(passed), Some(total)) = counts else { panic!("no counts: {stdout}\n{stderr}") };
    let ids = stdout.lines().filter(|line| !line.starts_with("passed"));
    let failed = ids.filter_map(|line| line.split(": ").next()).map(str::to_owned).collect();
    Verdicts { failed, passed, total, status: output.status.code().unwrap(), output: stdout }
}

/// Checks that all cases of a file pass.
fn all_pass(file: &Path, at_least: usize) {
    let verdicts = run(file);
    assert_eq!(verdicts.passed, verdicts.total, "{}", verdicts.output);
    assert!(verdicts.total >= at_least, "only {} cases", verdicts.total);
    assert_eq!(verdicts.status, 0);
}

fn shared(agent: &str) -> Option<PathBuf> {
    let file = package().join("../../../shared/conformance").join(agent).join("cases.jsonl");
    needs::path(&file).then_some(file)
}

#[test]
fn claude_hooks_run_as_in_claude_code() {
    all_pass(&package().join("tests/systems/cases/claude.jsonl"), 300);
}

#[test]
fn gemini_hooks_run_in_a_folder_with_a_blank() {
    all_pass(&package().join("tests/systems/cases/gemini.jsonl"), 4);
}

#[test]
fn claude_hooks_meet_the_shared_cases() {
    if let Some(file) = shared("claude") {
        all_pass(&file, 190);
    }
}

/// A runner that passed everything would prove nothing: each expectation, turned into its opposite, fails.
#[test]
fn a_wrong_expectation_is_found() {
    let text = std::fs::read_to_string(package().join("tests/systems/cases/claude.jsonl")).unwrap();
    let mut wrong = tempfile::NamedTempFile::new().unwrap();
    let mut ids = BTreeSet::new();
    let mut of_key: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        for (key, expected) in case["expect"].as_object().unwrap() {
            // Text that the runner gives a meaning of its own, and names of which nothing is known.
            if matches!(key.as_str(), "env" | "stdin_lacks" | "env_absent") {
                continue;
            }
            // A few of each kind of expectation.
            let count = of_key.entry(key.clone()).or_default();
            *count += 1;
            if *count > MOST_OF_A_KEY {
                continue;
            }
            let mut turned = case.clone();
            let id = format!("{}-{key}", case["id"].as_str().unwrap());
            turned["id"] = json!(id);
            turned["expect"] = json!({ key: opposite(expected) });
            writeln!(wrong, "{turned}").unwrap();
            ids.insert(id);
        }
    }
    let verdicts = run(wrong.path());
    let missed: Vec<_> = ids.difference(&verdicts.failed).collect();
    assert_eq!((verdicts.passed, &missed[..]), (0, &[][..]), "these passed");
    assert_eq!(verdicts.status, 1);
    assert!(of_key.len() > 20, "only {of_key:?}");
}

/// Returns a value that is not the given one.
fn opposite(value: &Value) -> Value {
    match value {
        Value::Bool(value) => json!(!value),
        Value::Number(number) => json!(number.as_f64().unwrap() + 1.0),
        Value::String(text) => json!(format!("{text}!")),
        Value::Null => json!("something"),
        Value::Array(items) if items.iter().all(Value::is_boolean) && !items.is_empty() => {
            items.iter().map(opposite).collect()
        }
        Value::Array(items) => items.iter().cloned().chain([json!("more")]).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), opposite(value))).collect()
        }
    }
}
