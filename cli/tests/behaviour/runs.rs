//! Promise: what hooks do later can be listed, shown and tried again.

use std::time::Duration;

use hookgate_store::{Backoff, NewRun, RunKind, RunSettings, RunState, RunStore, Visibility};
use serde_json::json;

use crate::support::{Ended, Folder, bash, repository};

/// A folder with runs beside a journal.
fn queued() -> (Folder, RunStore) {
    let folder = Folder::with_hooks("");
    let store = RunStore::open(RunSettings::beside(&folder.path("journal.db"))).unwrap();
    let run = |hook: &str, step: &str| {
        NewRun::new(
            RunKind::Hook,
            format!("{hook} {step}"),
            hook,
            json!({"secret": "in the input"}),
        )
        .session("session-1")
        .step(step, "post_tool_use")
        .of_config("sha256:1", "sha256:2")
        .backoff(Backoff::Fixed(Duration::ZERO))
        .attempts(2)
    };
    let claim = |hook: &str| {
        store.claim("", &|_| true).unwrap().filter(|claim| claim.run().hook == hook).unwrap()
    };
    store.enqueue(&run("mirror", "step-1").visibility(Visibility::User)).unwrap();
    claim("mirror").succeed(&[json!({"kind": "audit"})], &[]).unwrap();
    store.enqueue(&run("notify", "step-2")).unwrap();
    claim("notify").fail("http_status", "the service says 503", true).unwrap();
    claim("notify").fail("http_status", "the service says 503", true).unwrap();
    store.enqueue(&run("mirror", "step-3")).unwrap();
    (folder, store)
}

fn runs(folder: &Folder, args: &[&str]) -> Ended {
    let mut all = vec!["runs"];
    all.extend(args);
    all.extend(["--journal", "journal.db"]);
    folder.run(&all, "")
}

fn ids(folder: &Folder, args: &[&str]) -> Vec<u64> {
    let ended = runs(folder, &[&["list"], args].concat());
    assert_eq!(ended.code(), 0, "{}", ended.err());
    ended.lines().iter().map(|run| run["id"].as_u64().unwrap()).collect()
}

/// Times, processes, hashes and what an attempt took differ from run to run, and with it how wide a table is.
fn masked(ended: &Ended) -> String {
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let process = std::process::id();
    let masks = [
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d".to_owned(), "2026-01-01 00:00:00"),
        ("sha256:[0-9a-f]{64}".to_owned(), "sha256:…"),
        (format!("{process}-[0-9a-f]{{16}}"), "4711"),
        (format!(r"\b{process} +"), "4711     "),
        (r"\d+(\.\d)? (µs|ms) +".to_owned(), "9 µs    "),
        ("took +became".to_owned(), "took    became"),
        ("─+".to_owned(), "────────────────────────────────────────────────────────────"),
    ];
    let mask = |line: &str| {
        let mask = |line: String, (what, by): &(String, &str)| {
            regex::Regex::new(what).unwrap().replace_all(&line, *by).into_owned()
        };
        masks.iter().fold(line.to_owned(), mask).trim_end().to_owned()
    };
    ended.out().lines().map(mask).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn assert_on_page(screen: &str) {
    let page = std::fs::read_to_string(repository().join("docs/runs.md")).unwrap();
    assert!(page.contains(screen), "docs/runs.md does not show:\n{screen}");
}

#[test]
fn a_table_of_runs() {
    let (folder, _store) = queued();
    assert_on_page(&masked(&runs(&folder, &["list", "--table"])));
}

#[test]
fn one_run_whole() {
    let (folder, _store) = queued();
    let shown = runs(&folder, &["show", "2", "--table"]);
    assert_on_page(&masked(&shown));
    assert!(!shown.out().contains("in the input"));
    let json = runs(&folder, &["show", "2"]);
    let shown = &json.lines()[0];
    assert_eq!(
        (&shown["run"]["state"], &shown["attempts"][1]["class"]),
        (&json!("dead_lettered"), &json!("http_status"))
    );
    let missing = runs(&folder, &["show", "99"]);
    assert_eq!(missing.code(), 1);
    assert!(missing.err().contains("there is no run 99"), "{}", missing.err());
}

#[test]
fn filters_hold_together() {
    let (folder, _store) = queued();
    assert_eq!(ids(&folder, &[]), [1, 2, 3]);
    assert_eq!(ids(&folder, &["--state", "dead_lettered,succeeded"]), [1, 2]);
    assert_eq!(ids(&folder, &["--hook", "mirror", "--state", "queued"]), [3]);
    assert_eq!(ids(&folder, &["--session", "session-1", "-n", "1"]), [3]);
    assert_eq!(ids(&folder, &["--visibility", "user"]), [1]);
    assert!(ids(&folder, &["--session", "other"]).is_empty());
    let wrong = runs(&folder, &["list", "--state", "dead"]);
    assert_eq!(wrong.code(), 64);
    assert!(wrong.err().contains("dead_lettered"), "{}", wrong.err());
}

#[test]
fn what_has_failed_is_tried_again_and_what_waits_is_cancelled() {
    let (folder, store) = queued();
    let again = runs(&folder, &["retry", "2"]);
    assert_eq!((again.code(), again.out()), (0, "run 2 is queued again\n"), "{}", again.err());
    assert_eq!(store.run(2).unwrap().state, RunState::Queued);
    let done = runs(&folder, &["retry", "1"]);
    assert_eq!(done.code(), 1);
    assert!(done.err().contains("the run 1 is succeeded"), "{}", done.err());
    let cancelled = runs(&folder, &["cancel", "3"]);
    assert_eq!((cancelled.code(), cancelled.out()), (0, "run 3 is cancelled\n"));
    assert_eq!(store.run(3).unwrap().state, RunState::Cancelled);
}

#[test]
fn a_folder_without_runs_is_told_and_nothing_is_made_there() {
    let folder = Folder::with_hooks("");
    for verb in [&["list"][..], &["show", "1"], &["retry", "1"]] {
        let ended = runs(&folder, verb);
        assert_eq!(ended.code(), 1, "{verb:?}");
        assert!(ended.err().contains("docs/runs.md"), "{}", ended.err());
    }
    assert!(!folder.path("journal-runs.db").exists());
}

#[test]
fn a_recorded_hook_is_called_in_the_run_once_for_each_step() {
    let folder = Folder::with_hooks(
        r#"version = 1
[[hook]]
id = "mirror"
event = "pre_tool_use"
role = "observe"
background = "record"
command = { shell = 'echo "$HOOKGATE_IDEMPOTENCY_KEY" >> "$HOOKGATE_CONFIG_DIR/keys"' }
"#,
    );
    let steps = ["one", "two"].map(|id| {
        let mut step: serde_json::Value = serde_json::from_str(&bash("ls")).unwrap();
        (step["session_id"], step["step_id"]) = ("session-1".into(), id.into());
        step.to_string()
    });
    // The second time every run is known, and nothing is called again.
    for _ in 0..2 {
        let ended = folder
            .run(&["run", "-c", "hooks.toml", "--journal", "journal.db", "-q"], steps.join("\n"));
        assert_eq!(ended.code(), 0, "{}", ended.err());
    }
    let list = runs(&folder, &["list"]);
    let states: Vec<_> = list.lines().iter().map(|run| run["state"].clone()).collect();
    assert_eq!(states, ["succeeded", "succeeded"]);
    let keys = std::fs::read_to_string(folder.path("keys")).unwrap();
    let mut called: Vec<&str> = keys.lines().collect();
    let lines = list.lines();
    let mut known: Vec<&str> = lines.iter().map(|run| run["key"].as_str().unwrap()).collect();
    called.sort_unstable();
    known.sort_unstable();
    assert_eq!(called, known);
}

#[test]
fn a_hook_says_whether_its_runs_are_for_the_user_to_see() {
    let hook = |id: &str, background: &str| {
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\nrole = \"observe\"\nbackground = {background}\n\
             command = {{ shell = \"true\" }}\n"
        )
    };
    let hooks = [
        hook("shown", "{ record = \"user\" }"),
        hook("plain", "\"record\""),
        hook("hidden", "{ record = \"operator\" }"),
    ];
    let folder = Folder::with_hooks(&hooks.concat());
    let ended =
        folder.run(&["run", "-c", "hooks.toml", "--journal", "journal.db", "-q"], bash("ls"));
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let of = |args: &[&str]| {
        let list = runs(&folder, &[&["list"], args].concat());
        let mut hooks: Vec<String> =
            list.lines().iter().map(|run| run["hook"].as_str().unwrap().to_owned()).collect();
        hooks.sort();
        hooks
    };
    assert_eq!(of(&["--visible", "user"]), ["shown"]);
    assert_eq!(of(&["--visible", "operator"]), ["hidden", "plain"]);
    let listed = folder.run(&["list", "--json"], "");
    let shown = listed.lines().into_iter().find(|hook| hook["id"] == "shown").unwrap();
    assert_eq!(shown["visible_to_user"], true, "{shown}");
}
