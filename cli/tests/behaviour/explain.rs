//! Promise: `eval --explain` shows each condition of each hook, and why it holds or not; `--dry` calls
//! no hook.

use serde_json::{Value, json};

use crate::support::{Folder, bash};

const POLICY: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
runs = "git push --force|-f"
builtin = { name = "deny", reason = "no force push" }

[[hook]]
id = "notes"
event = "pre_tool_use"
any = [{ tool = "Read" }, { input = { "/command" = { regex = 'push' } } }]
command = { shell = "touch called; echo '{}'" }

[[hook]]
id = "everything"
event = "pre_tool_use"
mode = "shadow"
builtin = { name = "audit" }

[[hook]]
id = "asleep"
event = "pre_tool_use"
mode = "off"
builtin = { name = "audit" }

[[hook]]
id = "at-stop"
event = "stop"
builtin = { name = "audit" }
"#;

fn hooks(record: &Value) -> Vec<(&str, &str)> {
    let hooks = record["explain"]["hooks"].as_array().unwrap();
    hooks
        .iter()
        .map(|hook| (hook["hook"].as_str().unwrap(), hook["called"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_dry_run_explains_and_calls_nothing() {
    let folder = Folder::with_hooks(POLICY);
    let ended = folder.run(&["eval", "--explain", "--dry"], bash("git push --force"));
    assert_eq!(ended.code(), 0, "there is no decision: {}", ended.err());
    let record = &ended.lines()[0];
    assert_eq!(record["dry"], json!(true));
    assert_eq!(record["decision"], Value::Null);
    let called = [("no-force-push", "yes"), ("notes", "yes"), ("everything", "yes")];
    assert_eq!(hooks(record), called);
    assert_eq!(record["explain"]["off"], json!(["asleep"]));
    assert!(!folder.path("called").exists());

    let runs = &record["explain"]["hooks"][0]["conditions"][1];
    assert_eq!((&runs["key"], &runs["truth"]), (&json!("runs"), &json!("true")));
    assert_eq!(runs["origin"], "hooks.toml:6");
    assert!(runs["why"].as_str().unwrap().contains("git"), "{runs}");
    let any = &record["explain"]["hooks"][1]["conditions"][0];
    assert_eq!(any["parts"][0]["truth"], "false");
    assert_eq!(any["parts"][1]["truth"], "true");
    assert_eq!(folder.run(&["eval", "--dry"], bash("git push")).lines().len(), 1);
}

#[test]
fn an_explanation_goes_with_the_decision() {
    let folder = Folder::with_hooks(POLICY);
    let ended = folder.run(&["eval", "--explain"], bash("git push -f"));
    assert_eq!(ended.code(), 2);
    let record = &ended.lines()[0];
    assert_eq!((&record["decision"], &record["by"]), (&json!("deny"), &json!(["no-force-push"])));
    assert_eq!(hooks(record).len(), 3);
    let ended = folder.run(&["eval", "--explain"], bash("git push"));
    assert_eq!(ended.code(), 0);
    assert_eq!(hooks(&ended.lines()[0])[0], ("no-force-push", "no"));
    assert!(folder.path("called").exists());
}

#[test]
fn a_condition_that_cannot_be_told_says_why_and_what_counts() {
    let folder = Folder::with_hooks(POLICY);
    let ended = folder.run(&["eval", "--dry"], bash("git push $FLAGS"));
    let record = &ended.lines()[0];
    assert_eq!(hooks(record)[0], ("no-force-push", "unclear"));
    let hook = &record["explain"]["hooks"][0];
    assert_eq!(hook["counts_as"], "ask");
    assert_eq!(hook["conditions"][1]["truth"], "unknown");
    assert!(hook["conditions"][1]["why"].as_str().unwrap().contains("$FLAGS"), "{hook}");
}

#[test]
fn one_hook_alone_is_explained() {
    let folder = Folder::with_hooks(POLICY);
    let args = ["eval", "--dry", "--hook", "no-force-push"];
    let ended = folder.run(&args, bash("git push"));
    assert_eq!(hooks(&ended.lines()[0]), [("no-force-push", "no")]);
    assert_eq!(ended.err(), "");
    let ended = folder.run(&["eval", "--dry", "--hook", "at-stop"], bash("git push"));
    assert_eq!(hooks(&ended.lines()[0]), []);
    assert!(ended.err().contains("it is for stop"), "{}", ended.err());
    let ended = folder.run(&["eval", "--dry", "--hook", "asleep"], bash("ls"));
    assert_eq!(hooks(&ended.lines()[0]), [("asleep", "yes")]);
    assert!(ended.err().contains("`asleep` is off"), "{}", ended.err());
    assert_eq!(folder.run(&["eval", "--dry", "--hook", "a", "--trace"], "").code(), 64);
}

#[test]
fn a_step_that_cannot_be_read_explains_nothing() {
    let folder = Folder::with_hooks(POLICY);
    let ended = folder.run(&["eval", "--dry"], "{");
    assert_eq!((ended.code(), ended.out()), (1, ""));
    assert!(ended.err().contains("the step could not be read"), "{}", ended.err());
}
