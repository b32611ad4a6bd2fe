//! Promise: what two configs decide otherwise is found, all of it, and what is weaker is called weaker.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::judged_steps::{NO_RM, bash_call, call, lines};
use crate::recorded::corpus;
use crate::support::{Ended, Folder, repository};

/// The hooks of before, beside `NO_RM`.
const OLD: &str = r#"
[[hook]]
id = "reads"
event = "pre_tool_use"
tool = "Read"
builtin = { name = "limit", of = "calls", over = 20, then = "ask" }

[[hook]]
id = "edits"
event = "pre_tool_use"
tool = ["Edit", "Write"]
builtin = { name = "ask", reason = "an edit" }
"#;

const NEW: &str = r#"
[[hook]]
id = "no-rm"
event = "pre_tool_use"
runs = ["rm *", "mix *"]
builtin = { name = "ask", reason = "nothing is removed" }

[[hook]]
id = "reads"
event = "pre_tool_use"
tool = "Read"
mode = "shadow"
builtin = { name = "limit", of = "calls", over = 20, then = "ask" }

[[hook]]
id = "no-git"
event = "pre_tool_use"
runs = ["git *"]
builtin = { name = "deny", reason = "no git" }
"#;

fn old() -> String {
    format!("{NO_RM}{OLD}")
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("old.toml", old());
    folder.write("new.toml", NEW);
    folder
}

fn diff(folder: &Folder, args: &[&str]) -> Ended {
    let mut all = vec!["diff", "old.toml", "new.toml"];
    all.extend(args);
    folder.run(&all, "")
}

/// What two runs decide otherwise, as counts of pairs of decisions.
fn by_brute_force(folder: &Folder, steps: &str) -> BTreeMap<(String, String), u64> {
    let decisions = |config: &str| {
        let ended = folder.run(&["run", "-c", config, "--json", "-q", "--stable", steps], "");
        let decision = |line: &Value| line["decision"].as_str().unwrap().to_owned();
        ended.lines().iter().map(decision).collect::<Vec<_>>()
    };
    let (old, new) = (decisions("old.toml"), decisions("new.toml"));
    assert_eq!(old.len(), new.len());
    let mut pairs = BTreeMap::new();
    for (was, is) in old.into_iter().zip(new).filter(|(was, is)| was != is) {
        *pairs.entry((was, is)).or_default() += 1;
    }
    pairs
}

#[test]
fn ten_thousand_steps_differ_as_two_runs_do_and_twice_the_same() {
    let folder = folder();
    let mut lines = Vec::new();
    for name in ["session-a.steps.jsonl", "session-b.steps.jsonl", "session-c.steps.jsonl"] {
        let Some(session) = corpus(&repository(), name) else { return };
        let session = std::fs::read_to_string(session).unwrap();
        lines.extend(session.lines().map(str::to_owned));
    }
    let mut steps = String::new();
    // Each time as other sessions: hooks count for each of them.
    let mut count = 0;
    for round in 0.. {
        for line in &lines {
            let mut step: Value = serde_json::from_str(line).unwrap();
            let session = format!("{}-{round}", step["session_id"].as_str().unwrap_or_default());
            step["session_id"] = session.into();
            steps.push_str(&step.to_string());
            steps.push('\n');
            count += 1;
        }
        if count >= 10_000 {
            break;
        }
    }
    folder.write("steps.jsonl", steps);
    let ended = diff(&folder, &["--on", "steps.jsonl", "--json"]);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let found = &ended.lines()[0]["steps"];
    assert_eq!(found["judged"], count);
    let mut pairs: BTreeMap<(String, String), u64> = BTreeMap::new();
    for delta in found["deltas"].as_array().unwrap() {
        let side = |key: &str| delta[key]["decision"].as_str().unwrap().to_owned();
        *pairs.entry((side("was"), side("now"))).or_default() += delta["steps"].as_u64().unwrap();
    }
    let expected = by_brute_force(&folder, "steps.jsonl");
    assert!(expected.len() > 2 && expected.values().sum::<u64>() > 1_000, "{expected:?}");
    assert_eq!(pairs, expected);
    let again = diff(&folder, &["--on", "steps.jsonl", "--json"]);
    assert_eq!(again.out(), ended.out(), "byte by byte");
}

#[test]
fn hooks_that_are_weaker_are_called_weaker() {
    let folder = folder();
    let ended = diff(&folder, &["--json"]);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let structure = &ended.lines()[0]["structure"];
    let hooks: BTreeMap<&str, &Value> = structure["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| (hook["id"].as_str().unwrap(), hook))
        .collect();
    assert_eq!(
        hooks["no-git"],
        &json!({"id": "no-git", "change": "added", "direction": "stronger"})
    );
    assert_eq!(hooks["edits"], &json!({"id": "edits", "change": "removed", "direction": "weaker"}));
    let reads = &hooks["reads"]["keys"];
    assert_eq!(
        *reads,
        json!([{"key": "mode", "was": "enforce", "now": "shadow", "direction": "weaker"}])
    );
    let keys = hooks["no-rm"]["keys"].as_array().unwrap();
    let key = |name: &str| keys.iter().find(|key| key["key"] == name).unwrap();
    assert_eq!(key("handler.settings.name")["direction"], "weaker");
    assert!(ended.lines()[0]["steps"].is_null());
    assert_eq!(diff(&folder, &["--fail-on", "weaker"]).code(), 2);
    assert_eq!(diff(&folder, &["--fail-on", "rewritten"]).code(), 0);
    // The other way round it is stronger, and something is removed all the same.
    folder.write("old.toml", NEW);
    folder.write("new.toml", NEW.replace("mode = \"shadow\"", "mode = \"enforce\""));
    assert_eq!(diff(&folder, &["--fail-on", "weaker"]).code(), 0);
    assert_eq!(diff(&folder, &["--fail-on", "stricter"]).code(), 2);
    folder.write("new.toml", NEW);
    let same = diff(&folder, &["--table"]);
    assert_eq!(same.out(), "the hooks are the same\n");
}

#[test]
fn a_step_that_goes_further_fails_even_if_no_rule_sees_it() {
    let folder = Folder::new();
    let hook = |regex: &str| {
        format!(
            "[[hook]]\nid = \"x\"\nevent = \"pre_tool_use\"\ninput = {{ \"/command\" = {{ regex = \"{regex}\" }} }}\nbuiltin = {{ name = \"deny\", reason = \"x\" }}\n"
        )
    };
    folder.write("old.toml", hook("ab?"));
    folder.write("new.toml", hook("ab+"));
    folder.write("steps.jsonl", lines(["a", "ab", "c"].map(bash_call)));
    assert_eq!(diff(&folder, &["--fail-on", "weaker"]).code(), 0, "no rule can tell");
    let ended = diff(&folder, &["--fail-on", "weaker", "--on", "steps.jsonl", "--json"]);
    assert_eq!(ended.code(), 2, "{}", ended.err());
    let deltas = &ended.lines()[0]["steps"]["deltas"];
    assert_eq!(deltas.as_array().unwrap().len(), 1);
    assert_eq!((&deltas[0]["steps"], &deltas[0]["first"]["line"]), (&json!(1), &json!(1)));
    let filtered = diff(&folder, &["--since", "1h"]);
    assert_eq!(filtered.code(), 64);
}

#[test]
fn what_a_program_would_say_to_both_is_no_difference() {
    let folder = Folder::new();
    let script = "[[hook]]\nid = \"script\"\nevent = \"pre_tool_use\"\ncommand = { argv = [\"./guard.sh\"] }\n";
    folder.write_program("guard.sh", "#!/bin/sh\nexit 2\n");
    folder.write("old.toml", script);
    folder.write("new.toml", format!("{script}\n[[hook]]\nid = \"ask\"\nevent = \"pre_tool_use\"\ntool = \"Bash\"\nbuiltin = {{ name = \"ask\", reason = \"x\" }}\n"));
    folder.write("steps.jsonl", lines(["Bash", "Read"].map(|tool| call(tool, &json!({})))));
    let ended = diff(&folder, &["--on", "steps.jsonl", "--json"]);
    let steps = &ended.lines()[0]["steps"];
    assert_eq!(steps["changes"], json!({"same": 1, "unknown": 1}), "{}", ended.err());
    let now = &steps["deltas"][0]["now"];
    assert_eq!((&now["decision"], &now["at_least"]), (&json!("unknown"), &json!("ask")));
}

#[test]
fn the_screen_of_the_page() {
    let folder = folder();
    folder.write("steps.jsonl", lines(["rm x", "git status", "ls"].map(bash_call)));
    let ended = diff(&folder, &["--on", "steps.jsonl", "--table"]);
    let lines: Vec<&str> = ended.out().lines().map(str::trim_end).collect();
    let screen = lines.join("\n");
    let page = std::fs::read_to_string(repository().join("docs/replay.md")).unwrap();
    assert!(page.contains(screen.trim_end()), "docs/replay.md does not show:\n{screen}");
    assert_snapshot!(screen);
}

#[test]
fn a_posture_that_falls_and_a_hook_that_approves_are_weaker_or_open() {
    let folder = Folder::new();
    let script =
        "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\ncommand = { argv = [\"./g.sh\"] }\n";
    folder.write_program("g.sh", "#!/bin/sh\nexit 2\n");
    folder.write("old.toml", script);
    for (line, code) in [
        ("on_failure = \"allow\"", 2),
        ("on_timeout = \"allow\"", 2),
        ("on_failure = \"deny\"", 0),
        ("priority = 5", 0),
    ] {
        folder.write("new.toml", script.replace("command =", &format!("{line}\ncommand =")));
        assert_eq!(diff(&folder, &["--fail-on", "weaker"]).code(), code, "{line}");
    }
    let approves = script.replace("\"g\"", "\"a\"").replace("pre_tool_use", "permission_request");
    folder.write(
        "new.toml",
        format!("{script}\n{}", approves.replace("command =", "may_allow = true\ncommand =")),
    );
    assert_eq!(diff(&folder, &["--fail-on", "stricter"]).code(), 0, "it makes nothing stricter");
    let limit = |then: &str| {
        format!(
            "[[hook]]\nid = \"l\"\nevent = \"pre_tool_use\"\nbuiltin = {{ name = \"limit\", of = \"calls\", over = 3, then = \"{then}\" }}\n"
        )
    };
    folder.write("old.toml", limit("halt"));
    folder.write("new.toml", limit("ask"));
    assert_eq!(diff(&folder, &["--fail-on", "weaker"]).code(), 2);
}

#[test]
fn two_programs_of_one_name_are_not_the_same() {
    let folder = Folder::new();
    for name in ["one", "two"] {
        folder.write_program(&format!("{name}.sh"), "#!/bin/sh\nexit 2\n");
        let config = format!(
            "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\ncommand = {{ argv = [\"./{name}.sh\"] }}\n"
        );
        folder.write(if name == "one" { "old.toml" } else { "new.toml" }, config);
    }
    folder.write("steps.jsonl", lines([call("Bash", &json!({}))]));
    let ended = diff(&folder, &["--on", "steps.jsonl", "--json"]);
    assert_eq!(ended.lines()[0]["steps"]["changes"], json!({"unknown": 1}), "{}", ended.err());
}

/// A program whose answer nobody knows, with its timeout.
fn script(timeout: &str) -> String {
    format!(
        "[[hook]]\nid = \"script\"\nevent = \"pre_tool_use\"\nruns = [\"npm *\"]\ntimeout = \"{timeout}\"\n\
         command = {{ argv = [\"./guard.sh\"] }}\n"
    )
}

#[test]
fn golden_steps_are_those_of_the_configs_own_tests() {
    let folder = folder();
    folder.write_program("guard.sh", "#!/bin/sh\n: > called\n");
    folder.write("old.toml", format!("{}{}", old(), script("20s")));
    folder.write("new.toml", format!("{NEW}{}", script("10s")));
    let none = diff(&folder, &["--on", "golden"]);
    assert_eq!(none.code(), 1);
    assert!(none.err().contains("hooks_test.toml"), "{}", none.err());

    let reads: String = (0..15).map(|_| "{ step = { tool_name = \"Read\", tool_input = { file_path = \"x\" } }, decision = \"allow\" },").collect();
    let case = |name: &str, command: &str, more: &str| {
        format!(
            "[[case]]\nname = \"{name}\"\n\
             step = {{ tool_name = \"Bash\", tool_input = {{ command = \"{command}\" }} }}\n{more}\n"
        )
    };
    let stub = "stub = { script = { verdict = \"deny\", reason = \"no\" } }\ndecision = \"deny\"";
    let tests = [
        "event = \"pre_tool_use\"\n".to_owned(),
        case("removed", "rm x", "decision = \"ask\""),
        // Of each config a hook that the other has not.
        case("git", "git status", "by = [\"no-git\"]"),
        case("edit", "ls", "decision = \"allow\"\ncalled = [\"edits\"]"),
        case("nobody says", "npm i", "decision = \"allow\"\ncalled = [\"script\"]"),
        case("the test says", "npm i", stub),
        case("left out", "rm y", "skip = true\ndecision = \"deny\""),
        // Counted apart, neither case comes to what the limit allows.
        format!("[[case]]\nname = \"reads\"\nsteps = [{reads}]\n"),
        format!("[[case]]\nname = \"reads again\"\nsteps = [{reads}]\n"),
    ];
    folder.write("hooks_test.toml", tests.concat());
    let ended = diff(&folder, &["--on", "golden", "--json"]);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let steps = &ended.lines()[0]["steps"];
    assert_eq!(
        steps["changes"],
        json!({"same": 32, "stricter": 1, "unknown": 1, "weaker": 1}),
        "{steps:#}"
    );
    let weaker = steps["deltas"].as_array().unwrap().iter().find(|one| one["change"] == "weaker");
    assert_eq!(weaker.unwrap()["first"], json!({"file": "hooks_test.toml", "line": 2}));
    assert!(!folder.path("called").exists());
    assert_eq!(diff(&folder, &["--on", "golden", "--json"]).out(), ended.out());
    assert_eq!(diff(&folder, &["--on", "golden", "--fail-on", "weaker"]).code(), 2);
    assert_eq!(diff(&folder, &["--on", "golden", "--since", "1h"]).code(), 64);
    folder.write("hooks_test.toml", tests.concat().replace("no-git", "no-gti"));
    let broken = diff(&folder, &["--on", "golden"]);
    assert!(broken.code() == 3 && broken.err().contains("no-gti"), "{}", broken.err());
}
