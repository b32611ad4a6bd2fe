//! Promise: `check --against` says how hooks and recorded steps fit together, without calling a hook.

use serde_json::{Value, json};

use crate::recorded::corpus;
use crate::support::{Ended, Folder, bash, repository};

const HOOKS: &str = r#"
[[hook]]
id = "no-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = '\bgit push\b' } }
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "no-etc"
event = "pre_tool_use"
tool = "Bash|Wirte"
input = { "/comand" = { contains = "/etc" } }
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "at-the-end"
event = "session_end"
builtin = "audit"
"#;

fn step(tool: &str, input: &Value) -> String {
    json!({"hook_event_name": "pre_tool_use", "tool_name": tool, "tool_input": input}).to_string()
}

fn recorded() -> Folder {
    let folder = Folder::with_hooks(HOOKS);
    std::fs::create_dir(folder.path("steps")).unwrap();
    let first = [bash("ls"), bash("git push"), step("Write", &json!({"file_path": "a"}))];
    folder.write("steps/a.jsonl", first.join("\n"));
    folder.write("steps/b.jsonl", format!("\n{}\n{}\n", bash("cat x"), step("Write", &json!({}))));
    folder.write("steps/notes.txt", "not a recording");
    folder
}

fn found(ended: &Ended, code: &str) -> Vec<(String, u64, u64, String)> {
    let all = ended.lines()[0]["against"]["findings"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let number = |value: &Value| value.as_u64().unwrap();
    all.iter()
        .filter(|found| found["code"] == code)
        .map(|found| {
            let at = (number(&found["line"]), number(&found["column"]));
            (text(&found["file"]), at.0, at.1, text(&found["message"]))
        })
        .collect()
}

#[test]
fn what_never_occurs_is_told_with_what_does() {
    let folder = recorded();
    let ended = folder.run(&["check", "--against", "steps", "--json"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let tools = found(&ended, "tool_never_seen");
    assert_eq!(tools.len(), 1, "{tools:?}");
    let (file, line, column, message) = &tools[0];
    assert_eq!((file.as_str(), *line, *column), ("hooks.toml", 12, 14));
    assert!(message.contains("`Wirte`") && message.contains("did you mean `Write`?"), "{message}");
    let pointers = found(&ended, "pointer_never_seen");
    assert_eq!(pointers.len(), 1, "{pointers:?}");
    let (_, line, column, message) = &pointers[0];
    assert_eq!((*line, *column), (13, 12));
    assert!(message.contains("did you mean `/command`?"), "{message}");
    assert!(message.contains("none of the 3 recorded steps"), "{message}");
}

#[test]
fn hooks_that_never_fire_are_told_with_the_condition_that_is_in_the_way() {
    let folder = recorded();
    let ended = folder.run(&["check", "--against", "steps", "--json"], "");
    let against = &ended.lines()[0]["against"];
    assert_eq!((&against["files"], &against["steps"]), (&json!(2), &json!(5)));
    let hooks = against["hooks"].as_array().unwrap();
    let counts = |index: usize| {
        let hook = &hooks[index];
        (hook["hook"].clone(), hook["steps"].clone(), hook["fires"].clone())
    };
    assert_eq!(counts(0), (json!("no-push"), json!(5), json!(1)));
    assert_eq!(counts(1), (json!("no-etc"), json!(5), json!(0)));
    assert_eq!(counts(2), (json!("at-the-end"), json!(0), json!(0)));
    let near = &hooks[0]["near_misses"][0];
    assert_eq!((&near["steps"], &near["first"]), (&json!(2), &json!("steps/a.jsonl:1")));
    assert!(near["condition"].as_str().unwrap().starts_with("input = "), "{near}");
    assert_eq!(near["why"], "`/command` is \"ls\"");

    let never = found(&ended, "hook_never_fires");
    assert_eq!(never.iter().map(|(_, line, ..)| *line).collect::<Vec<_>>(), [10, 17]);
    let message = &never[0].3;
    assert!(message.contains("in 3 steps only `input = "), "{message}");
    assert!(message.contains("at steps/a.jsonl:1: there is no value at `/comand`"), "{message}");
    assert!(never[1].3.contains("no recorded step is at its events"), "{never:?}");
}

#[test]
fn tools_that_no_guard_covers_are_warnings_with_their_number() {
    let folder = recorded();
    let args = ["check", "--against", "steps/a.jsonl", "steps/b.jsonl", "--json"];
    let ended = folder.run(&args, "");
    let uncovered = found(&ended, "uncovered_tool");
    assert_eq!(uncovered.len(), 1, "{uncovered:?}");
    let (file, line, _, message) = &uncovered[0];
    assert_eq!((file.as_str(), *line), ("steps/a.jsonl", 3));
    assert!(message.contains("`Write`") && message.contains("(2 calls recorded)"), "{message}");
    assert_eq!(folder.run(&[&args[..], &["--deny-warnings"]].concat(), "").code(), 3);
    // The rest are notes.
    let mended = HOOKS.replace("Bash|Wirte", "Bash|Wirte|Write").replace("/comand", "/command");
    folder.write("hooks.toml", mended);
    let ended = folder.run(&[&args[..], &["--deny-warnings"]].concat(), "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(ended.err().contains("hooks.toml:10:1: note: `no-etc` never fires"), "{}", ended.err());
}

#[test]
fn people_get_a_table_and_programs_of_ci_the_findings() {
    let folder = recorded();
    let ended = folder.run(&["check", "--against", "steps", "--table"], "");
    assert!(ended.out().contains("5 steps of 2 files, with 2 tools"), "{}", ended.out());
    assert!(ended.out().contains("all conditions but one"), "{}", ended.out());
    let ended = folder.run(&["check", "--against", "steps", "--format", "github"], "");
    assert_eq!(ended.out().matches("::notice ").count(), 4, "{}", ended.out());
    assert_eq!(ended.out().matches("::warning file=steps/a.jsonl,line=3,").count(), 1);
}

#[test]
fn what_is_no_recording_is_an_error() {
    let folder = recorded();
    folder.write("steps/b.jsonl", format!("{}\nnot json\n", bash("ls")));
    let ended = folder.run(&["check", "--against", "steps", "--json"], "");
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("steps/b.jsonl:2:"), "{}", ended.err());
    assert_eq!(ended.lines()[0]["against"]["unreadable"], 1);
    assert_eq!(ended.lines()[0]["against"]["steps"], 4);
    assert_eq!(folder.run(&["check", "--against", "nowhere"], "").code(), 1);
    std::fs::create_dir(folder.path("empty")).unwrap();
    let ended = folder.run(&["check", "--against", "empty"], "");
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("*.jsonl"), "{}", ended.err());
}

/// Hooks for different tools, so that no deny keeps another hook from being called.
const APART: &str = r#"
[[hook]]
id = "git"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = '\bgit\b' } }
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "reads"
event = "pre_tool_use"
tool = "Read|Grep"
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "outside"
event = "pre_tool_use"
tool = "Edit"
writes = { outside = ["$cwd/src"] }
builtin = { name = "ask", reason = "no" }
"#;

#[test]
fn a_hook_fires_as_often_as_a_run_of_the_same_steps_calls_it() {
    let Some(session) = corpus(&repository(), "session-b.steps.jsonl") else { return };
    let session = session.to_str().unwrap();
    let folder = Folder::with_hooks(APART);
    let checked = folder.run(&["check", "--against", session, "--json"], "");
    assert_eq!(checked.code(), 0, "{}", checked.err());
    let records = folder.run(&["run", session], "").lines();
    let hooks = checked.lines()[0]["against"]["hooks"].as_array().unwrap().clone();
    assert_eq!(hooks.len(), 3);
    for hook in hooks {
        let calls = records.iter().flat_map(|record| record["votes"].as_array().unwrap());
        let calls = calls.filter(|vote| vote["hook"] == hook["hook"]).count();
        assert!(calls > 0, "{hook}");
        assert_eq!(hook["fires"], json!(calls), "{hook}");
    }
}
