//! Promise: `why --turn` prints the prompt that hooks contribute to, and of each line which hook gave it; what was cut or
//! lost stands below.

use serde_json::{Value, json};

use crate::support::Folder;

/// Six contributors, two of which do not agree.
const HOOKS: &str = r#"
[contributions]
slots = ["system", "memory"]
hook.log = { bytes = 240 }

[[hook]]
id = "limits"
event = "turn_policy"
command = { shell = '''printf %s '{"contributions":[{"kind":"policy","domain":"shell","key":"network","value":false}]}' ''' }

[[hook]]
id = "loose"
event = "turn_policy"
command = { shell = '''printf %s '{"contributions":[{"kind":"policy","domain":"shell","key":"network","value":true}]}' ''' }

[[hook]]
id = "memory"
event = "prompt_context"
command = { shell = '''printf %s '{"contributions":[{"kind":"prompt_context","id":"likes","content":"They like tea.","slot":"memory","lifetime":"session"}]}' ''' }

[[hook]]
id = "log"
event = "prompt_context_planned"
command = { shell = '''printf %s '{"contributions":[{"kind":"prompt_context","id":"ci","content":"one\ntwo\nthree three three three three three three three three three three three three three three three three three three three three three three three","provenance":{"kind":"tool","name":"Bash"}}]}' ''' }

[[hook]]
id = "web"
event = "tool_selection"
command = { shell = '''printf %s '{"contributions":[{"kind":"tool_bundle","bundle_id":"web","tool_names":["Search"]}]}' ''' }

[[hook]]
id = "rules"
event = "prompt_compile"
command = { shell = '''read -r step; case $step in *Search*'"network":false'*) printf %s '{"contributions":[{"kind":"prompt_section","section_id":"rules","slot":"system","title":"Rules","content":"Search only."}]}' ;; esac''' }
"#;

fn steps(turn: u64) -> String {
    let step = |event: &str| {
        let step =
            json!({"hook_event_name": event, "session_id": "s", "turn": turn, "input_text": "hi"});
        format!("{step}\n")
    };
    let phases = [
        "turn_policy",
        "prompt_context",
        "prompt_context_planned",
        "tool_selection",
        "prompt_compile",
    ];
    phases.map(step).concat()
}

#[test]
fn each_line_of_a_prompt_has_its_hook_and_what_was_lost_is_told() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["why", "--turn"], &(steps(1) + &steps(2)));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let turns = ended.lines();
    assert_eq!(turns.len(), 2);
    let lines = |turn: &Value| -> Vec<(String, String)> {
        let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let of = |line: &Value| {
            (text(line, "hook"), format!("{} {}", text(line, "part"), text(line, "text")))
        };
        turn["lines"].as_array().unwrap().iter().map(of).collect()
    };
    let first = lines(&turns[0]);
    let shown: Vec<_> = first.iter().map(|(hook, line)| (hook.as_str(), line.as_str())).collect();
    let expected = [
        ("rules", "title ## Rules"),
        ("rules", "text Search only."),
        ("", "blank "),
        ("memory", "text They like tea."),
        ("", "blank "),
    ];
    assert_eq!(shown[..5], expected, "{shown:#?}");
    assert!(shown[5].1.starts_with("fence <data "), "{shown:#?}");
    assert_eq!(shown[6..8], [("log", "text one"), ("log", "text two")]);
    assert!(shown[9].1.starts_with("mark [cut: 2 of 3 lines, 7 of "), "{shown:#?}");
    let codes: Vec<_> =
        turns[0]["notes"].as_array().unwrap().iter().map(|note| note["code"].clone()).collect();
    assert_eq!(codes, ["conflict", "cut"]);
    assert_eq!(turns[0]["policies"][0]["value"], false);
    assert_eq!(turns[0]["notes"][0]["winner"]["hook"], "limits");
    // What stays in the conversation is not sent again.
    assert!(lines(&turns[1]).iter().all(|(hook, _)| hook != "memory"));
    assert_eq!(turns[1]["turn"], 2);
}

#[test]
fn people_read_the_origin_beside_each_line() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["why", "--turn", "--table"], steps(1));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    insta::assert_snapshot!(ended.out());
}

#[test]
fn a_turn_is_about_no_hook_and_without_one_a_hook_must_be_named() {
    let folder = Folder::with_hooks(HOOKS);
    assert_eq!(folder.run(&["why", "--turn", "memory"], "").code(), 64);
    assert_eq!(folder.run(&["why"], "").code(), 64);
    let broken = folder.run(&["why", "--turn"], "{\"hook_event_name\":\"nope\"}\n");
    assert_eq!(broken.code(), 1, "{}", broken.out());
}
