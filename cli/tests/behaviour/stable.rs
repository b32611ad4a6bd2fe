//! `run --stable` prints the same twice.

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
