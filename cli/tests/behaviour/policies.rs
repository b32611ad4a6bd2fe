//! Promise: the policies that are shipped do what they say: their own cases, and the wishes of policy
//! writers that are kept beside the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use hookgate_test_support::needs;
use serde_json::{Value, json};

use crate::support::{Ended, Folder, has_python, is_built, repository};

/// The folders of the policies, in order.
fn policies() -> Vec<PathBuf> {
    let folder = repository().join("examples/policies");
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> =
        all.filter(|path| path.join("hooks.toml").is_file() && is_built(path)).collect();
    all.sort();
    all
}

fn json_lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs steps through a copy of a policy, so that what it writes stays out of the repository.
fn run(policy: &Path, steps: &[Value]) -> (Folder, Ended) {
    let folder = Folder::new();
    for entry in std::fs::read_dir(policy).unwrap() {
        let file = entry.unwrap();
        std::fs::copy(file.path(), folder.path(file.file_name().to_str().unwrap())).unwrap();
    }
    let lines: Vec<String> = steps.iter().map(Value::to_string).collect();
    folder.write("steps.in.jsonl", lines.join("\n"));
    let mut command = folder.hookgate(&["run", "--quiet", "steps.in.jsonl"]);
    command.env("HOME", "/home/u");
    let ended = crate::support::run(command, b"");
    assert_eq!(ended.lines().len(), steps.len(), "{}: {}", policy.display(), ended.err());
    (folder, ended)
}

/// What a record says, in the words of the cases.
fn matches(expected: &str, record: &Value) -> bool {
    let patched = !record["patched"].as_array().unwrap().is_empty();
    let context: Vec<&str> =
        record["context"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    match expected.split_once(':') {
        _ if expected == "*" => true,
        Some(("patch", "*")) => patched,
        Some(("patch", input)) => {
            let input: Value = serde_json::from_str(input).unwrap();
            patched && record["final"]["tool_input"] == input
        }
        Some(("ctx", _)) => !context.is_empty(),
        _ => !patched && record["decision"] == expected,
    }
}

#[test]
fn their_cases_hold() {
    let mut tried = 0;
    for policy in policies() {
        let file = policy.join("cases.jsonl");
        if !file.is_file() || (starts_program(&policy) && !has_python()) {
            continue;
        }
        let cases = json_lines(&file);
        let steps: Vec<Value> = cases.iter().map(|case| case["step"].clone()).collect();
        let (_folder, ended) = run(&policy, &steps);
        for (case, record) in cases.iter().zip(ended.lines()) {
            let expected = match (case["expect"].as_str().unwrap(), case.get("tool_input")) {
                ("patch", Some(input)) => format!("patch:{input}"),
                ("patch", None) => "patch:*".to_owned(),
                (decision, _) => decision.to_owned(),
            };
            assert!(matches(&expected, &record), "{}\n{case}\n{record}", policy.display());
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
}

/// Steps of a wish that stand between those of the file: it holds every other step, and here the steps
/// before one count.
fn with_neighbours(wish: u64, steps: Vec<Value>) -> Vec<(Value, bool)> {
    let read = |path: &str| json!({"hook_event_name": "pre_tool_use", "session_id": "s", "cwd": "/home/u/proj", "tool_name": "Read", "tool_input": {"file_path": path}});
    let all = steps.into_iter().map(|step| (step, true));
    match wish {
        12 => all.flat_map(|(step, real)| [(step.clone(), real), (step, false)]).collect(),
        18 => {
            let mut all: Vec<_> = all.collect();
            all.insert(1, (read("/etc/b"), false));
            all.insert(3, (read("/etc/c"), false));
            all
        }
        _ => all.collect(),
    }
}

#[test]
fn the_wishes_of_policy_writers_are_granted() {
    let file = repository().join("../shared/conformance/policy/wishes.jsonl");
    if !needs::path(&file) || !needs::program("git") {
        return;
    }
    let rows = json_lines(&file);
    let repo = git_repository();
    for policy in policies() {
        let name = policy.file_name().unwrap().to_str().unwrap().to_owned();
        let Ok(wish) = name.split('-').next().unwrap().parse::<u64>() else { continue };
        let rows: Vec<&Value> = rows.iter().filter(|row| row["wish"] == wish).collect();
        let in_repository = |row: &&Value| {
            let mut step = row["step"].clone();
            // The wishes about a branch name folders that are not on this machine.
            if matches!(wish, 7 | 10) {
                step["cwd"] = repo.path("").to_str().unwrap().into();
            }
            step
        };
        let steps = with_neighbours(wish, rows.iter().map(in_repository).collect());
        let all: Vec<Value> = steps.iter().map(|(step, _)| step.clone()).collect();
        let (_folder, ended) = run(&policy, &all);
        let records = ended.lines().into_iter().zip(&steps).filter(|(_, (_, real))| *real);
        for (row, (record, _)) in rows.iter().zip(records) {
            let expected = row["expect"].as_str().unwrap();
            assert!(matches(expected, &record), "{name}\n{row}\n{record}");
        }
    }
}

/// A repository on the branch `main` with one commit.
fn git_repository() -> Folder {
    let folder = Folder::new();
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    for args in
        [&["init", "-q", "-b", "main"][..], &["commit", "-q", "--allow-empty", "-m", "first"]]
    {
        let mut git = Command::new("git");
        git.args(who).args(args).current_dir(folder.path(""));
        assert!(git.status().unwrap().success());
    }
    folder
}

#[test]
fn every_step_is_in_the_log() {
    let policy = repository().join("examples/policies/16-log-everything");
    let step = json!({"hook_event_name": "session_end", "session_id": "s", "reason": "done"});
    let (folder, _) = run(&policy, &[step]);
    let logged = json_lines(&folder.path("steps.jsonl"));
    assert_eq!(logged.len(), 1);
    assert!(logged[0].to_string().contains("session_end"), "{}", logged[0]);
}

/// Whether the hooks of a policy start programs or ask services.
fn starts_program(policy: &Path) -> bool {
    let text = std::fs::read_to_string(policy.join("hooks.toml")).unwrap();
    ["command =", "[hook.command]", "http =", "[hook.http]"].iter().any(|key| text.contains(key))
}

#[test]
fn no_policy_starts_a_program_for_its_decisions_unless_it_is_about_one() {
    let mut with_program: Vec<PathBuf> = policies();
    with_program.retain(|policy| starts_program(policy));
    let about = ["mcp-guard", "tell-the-team"]
        .map(|name| repository().join("examples/policies").join(name));
    assert_eq!(with_program, about);
}

/// The config in force is made of more than hooks.toml: its scripts and prompts are protected, too.
#[test]
fn the_files_of_a_config_are_protected_from_every_tool() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"protect\"\nevent = \"pre_tool_use\"\nbuiltin = \"protect_config\"\n\
         [[hook]]\nid = \"script\"\nevent = \"session_end\"\nrole = \"observe\"\n\
         command = { argv = [\"./watch.sh\"] }\n",
    );
    let script = folder.write("watch.sh", "#!/bin/sh\ncat > /dev/null\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let decision = |tool: &str, input: Value| {
        let step = json!({"hook_event_name": "pre_tool_use", "tool_name": tool,
            "tool_input": input, "cwd": folder.path("").to_str().unwrap()});
        let ended = folder.run(&["run", "--quiet"], step.to_string());
        ended.lines()[0]["decision"].as_str().unwrap().to_owned()
    };
    let bash = |command: &str| decision("Bash", json!({"command": command}));
    assert_eq!(bash("echo exit 0 > watch.sh"), "deny");
    assert_eq!(bash("sed -i d hooks.toml"), "deny");
    assert_eq!(bash("rm -rf $PWD/watch.sh"), "deny");
    assert_eq!(decision("Write", json!({"file_path": "watch.sh", "content": "x"})), "deny");
    assert_eq!(bash("echo x > other.sh; cat watch.sh"), "allow");
}
