//! Promise: `hookgate test --mutate` names every part of a policy that no case needs, and no other.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Ended, Folder, is_built, repository, run};

/// A policy with a part of each sort. Each is needed by a case of [`CASES`], but for one dead pattern.
const HOOKS: &str = r#"
[[hook]]
id = "no-push"
event = ["pre_tool_use", "permission_request"]
tool = "Bash"
any = [{ runs = ["git push", "!git push origin docs"] }, { input = { "/command" = { regex = '\b(drop|truncate) table', ignore_case = true } } }]
on_unclear = "deny"
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "twice"
event = "pre_tool_use"
reads = ["**/*.{pem,key}", "**/server.pem"]
count = { over = 1 }
builtin = { name = "deny", reason = "twice" }
"#;

const CASES: &str = r#"
event = "pre_tool_use"
defaults = { cwd = "/home/u/p" }

[[case]]
name = "a push"
step = { tool_name = "Bash", tool_input = { command = "git push" } }
decision = "deny"

[[case]]
name = "a permission to push"
event = "permission_request"
step = { tool_name = "Bash", tool_input = { command = "git push" } }
decision = "deny"

[[case]]
name = "a trial"
step = { tool_name = "Bash", tool_input = { command = "git push origin docs" } }
decision = "allow"

[[case]]
name = "what a variable names"
step = { tool_name = "Bash", tool_input = { command = "$TOOL push" } }
decision = "deny"

[[case]]
name = "another tool"
step = { tool_name = "Note", tool_input = { command = "drop table x" } }
decision = "allow"

[[case]]
name = "drop"
step = { tool_name = "Bash", tool_input = { command = "psql -c 'DROP table x'" } }
decision = "deny"

[[case]]
name = "truncate"
step = { tool_name = "Bash", tool_input = { command = "psql -c 'truncate table x'" } }
decision = "deny"

[[case]]
name = "keys"

[[case.steps]]
step = { tool_name = "Read", tool_input = { file_path = "a.pem" } }
decision = "allow"

[[case.steps]]
step = { tool_name = "Read", tool_input = { file_path = "README.md" } }
decision = "allow"

[[case.steps]]
step = { tool_name = "Read", tool_input = { file_path = "b.key" } }
decision = "deny"
"#;

fn folder(hooks: &str, cases: &str) -> Folder {
    let folder = Folder::with_hooks(hooks);
    folder.write("hooks_test.toml", cases);
    folder
}

fn mutate(hooks: &str, cases: &str) -> Ended {
    folder(hooks, cases).run(&["test", "--mutate"], "")
}

/// The changes that were told, each with its place.
fn told(ended: &Ended) -> Vec<String> {
    let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
    let told = ended.lines().into_iter().filter(|line| line["type"] == "mutant");
    let line = |line: Value| {
        let place = format!("{}:{}", line["line"], line["column"]);
        format!("{} {} {place}", text(&line, "status"), text(&line, "change"))
    };
    told.map(line).collect()
}

#[test]
fn a_part_that_no_case_needs_is_named_with_its_place() {
    let ended = mutate(HOOKS, CASES);
    assert_eq!(told(&ended), ["survived `reads` without `**/server.pem` 13:28"], "{}", ended.err());
    assert_eq!(ended.code(), 2);
    let summary = ended.lines().last().unwrap().clone();
    assert_eq!(summary["survived"], 1);
    assert!(summary["caught"].as_u64().unwrap() > 15, "{summary}");
}

/// Without a case, what only it needs survives: each case holds something, but for the first, which shows what the
/// second holds as well.
#[test]
fn a_case_less_is_a_survivor_more() {
    let cases: Vec<&str> = CASES.split("\n[[case]]\n").collect();
    for (index, case) in cases.iter().enumerate().skip(2) {
        let mut fewer = cases.clone();
        fewer.remove(index);
        let ended = mutate(HOOKS, &fewer.join("\n[[case]]\n"));
        assert!(told(&ended).len() > 1, "{case}\n{:?}", told(&ended));
    }
}

#[test]
fn a_reason_in_the_policy_keeps_a_part() {
    let because = "reads = [\"**/*.{pem,key}\",\n  \"**/server.pem\"] # mutate: keep, because people look for it\n";
    let kept = HOOKS.replace("reads = [\"**/*.{pem,key}\", \"**/server.pem\"]\n", because);
    let ended = mutate(&kept, CASES);
    assert_eq!(told(&ended), ["kept `reads` without `**/server.pem` 14:3"]);
    assert_eq!((ended.code(), ended.err()), (0, ""));

    // A reason that says nothing keeps nothing; one that nothing needs is told.
    let ended = mutate(&kept.replace(", because people look for it", ""), CASES);
    assert_eq!(ended.code(), 2);
    assert!(
        ended.err().contains("hooks.toml:14:20: write `# mutate: keep, because"),
        "{}",
        ended.err()
    );
    let ended = mutate(
        &kept.replace("tool = \"Bash\"", "tool = \"Bash\" # mutate: keep, because y"),
        CASES,
    );
    assert_eq!(ended.code(), 0);
    assert!(
        ended.err().contains("hooks.toml:5:15: this explanation is not needed"),
        "{}",
        ended.err()
    );
}

#[test]
fn what_is_shown_to_people() {
    let kept = HOOKS.replace("over = 1 }", "over = 1 } # mutate: keep, because it may change");
    let cases: Vec<&str> = CASES.split("\n[[case]]\n").collect();
    let fewer = cases[..cases.len() - 2].join("\n[[case]]\n");
    let ended = folder(&kept, &fewer).run(&["test", "--mutate", "--format", "human"], "");
    let time = regex::Regex::new("in [0-9a-z ]+\n").unwrap();
    insta::assert_snapshot!("test_mutate", time.replace(ended.out(), "in …\n"));
}

#[test]
fn there_is_nothing_to_find_out_where_a_case_fails_or_none_is() {
    let wrong = CASES.replacen("decision = \"deny\"", "decision = \"ask\"", 1);
    let ended = mutate(HOOKS, &wrong);
    assert_eq!(ended.code(), 2);
    assert!(ended.err().contains("the case `a push` fails without any change"), "{}", ended.err());
    let ended = mutate(HOOKS, "");
    assert!(ended.err().contains("no case was run"), "{}", ended.err());
    let ended = folder(HOOKS, CASES).run(&["test", "--mutate", "--format", "tap"], "");
    assert_eq!(ended.code(), 64);
    let ended = folder(HOOKS, CASES).run(&["test", "--mutate", "--run"], "");
    assert_eq!(ended.code(), 64);
}

/// What a hook counts in one case is nothing to the next, and a case that looks at its session is right as well.
#[test]
fn included_files_and_sessions_are_as_they_are_without_changes() {
    let folder = folder("include = [\"more.toml\"]\n", CASES);
    folder.write("more.toml", HOOKS);
    let ended = folder.run(&["test", "--mutate"], "");
    assert_eq!(told(&ended), ["survived `reads` without `**/server.pem` 13:28"], "{}", ended.err());
    assert_eq!(ended.lines()[0]["file"], "more.toml");

    let hooks = "[[hook]]\nid = 'a'\nevent = 'stop'\nexpr = 'session.id == \"s1\"'\nbuiltin = { name = 'deny', reason = 'x' }\n";
    let cases = "event = 'stop'\n[[case]]\nname = 'x'\nstep = { session_id = 's1' }\ndecision = 'deny'\n\
                 [[case]]\nname = 'y'\nstep = { session_id = 's2' }\ndecision = 'allow'\n";
    let ended = mutate(hooks, cases);
    assert_eq!(told(&ended).len(), 0, "{}{}", ended.out(), ended.err());
    assert_eq!(ended.code(), 0, "{}", ended.err());
}

/// Each shipped policy, but for one whose cases are being written.
fn shipped() -> Vec<PathBuf> {
    let examples = repository().join("examples");
    let open = ["dangerous-shell"];
    let mut all = vec![];
    for folder in [examples.clone(), examples.join("policies"), examples.join("start")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_open = open.iter().any(|name| path.ends_with(name));
            if path.join("hooks.toml").is_file() && is_built(&path) && !is_open {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

fn no_survivor(policy: &Path) {
    let folder = Folder::new();
    let mut command =
        folder.hookgate(&["test", "--mutate", "--format", "human", policy.to_str().unwrap()]);
    command.env("POLICY_SECRET", "x").current_dir("/");
    let ended = run(command, b"");
    assert_eq!(ended.code(), 0, "{}\n{}{}", policy.display(), ended.out(), ended.err());
    assert!(!ended.err().contains("not needed"), "{}", ended.err());
}

#[test]
fn each_part_of_a_shipped_policy_has_a_case_that_needs_it() {
    let shipped = shipped();
    assert!(shipped.len() > 26, "{shipped:?}");
    shipped.iter().for_each(|policy| no_survivor(policy));
}

#[test]
fn so_has_each_part_of_what_init_writes() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"], "").code(), 0);
    no_survivor(&folder.path(""));
}
