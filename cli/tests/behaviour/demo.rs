//! Promise: `demo` shows every feature that it announces.

use serde_json::Value;

use crate::support::{Folder, has_python};

/// Whether the hook that decided is of a kind, with a vote that it spoke itself.
fn decided_by(record: &Value, kind: &str) -> bool {
    let by = record["by"].as_array().unwrap();
    record["votes"].as_array().unwrap().iter().any(|vote| {
        vote["kind"] == kind && vote["outcome"] == "verdict" && by.contains(&vote["hook"])
    })
}

#[test]
fn it_shows_every_kind_of_decision_and_a_swap() {
    if !has_python() {
        return;
    }
    // An empty folder: the demo needs nothing but itself.
    let ended = Folder::new().run(&["demo", "--json"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let records = ended.lines();
    assert!(records.len() >= 50, "{}", records.len());
    let all = |wanted: &dyn Fn(&Value) -> bool| records.iter().filter(|r| wanted(r)).count();
    let is = |record: &Value, decision: &str| record["decision"] == decision;

    assert!(all(&|r| is(r, "allow")) > 10);
    assert!(all(&|r| is(r, "deny") && decided_by(r, "builtin")) >= 2);
    assert!(all(&|r| is(r, "deny") && decided_by(r, "command")) >= 1);
    assert!(all(&|r| is(r, "ask")) >= 1);
    assert!(all(&|r| r["patched"] == serde_json::json!(["tool_input"]) && is(r, "allow")) >= 1);
    let judged_again = |r: &Value| {
        r["votes"].as_array().unwrap().iter().any(|v| v["round"] == 2 && v["decision"] == "deny")
    };
    assert!(
        all(&|r| is(r, "deny") && judged_again(r)) >= 1,
        "a guard that judges what was rewritten"
    );
    assert!(all(&|r| r["annotations"]["redacted"].as_u64().is_some()) >= 2);
    assert!(all(&|r| r["votes"].as_array().unwrap().iter().any(|v| !v["failure"].is_null())) == 0);

    let generations: Vec<_> = records.iter().map(|r| r["generation"].as_u64().unwrap()).collect();
    assert!(generations.is_sorted() && generations[0] == 1 && generations.last() == Some(&2));
    assert!(ended.err().contains("generation 2"), "{}", ended.err());
    assert!(!ended.out().contains("correct-horse-battery"), "a secret was shown");
}

#[test]
fn people_get_a_table_with_the_swap_in_it() {
    if !has_python() {
        return;
    }
    let ended = Folder::new().run(&["demo", "--table"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    for text in
        ["hooks swapped", "no-force-push", "rewritten to", "redacted", "What this has shown"]
    {
        assert!(ended.out().contains(text), "{text} in {}", ended.out());
    }
}

#[test]
fn without_python_it_says_so() {
    let folder = Folder::new();
    let mut command = folder.hookgate(&["demo"]);
    command.env("PATH", folder.path(""));
    let ended = crate::support::run(command, b"");
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("python3"), "{}", ended.err());
}
