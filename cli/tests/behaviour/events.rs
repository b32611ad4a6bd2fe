//! Promise: `events` prints every event.

use std::collections::BTreeSet;

use crate::support::Folder;

#[test]
fn there_are_38_events_and_each_says_what_it_takes() {
    let folder = Folder::new();
    let ended = folder.run(&["events", "--json"], "");
    assert_eq!(ended.code(), 0);
    let lines = ended.lines();
    let names: BTreeSet<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 38);
    for line in &lines {
        let can_deny = line["decisions"].as_array().unwrap().contains(&"deny".into());
        assert_eq!(line["deny_means"].is_string(), can_deny, "{line}");
        assert!(!line["default_posture"].as_object().unwrap().is_empty(), "{line}");
    }
    let aliases: usize = lines.iter().map(|line| line["aliases"].as_array().unwrap().len()).sum();
    assert!(aliases > 60);
}

#[test]
fn an_event_is_found_under_the_name_of_another_system() {
    let folder = Folder::new();
    let ended = folder.run(&["events", "AfterTool"], "");
    let names: Vec<_> = ended.lines().iter().map(|line| line["event"].clone()).collect();
    assert_eq!(names, ["post_tool_use", "post_tool_use_failure"]);
    assert_eq!(folder.run(&["events", "pretool"], "").code(), 64);
}

#[test]
fn people_get_a_table() {
    let table = Folder::new().run(&["events", "--table"], "");
    for text in ["worktree_create", "tool_input", "the agent does not stop yet", "PreToolUse"] {
        assert!(table.out().contains(text), "{text} in {}", table.out());
    }
}
