//! Promise: each question of docs/guide.md about recorded sessions is answered by the one command that stands
//! below it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::recorded::corpus;
use crate::support::{Ended, Folder, repository, run};

/// The commands in the code blocks of a part of the guide, in order. One goes on over several lines while a
/// quote is open.
fn commands(heading: &str) -> Vec<String> {
    let guide = fs::read_to_string(repository().join("docs/guide.md")).unwrap();
    let part = guide.split(&format!("\n## {heading}\n")).nth(1);
    let part = part.unwrap_or_else(|| panic!("the guide has no part {heading:?}"));
    let part = part.split("\n## ").next().unwrap();
    let mut commands: Vec<String> = Vec::new();
    for block in part.split("```").skip(1).step_by(2) {
        for line in block.lines().skip(1) {
            let is_open = |command: &String| command.matches('\'').count() % 2 == 1;
            match (line.trim_start_matches("$ "), commands.last_mut()) {
                (line, Some(last)) if is_open(last) => *last = format!("{last}\n{line}"),
                (line, _) if line.starts_with("hookgate ") => commands.push(line.to_owned()),
                _ => {}
            }
        }
    }
    assert!(!commands.is_empty(), "{heading}");
    commands
}

/// The policy that the guide begins with, and 20 recorded sessions: 19 are real ones, and in that of Monday
/// something is denied.
fn with_sessions() -> Option<Folder> {
    let recorded = ["a", "b", "c", "small"].map(|name| format!("session-{name}.steps.jsonl"));
    let recorded: Option<Vec<PathBuf>> =
        recorded.iter().map(|name| corpus(&repository(), name)).collect();
    let recorded: String = recorded?.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let folder = Folder::new();
    let begun = folder.run(&["init", "--example", "guard"], "");
    assert_eq!(begun.code(), 0, "{}", begun.err());
    fs::create_dir(folder.path("sessions")).unwrap();
    let lines: Vec<&str> = recorded.lines().collect();
    for (n, lines) in lines.chunks(lines.len().div_ceil(19)).enumerate() {
        folder.write(&format!("sessions/{n:02}.jsonl"), lines.join("\n") + "\n");
    }
    fs::copy(folder.path("session.jsonl"), folder.path("sessions/monday.jsonl")).unwrap();
    assert_eq!(fs::read_dir(folder.path("sessions")).unwrap().count(), 20);
    Some(folder)
}

/// Types a command of the guide.
fn typed(folder: &Folder, line: &str) -> Ended {
    let mut shell = Command::new("sh");
    let programs = Path::new(env!("CARGO_BIN_EXE_hookgate")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    shell.args(["-c", line]).current_dir(folder.path("")).env("PATH", path);
    shell.env_remove("HOOKGATE_CONFIG").env("XDG_CONFIG_HOME", folder.path("configs-of-user"));
    let ended = run(shell, b"");
    assert_eq!(ended.code(), 0, "{line}: {}", ended.err());
    ended
}

/// Types the commands below a question, and returns the answers.
fn answers<const N: usize>(folder: &Folder, question: &str) -> [Ended; N] {
    let commands = commands(question);
    let answers: Vec<Ended> = commands.iter().map(|line| typed(folder, line)).collect();
    answers.try_into().unwrap_or_else(|_| panic!("{question}: {commands:?}"))
}

#[test]
fn which_hook_denied() {
    let Some(folder) = with_sessions() else { return };
    let [ran] = answers(&folder, "Which hook denied?");
    let records = ran.lines();
    let denied: Vec<_> = records.iter().filter(|record| record["decision"] == "deny").collect();
    let by: Vec<_> = denied.iter().map(|record| record["by"][0].as_str().unwrap()).collect();
    assert_eq!(by, ["no-secret-files", "no-far-deletes", "no-force-push"]);
    assert!(denied.iter().all(|record| record["file"] == "sessions/monday.jsonl"), "{denied:?}");
    assert!(records.len() > 500, "{}", records.len());
}

#[test]
fn why_did_it_or_why_not() {
    let Some(folder) = with_sessions() else { return };
    let [one, all] = answers(&folder, "Why did it, or why not?");
    for answer in [one, all] {
        assert!(answer.out().contains("no-force-push"), "{}", answer.out());
        assert!(answer.out().contains("runs"), "no condition is named: {}", answer.out());
    }
}

#[test]
fn which_hook_never_fires() {
    let Some(folder) = with_sessions() else { return };
    fs::remove_file(folder.path("sessions/monday.jsonl")).unwrap();
    let [checked] = answers(&folder, "Which hook never fires?");
    let against = &checked.lines()[0]["against"];
    assert_eq!(against["files"], 19);
    let findings = against["findings"].as_array().unwrap().iter();
    let silent = findings.filter(|finding| finding["code"] == "hook_never_fires");
    let silent: Vec<_> = silent.map(|finding| finding["message"].as_str().unwrap()).collect();
    assert!(silent.iter().any(|message| message.contains("`no-force-push` never fires")));
    assert!(!silent.iter().any(|message| message.contains("`try-confirm-push`")), "{silent:?}");
}

/// It denies what certainly connects, and asks about what may.
#[test]
fn what_one_more_hook_would_change() {
    let Some(folder) = with_sessions() else { return };
    let [ran] = answers(&folder, "What would one more hook change?");
    let records = ran.lines();
    let by_it: Vec<_> = records.iter().filter(|record| record["by"][0] == "no-network").collect();
    let of = |decision: &str| by_it.iter().filter(|record| record["decision"] == decision).count();
    assert_eq!((of("deny"), of("ask")), (1, 15), "{}", ran.out());
    assert!(by_it.len() < records.len(), "the other hooks are there as well: {}", ran.out());
}
