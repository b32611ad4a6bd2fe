//! Promise: `run --stable` prints the same bytes in every run.

use crate::support::{Folder, HOOKS, bash};

#[test]
fn two_runs_are_byte_identical() {
    let folder = Folder::with_hooks(HOOKS);
    let named = r#"{"hook_event_name":"stop","step_id":"mine"}"#;
    let steps = [&bash("date"), &bash("git push --force"), "broken", named].join("\n");
    let first = folder.run(&["run", "--stable"], &steps);
    let second = folder.run(&["run", "--stable"], &steps);
    assert_eq!(first.out(), second.out());
    assert!(!first.out().contains("duration_us"));
    assert_eq!(first.lines()[0].get("step_id"), None);
    assert_eq!(first.lines()[3]["step_id"], "mine");
    let other = folder.run(&["run"], &steps);
    assert!(other.out().contains("duration_us") && other.lines()[0].get("step_id").is_some());
}

/// The records contain neither the day nor the config: two configs that decide alike print the same.
#[test]
fn what_differs_by_day_or_by_config_is_left_out() {
    let date = "[[hook]]\nid = \"today\"\nevent = \"session_start\"\nbuiltin = \"add_date\"\n";
    let folder = Folder::with_hooks(date);
    folder.write("other.toml", format!("# The same, and more.\n{date}tags = \"x\"\n"));
    let step = r#"{"hook_event_name":"session_start","source":"startup"}"#;
    let stable = |config: &str| folder.run(&["run", "--stable", "-c", config], step);
    let first = stable("hooks.toml");
    assert_eq!(first.out(), stable("other.toml").out());
    assert_eq!(first.lines()[0]["context"][0], "Today is 1970-01-01 (Thursday).");
    assert_eq!(first.lines()[0].get("config_hash"), None);
    let dated = folder.run(&["run"], step).lines().remove(0);
    assert!(!dated["context"][0].as_str().unwrap().contains("1970"), "{dated}");
    assert!(dated["config_hash"].as_str().unwrap().starts_with("sha256:"), "{dated}");
}
