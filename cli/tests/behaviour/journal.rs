//! Promise: what was decided is found again, and what was changed afterwards is named.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;

use crate::support::{Ended, Folder, HOOKS, bash, repository};

/// A folder with a journal of a few decisions.
fn recorded() -> Folder {
    let folder = Folder::with_hooks(HOOKS);
    let steps = ["git push --force", "ls", "npm publish", "date"].map(|command| {
        let mut step: serde_json::Value = serde_json::from_str(&bash(command)).unwrap();
        step["session_id"] = "session-1".into();
        step["step_id"] = command.into();
        step.to_string()
    });
    let ended = folder.run(
        &["run", "-c", "hooks.toml", "--journal", "journal.db", "-q", "--table"],
        steps.join("\n"),
    );
    assert_eq!(ended.code(), 0, "{}", ended.err());
    folder
}

fn log(folder: &Folder, args: &[&str]) -> Ended {
    let mut all = vec!["log"];
    all.extend(args);
    all.extend(["--journal", "journal.db"]);
    folder.run(&all, "")
}

/// The decisions that are found, with what they are about.
fn found(folder: &Folder, args: &[&str]) -> Vec<String> {
    let ended = log(folder, args);
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let step = |entry: serde_json::Value| {
        let report = entry.get("report")?;
        Some(format!("{} {}", report["step_id"].as_str()?, report["decision"].as_str()?))
    };
    ended.lines().into_iter().filter_map(step).collect()
}

/// Times, hashes and what a call took differ from run to run.
fn masked(ended: &Ended) -> String {
    let text = format!("{}{}", ended.out(), ended.err());
    let mask = |line: &str| {
        let line = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
            .unwrap()
            .replace(line, "2026-01-01 00:00:00")
            .into_owned();
        let line = regex::Regex::new("[0-9a-f]{64}").unwrap().replace(&line, "…").into_owned();
        let line = regex::Regex::new("sha256:[0-9a-f]{12}")
            .unwrap()
            .replace(&line, "sha256:0123456789ab")
            .into_owned();
        regex::Regex::new(r"\d+(\.\d)? (µs|ms)")
            .unwrap()
            .replace(&line, "9 µs")
            .trim_end()
            .to_owned()
    };
    text.lines().map(mask).collect::<Vec<_>>().join("\n")
}

#[test]
fn filters_hold_together() {
    let folder = recorded();
    let all = ["git push --force deny", "ls allow", "npm publish ask", "date answered"];
    assert_eq!(found(&folder, &[]), all);
    assert_eq!(found(&folder, &["--decision", "deny,ask"]), [all[0], all[2]]);
    assert_eq!(found(&folder, &["--hook", "cached"]), [all[3]]);
    assert_eq!(found(&folder, &["--text", "PUBLISH"]), [all[2]]);
    assert_eq!(
        found(&folder, &["--since", "1h", "--tool", "Bash", "--decision", "allow"]),
        [all[1]]
    );
    assert!(found(&folder, &["--until", "1h"]).is_empty());
    assert!(found(&folder, &["--session", "other"]).is_empty());
    assert_eq!(found(&folder, &["-n", "1"]), [all[3]]);
    let wrong = log(&folder, &["--since", "yesterday"]);
    assert_eq!(wrong.code(), 64);
    assert!(wrong.err().contains("24h, 30m, 7d"), "{}", wrong.err());
}

/// Checks that a screen stands in docs/journal.md as it is.
#[track_caller]
fn assert_on_page(screen: &str) {
    let page = std::fs::read_to_string(repository().join("docs/journal.md")).unwrap();
    assert!(page.contains(screen), "docs/journal.md does not show:\n{screen}");
}

#[test]
fn a_table_of_entries() {
    let screen = masked(&log(&recorded(), &["--table"]));
    assert_on_page(&screen);
    assert_snapshot!(screen);
}

#[test]
fn one_decision_whole() {
    let folder = recorded();
    let ended = folder.run(&["log", "show", "2", "--table", "--journal", "journal.db"], "");
    assert_on_page(&masked(&ended));
    assert_snapshot!(masked(&ended));
    let missing = folder.run(&["log", "show", "99", "--journal", "journal.db"], "");
    assert_eq!(missing.code(), 1);
    assert!(missing.err().contains("its entries are 1 to 5"), "{}", missing.err());
}

#[test]
fn what_each_hook_did() {
    let folder = recorded();
    let ended = folder.run(&["log", "stats", "--json", "--journal", "journal.db"], "");
    let stats = &ended.lines()[0];
    assert_eq!((&stats["steps"], &stats["outcomes"]["deny"]), (&4.into(), &1.into()));
    let hook = &stats["hooks"]["no-force-push"];
    assert_eq!(
        (&hook["asked"], &hook["decided"], &hook["failed"]),
        (&1.into(), &1.into(), &0.into())
    );
    let table = folder.run(&["log", "stats", "--table", "--journal", "journal.db"], "");
    assert!(
        table.out().starts_with("4 steps: 1 allow, 1 answered, 1 ask, 1 deny\n"),
        "{}",
        table.out()
    );
}

#[test]
fn a_changed_journal_is_named_with_its_first_bad_entry() {
    let folder = recorded();
    let verify = |args: &[&str]| {
        let mut all = vec!["journal", "verify", "--journal", "journal.db"];
        all.extend(args);
        folder.run(&all, "")
    };
    let whole = verify(&["--table"]);
    assert_eq!(whole.code(), 0);
    assert_on_page(whole.out());
    let head = folder.run(&["journal", "head", "--journal", "journal.db"], "");
    folder.write("heads.jsonl", head.out());
    let compared = verify(&["--table", "--heads", "heads.jsonl"]);
    assert!(compared.out().contains("compared with 1 head from elsewhere"), "{}", compared.out());

    let database = rusqlite::Connection::open(folder.path("journal.db")).unwrap();
    let change = |from: &str, to: &str| {
        let change = "UPDATE record SET text = replace(text, ?1, ?2) WHERE seq = 2";
        database.execute(change, (from, to)).unwrap();
    };
    change("deny", "allow");
    let broken = verify(&["--table"]);
    assert_eq!(broken.code(), 2);
    assert_on_page(broken.out());
    change("allow", "deny");
    assert_eq!(verify(&[]).code(), 0, "it is as it was");

    for table in ["record", "body", "spoke"] {
        database.execute(&format!("DELETE FROM {table} WHERE seq = 5"), ()).unwrap();
    }
    assert_eq!(verify(&[]).code(), 0, "a chain alone does not show it");
    let cut = verify(&["--json", "--heads", "heads.jsonl"]);
    assert_eq!(cut.code(), 2);
    assert_eq!(cut.lines()[0]["faults"][0], serde_json::json!({"fault": "cut", "seq": 5}));
}

#[test]
fn heads_that_were_printed_show_a_cut_end() {
    let folder = Folder::with_hooks(HOOKS);
    let args =
        ["run", "-c", "hooks.toml", "--journal", "j.db", "--heads", "stderr", "--heads", "heads"];
    let ended = folder.run(&args, [bash("ls"), bash("rm x")].join("\n"));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let printed = format!("12:00 app[7]: {}", ended.err());
    assert!(printed.contains("hookgate head {") && printed.contains("2 steps"), "{printed}");
    let verify = |heads: &str, stdin: &str| {
        let args = ["journal", "verify", "--json", "--journal", "j.db", "--heads", heads];
        folder.run(&args, stdin)
    };
    let whole = verify("-", &printed);
    assert_eq!(whole.code(), 0, "{}{}", whole.out(), whole.err());
    assert!(whole.lines()[0]["heads"].as_u64().unwrap() > 0);
    assert_eq!(whole.lines()[0]["after_heads"], 0);
    assert_eq!(verify("heads", "").lines()[0]["heads"], whole.lines()[0]["heads"]);
    let database = rusqlite::Connection::open(folder.path("j.db")).unwrap();
    for table in ["record", "body", "spoke"] {
        database.execute(&format!("DELETE FROM {table} WHERE seq = 3"), ()).unwrap();
    }
    for heads in ["-", "heads"] {
        let cut = verify(heads, &printed);
        assert_eq!(cut.code(), 2, "{}", cut.err());
        assert_eq!(cut.lines()[0]["faults"][0], serde_json::json!({"fault": "cut", "seq": 3}));
    }
    let none = verify("-", "nothing of this is a head\n");
    assert_eq!(none.code(), 1);
    assert!(none.err().contains("stdin:1: no head"), "{}", none.err());
}

#[test]
fn a_journal_that_is_not_there_says_how_to_have_one() {
    let ended = log(&Folder::new(), &[]);
    assert_eq!(ended.code(), 1);
    assert!(ended.err().contains("hookgate run --journal FILE"), "{}", ended.err());
}

#[test]
fn what_is_recorded_later_is_followed() {
    let folder = recorded();
    let mut follow =
        folder.hookgate(&["log", "--follow", "--json", "-n", "1", "--journal", "journal.db"]);
    let mut child = follow.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["report"]["decision"], "answered");
    let args = ["run", "-c", "hooks.toml", "--journal", "journal.db", "-q"];
    folder.run(&args, bash("git push --force # once more"));
    assert_eq!(next()["report"]["decision"], "deny");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_section_with_mistakes_is_told_with_its_places() {
    let folder = Folder::with_hooks(
        "[journal]\nfile = \"here.db\"\nenvelope = \"al\"\non_failure = \"ask\"\nhead_key = \"KEY\"\n",
    );
    let ended = folder.run(&["check", "-c", "hooks.toml"], "");
    assert_eq!(ended.code(), 3);
    for place in ["hooks.toml:2:8", "hooks.toml:3:12", "hooks.toml:4:14", "hooks.toml:5:12"] {
        assert!(ended.err().contains(place), "{place}: {}", ended.err());
    }
}

#[test]
fn decisions_are_exported_in_formats_of_other_programs() {
    let folder = recorded();
    let export = |format: &str| {
        let ended =
            folder.run(&["log", "export", "--format", format, "--journal", "journal.db"], "");
        assert_eq!(ended.code(), 0, "{}", ended.err());
        ended
    };
    let csv = export("csv");
    let rows: Vec<&str> = csv.out().split("\r\n").collect();
    assert!(rows[0].starts_with("seq,time,session_id,step_id,event,"), "{}", rows[0]);
    assert_eq!(rows.len(), 6, "a head, four decisions, and the end of the last: {rows:?}");
    assert!(rows[1].contains(",deny,no-force-push,force push is not allowed here,"), "{}", rows[1]);
    let ocsf = export("ocsf").lines();
    let ids: Vec<_> = ocsf.iter().map(|event| event["action_id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [2, 1, 0, 1]);
    assert!(ocsf.iter().all(|event| event["type_uid"] == 600_399 && event["class_uid"] == 6003));
    assert_eq!(ocsf[0]["api"]["operation"], "Bash");
    let otlp = export("otlp-json").lines();
    let logs = &otlp[0]["resourceLogs"][0]["scopeLogs"][0]["logRecords"];
    assert_eq!(logs.as_array().unwrap().len(), 4);
    assert!(logs[0]["timeUnixNano"].as_str().unwrap().ends_with("000000"));
    assert_eq!(
        logs[0]["body"]["stringValue"],
        "pre_tool_use: deny: force push is not allowed here"
    );
    let jsonl = export("jsonl");
    assert_eq!(jsonl.out(), log(&folder, &["--json"]).out());
}

#[test]
fn a_reason_that_looks_like_a_formula_is_none_in_a_table() {
    let hooks = "[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\nbuiltin = { name = \"deny\", reason = '=1+1, \"x\"' }\n";
    let folder = Folder::with_hooks(hooks);
    let args = ["run", "-c", "hooks.toml", "--journal", "journal.db", "-q", "--table"];
    folder.run(&args, bash("ls"));
    let csv = folder.run(&["log", "export", "--format", "csv", "--journal", "journal.db"], "");
    assert!(csv.out().contains(",\"'=1+1, \"\"x\"\"\","), "{}", csv.out());
}
