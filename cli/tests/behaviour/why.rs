//! Promise: `why` says for each step why a hook ran or not, and what became of its answer.

use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, bash};

const POLICY: &str = r#"
[[hook]]
id = "first"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { contains = "stop here" } }
builtin = { name = "deny", reason = "the first one decides" }

[[hook]]
id = "no-push"
event = "pre_tool_use"
tool = "Bash"
runs = "git push --force|-f"
builtin = { name = "deny", reason = "no force push" }

[[hook]]
id = "ask-git"
event = "pre_tool_use"
priority = 5
runs = "git **"
builtin = { name = "ask", reason = "git?" }

[[hook]]
id = "tried"
event = "pre_tool_use"
mode = "shadow"
tool = "Bash"
builtin = { name = "deny", reason = "one day" }

[[hook]]
id = "asleep"
event = "pre_tool_use"
mode = "off"
tool = "Bash"
builtin = { name = "deny", reason = "never" }

[[hook]]
id = "program"
event = "pre_tool_use"
role = "rewrite"
tool = "Edit"
command = { shell = "touch called; echo '{\"context\":[\"be careful\"]}'" }

[[hook]]
id = "broken"
event = "pre_tool_use"
tool = "Grep"
command = { shell = "exit 7" }

[[hook]]
id = "log"
event = "pre_tool_use"
builtin = "audit"

[[hook]]
id = "at-stop"
event = "stop"
builtin = "audit"
"#;

fn ask(folder: &Folder, hook: &str, step: &str) -> Value {
    let ended = folder.run(&["why", hook], step);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let mut lines = ended.lines();
    assert_eq!(lines.len(), 1, "{}", ended.out());
    lines.remove(0)
}

fn tool(name: &str) -> String {
    json!({"hook_event_name": "pre_tool_use", "tool_name": name, "tool_input": {}}).to_string()
}

/// Every reason that there is for a hook of one config, and what the sentence names.
#[test]
fn each_reason_has_its_name() {
    let folder = Folder::with_hooks(POLICY);
    let (force, plain, edit) = (bash("git push -f"), bash("ls"), tool("Edit"));
    let unclear = bash("git push $FLAGS");
    let stopped = bash("git push -f; echo stop here");
    let cases = [
        ("asleep", &plain, "off", json!(false), "mode = \"off\""),
        ("at-stop", &plain, "other_event", json!(false), "it is for stop"),
        ("no-push", &plain, "condition", json!(false), "`runs = \"git push --force|-f\"` is false"),
        ("no-push", &unclear, "unclear", json!(false), "counts as ask"),
        ("no-push", &stopped, "decided_before", json!(false), "`first` denied before"),
        ("no-push", &force, "decided", json!(true), "it denied: no force push"),
        ("ask-git", &force, "overruled", json!(true), "`no-push` said deny"),
        (
            "tried",
            &plain,
            "would",
            json!(true),
            "would deny, which does not count in mode `shadow`",
        ),
        ("program", &edit, "added", json!(true), "added context"),
        ("broken", &tool("Grep"), "failed", json!(true), "counts as deny"),
        ("log", &plain, "observed", json!(true), "after the decision"),
    ];
    for (hook, step, because, ran, why) in cases {
        let said = ask(&folder, hook, step);
        assert_eq!((&said["because"], &said["ran"]), (&json!(because), &ran), "{hook}: {said}");
        assert!(said["why"].as_str().unwrap().contains(why), "{hook}: {said}");
    }
}

#[test]
fn the_conditions_are_shown_one_by_one_also_of_a_hook_that_is_off() {
    let folder = Folder::with_hooks(POLICY);
    let said = ask(&folder, "no-push", &bash("git push"));
    let truths: Vec<_> =
        said["conditions"].as_array().unwrap().iter().map(|one| &one["truth"]).collect();
    assert_eq!(truths, ["true", "false"]);
    assert_eq!(said["conditions"][1]["origin"], "hooks.toml:13");
    assert_eq!(said["decision"], "ask");
    assert_eq!(said["origin"]["line"], 9);
    let said = ask(&folder, "asleep", &bash("ls"));
    assert_eq!(said["conditions"][0]["truth"], "true", "{said}");
}

#[test]
fn without_a_run_no_hook_is_called() {
    let folder = Folder::with_hooks(POLICY);
    let ended = folder.run(&["why", "program", "--no-run"], tool("Edit"));
    let said = &ended.lines()[0];
    assert_eq!((&said["because"], &said["decision"]), (&json!("not_called"), &Value::Null));
    assert!(!folder.path("called").exists());
    assert!(said["by"].as_array().unwrap().contains(&json!("no-push")), "{said}");
    let ended = folder.run(&["why", "no-push", "--no-run"], bash("ls"));
    assert_eq!(ended.lines()[0]["because"], "condition");
    // The same question with a run calls it.
    ask(&folder, "program", &tool("Edit"));
    assert!(folder.path("called").exists());
}

#[test]
fn a_file_of_steps_gives_a_count_for_each_reason() {
    let folder = Folder::with_hooks(POLICY);
    let stop = r#"{"hook_event_name":"stop"}"#;
    let steps = [&*bash("ls"), &bash("git push -f"), stop, "", &bash("pwd"), &tool("Edit")];
    folder.write("s.jsonl", steps.join("\n"));
    let ended = folder.run(&["why", "no-push", "-i", "s.jsonl"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let groups = ended.lines();
    let counts: Vec<_> = groups
        .iter()
        .map(|group| (group["because"].as_str().unwrap(), group["count"].as_u64()))
        .collect();
    assert_eq!(counts[0], ("condition", Some(2)), "{groups:?}");
    assert_eq!(groups[0]["lines"], json!([1, 5]));
    assert_eq!(counts.iter().map(|(_, count)| count.unwrap()).sum::<u64>(), 5);
    assert!(counts.contains(&("decided", Some(1))) && counts.contains(&("other_event", Some(1))));
    let one = folder.run(&["why", "no-push", "-i", "s.jsonl", "--line", "2"], "");
    assert_eq!(
        (&one.lines()[0]["because"], &one.lines()[0]["line"]),
        (&json!("decided"), &json!(2))
    );
    let none = folder.run(&["why", "no-push", "-i", "s.jsonl", "--line", "4"], "");
    assert_eq!((none.code(), none.out()), (1, ""));
    assert!(none.err().contains("no step in line 4"), "{}", none.err());
}

/// The lines before it leave their counts, and none of their programs is started.
#[test]
fn the_lines_before_count() {
    let policy = r#"
[[hook]]
id = "three-edits"
event = "pre_tool_use"
tool = "Edit"
builtin = { name = "limit", of = "calls", over = 2 }

[[hook]]
id = "program"
event = "pre_tool_use"
command = { shell = "echo x >> called; echo '{}'" }
"#;
    let folder = Folder::with_hooks(policy);
    folder.write("s.jsonl", format!("{}\n", tool("Edit")).repeat(3));
    let because = |line: &str| {
        let ended = folder.run(&["why", "three-edits", "-i", "s.jsonl", "--line", line], "");
        ended.lines()[0]["because"].clone()
    };
    assert_eq!((because("2"), because("3")), (json!("no_opinion"), json!("decided")));
    let called = std::fs::read_to_string(folder.path("called")).unwrap();
    assert_eq!(called.lines().count(), 1, "only about line 2; line 3 was denied before");
}

#[test]
fn a_step_may_take_several_lines() {
    let folder = Folder::with_hooks(HOOKS);
    let step: Value = serde_json::from_str(&bash("git push --force")).unwrap();
    let said = ask(&folder, "no-force-push", &serde_json::to_string_pretty(&step).unwrap());
    assert_eq!((&said["because"], &said["line"]), (&json!("decided"), &json!(1)));
    let ended = folder.run(&["why", "no-force-push"], "{\n \"a\": 1,\n \"a\": 2}");
    assert_eq!((ended.code(), ended.out()), (1, ""));
    assert!(ended.err().contains("<stdin>:3:"), "{}", ended.err());
}

#[test]
fn an_unknown_hook_is_an_error_with_the_nearest_one() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["why", "no-force-psuh"], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (64, ""));
    assert!(ended.err().contains("did you mean `no-force-push`?"), "{}", ended.err());
}

/// A layer above has switched off what a layer below brings.
#[test]
fn a_hook_that_another_layer_has_switched_off_names_the_layer() {
    let folder = Folder::new();
    for name in ["configs-of-user/hookgate", ".hookgate"] {
        std::fs::create_dir_all(folder.path(name)).unwrap();
    }
    let log = |id: &str| {
        format!("[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\nbuiltin = \"audit\"\n")
    };
    let disable = "[[disable]]\nid = \"theirs\"\n";
    folder.write("configs-of-user/hookgate/hooks.toml", format!("{}{disable}", log("mine")));
    folder.write(".hookgate/hooks.toml", log("theirs"));
    let said = ask(&folder, "theirs", &bash("ls"));
    assert_eq!((&said["because"], &said["ran"]), (&json!("off"), &json!(false)), "{said}");
    assert!(said["why"].as_str().unwrap().contains("layer `user`"), "{said}");
    assert_eq!(ask(&folder, "mine", &bash("ls"))["because"], "observed");
}
