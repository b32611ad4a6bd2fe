//! Promise: what `log`, `run` and `test` have found can be written as one HTML file, which loads nothing, runs nothing, and
//! shows hostile text as text.

use data_encoding::BASE64;
use serde_json::json;

use crate::support::{Folder, HOOKS, bash};

const HOSTILE: &str =
    "git push --force '</td><script>1</script>' \"><img src=x onerror=1> \u{202e}cod";

/// Returns a report, of which everything is checked that holds for each.
fn page(folder: &Folder, name: &str) -> String {
    let text = std::fs::read_to_string(folder.path(name)).unwrap();
    for outside in ["<script", "<img", "<link", "<iframe", " href=", "url(", "@import", "\u{202e}"]
    {
        assert!(!text.contains(outside), "{outside} in {text}");
    }
    let style = text.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let hash = BASE64.encode(&hmac_sha256::Hash::hash(style.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    );
    assert!(text.contains(&policy), "its style sheet is the one that it allows");
    assert!(text.contains("--good:"), "the control: {style}");
    text
}

fn recorded() -> Folder {
    let folder = Folder::with_hooks(HOOKS);
    folder.write("session.jsonl", [bash(HOSTILE), bash("ls"), bash("npm publish")].join("\n"));
    folder
}

#[test]
fn a_run_and_its_journal() {
    let folder = recorded();
    let args = [
        "run",
        "-c",
        "hooks.toml",
        "--journal",
        "journal.db",
        "--html",
        "run.html",
        "session.jsonl",
    ];
    let ran = folder.run(&args, "");
    assert_eq!(ran.code(), 0, "{}", ran.err());
    assert_eq!(ran.lines().len(), 3, "the records are printed all the same");
    let run = page(&folder, "run.html");
    let mode = std::fs::metadata(folder.path("run.html")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600, "as a journal");
    for part in [
        "3 steps",
        "1 deny",
        "session.jsonl:1",
        "&lt;script&gt;1",
        "force push is not allowed here",
        "not-for-ever",
        "<svg",
    ] {
        assert!(run.contains(part), "{part} in {run}");
    }
    assert!(!run.contains("Bash ls"), "it was simply allowed");
    let all = folder.run(
        &["run", "-c", "hooks.toml", "--all", "--table", "--html", "all.html", "session.jsonl"],
        "",
    );
    assert!(all.code() == 0 && page(&folder, "all.html").contains("Bash ls"), "{}", all.err());

    let logged = folder
        .run(&["log", "--journal", "journal.db", "--decision", "deny", "--html", "log.html"], "");
    assert_eq!((logged.code(), logged.out()), (0, ""), "{}", logged.err());
    let log = page(&folder, "log.html");
    for part in ["1 step: 1 deny", "the newest 1 of 1", "&lt;script&gt;1", "no-force-push"] {
        assert!(log.contains(part), "{part} in {log}");
    }
    assert!(!log.contains("npm publish"), "the filters hold");
    let nowhere =
        folder.run(&["log", "--journal", "journal.db", "--html", "no/such/folder.html"], "");
    assert!(nowhere.code() == 1 && nowhere.err().contains("cannot write"), "{}", nowhere.err());
}

#[test]
fn the_cases_of_a_policy_and_what_they_reach() {
    let folder = Folder::with_hooks(HOOKS);
    let case = |name: &str, command: &str, decision: &str| {
        let step = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        json!({"name": name, "event": "pre_tool_use", "step": step, "decision": decision})
    };
    let cases = json!({"case": [case("listing", "ls", "allow"), case("<script>1</script>", HOSTILE, "allow")]});
    folder.write("hooks_test.json", cases.to_string());
    let args = ["test", "-c", "hooks.toml", "--coverage", "--html", "test.html"];
    let ended = folder.run(&args, "");
    assert_eq!(ended.code(), 2, "{}", ended.err());
    let test = page(&folder, "test.html");
    for part in [
        "2 cases: 1 passed, 1 failed",
        "expected allow, got deny",
        "&lt;script&gt;1",
        "never called",
        "of the hooks were called",
    ] {
        assert!(test.contains(part), "{part} in {test}");
    }
    let at = |part: &str| test.find(part).unwrap();
    assert!(at("expected allow") < at("listing"), "what has to be looked at comes first");
}
