//! Promise: what waits for a person can be listed, read as it would run, and answered, by hand.

use std::time::Duration;

use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine as _, StepContext, ToolUse, Verdict,
};
use hookgate_store::{ApprovalState, Approvals, Persons, RunSettings, RunStore};
use serde_json::json;

use crate::support::{Ended, Folder, repository};

/// A folder with a question beside a journal, and its id.
fn asked(command: &str, persons: &Persons) -> (Folder, Approvals, String) {
    let folder = Folder::with_hooks("");
    let (approvals, id) = park(&folder, command, persons);
    (folder, approvals, id)
}

/// Asks about a command as a runtime does that parks its questions beside a journal.
pub(crate) fn park(folder: &Folder, command: &str, persons: &Persons) -> (Approvals, String) {
    let store = RunStore::open(RunSettings::beside(&folder.path("journal.db"))).unwrap();
    let approvals = store.approvals();
    let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("deploy to production?")));
    let table = HandlerTable::builder().insert(hook.event(Event::PreToolUse)).build().unwrap();
    let engine = Engine::new(table).with_approval_key(approvals.engine_key().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let parked = runtime.block_on(async {
        let context = StepContext::new("session-1").step_id("step-1");
        let step = ToolUse::from_value("Bash", json!({ "command": command })).unwrap();
        let Gate::Asked(asked) = engine.dispatch(step, &context).await else { panic!() };
        asked.park(&engine, &context, Duration::from_secs(3600)).unwrap()
    });
    let id = approvals.park(&parked, persons).unwrap().id;
    (approvals, id)
}

fn approvals(folder: &Folder, args: &[&str]) -> Ended {
    let mut all = vec!["approvals"];
    all.extend(args);
    all.extend(["--journal", "journal.db"]);
    folder.run(&all, "")
}

/// Times and ids differ from run to run, and so does how wide a table is.
fn masked(text: &str, id: &str) -> String {
    let masks = [
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d".to_owned(), "2026-01-01 00:00:00"),
        ("sha256:[0-9a-f]{64}".to_owned(), "sha256:…"),
        (id.to_owned(), "0123456789abcdef0123456789abcdef"),
        (id[..12].to_owned(), "0123456789ab"),
        ("─+".to_owned(), "────────────────────────────────────────────────────────────"),
    ];
    let mask = |line: &str| {
        let mask = |line: String, (what, by): &(String, &str)| {
            regex::Regex::new(what).unwrap().replace_all(&line, *by).into_owned()
        };
        masks.iter().fold(line.to_owned(), mask).trim_end().to_owned()
    };
    text.lines().map(mask).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn assert_on_page(screen: &str) {
    let page = std::fs::read_to_string(repository().join("docs/approvals.md")).unwrap();
    assert!(page.contains(screen), "docs/approvals.md does not show:\n{screen}");
}

#[test]
fn a_question_is_listed_shown_and_answered_by_two_persons() {
    let (folder, kept, id) = asked("make deploy", &Persons::need(2).from(["ada", "ben"]));
    let list = approvals(&folder, &["list", "--table"]);
    assert_on_page(&masked(list.out(), &id));
    let show = approvals(&folder, &["show", &id[..4], "--table"]);
    assert_eq!(show.code(), 4, "it waits");
    assert_on_page(&masked(show.out(), &id));

    let first = approvals(&folder, &["approve", &id[..4], "--as", "ada"]);
    assert_eq!(first.code(), 0, "{}", first.err());
    assert_on_page(&masked(first.out(), &id));
    let stranger = approvals(&folder, &["approve", &id, "--as", "mallory"]);
    assert_eq!(stranger.code(), 1);
    assert!(stranger.err().contains("`mallory` may not answer this question: ada, ben may"));
    assert_eq!(kept.approval(&id).unwrap().state, ApprovalState::Pending, "the control");
    let second = approvals(&folder, &["approve", &id, "--as", "ben", "--note", "go"]);
    assert!(second.out().ends_with(" is approved\n"), "{}", second.out());
    assert_eq!(approvals(&folder, &["show", &id]).code(), 0);

    let listed = approvals(&folder, &["list"]);
    assert!(listed.out().is_empty(), "none waits: {}", listed.out());
    let all = approvals(&folder, &["list", "--all"]);
    assert_eq!(all.lines()[0]["answers"][1]["note"], "go");
    // The runtime takes the answer, and what was asked is forgotten.
    assert!(kept.take(&id).unwrap().is_some());
    let shown = approvals(&folder, &["show", &id]);
    assert_eq!((&shown.lines()[0]["request"], shown.code()), (&json!(null), 0));
}

#[test]
fn an_edit_goes_with_the_answer_and_a_reason_with_a_refusal() {
    let (folder, kept, id) = asked("make deploy", &Persons::default());
    let bad = approvals(&folder, &["approve", &id, "--as", "ada", "--edit", "[1]"]);
    assert_eq!(bad.code(), 64);
    assert!(bad.err().contains("an edit is a JSON object"), "{}", bad.err());
    let edit = r#"{"tool_input":{"command":"make -n deploy"}}"#;
    assert_eq!(approvals(&folder, &["approve", &id, "--as", "ada", "--edit", edit]).code(), 0);
    let taken = kept.take(&id).unwrap().unwrap();
    assert_eq!(taken.edit.unwrap()["tool_input"]["command"], "make -n deploy");

    let (folder, kept, id) = asked("make deploy", &Persons::default());
    let rejected =
        approvals(&folder, &["reject", &id, "--as", "ada", "--reason", "not on a Friday"]);
    assert!(rejected.out().ends_with(" is rejected\n"), "{}", rejected.err());
    assert_eq!(approvals(&folder, &["show", &id]).code(), 2);
    let note = kept.take(&id).unwrap().unwrap().approval.answers[0].note.clone();
    assert_eq!(note.as_deref(), Some("not on a Friday"));
    let late = approvals(&folder, &["approve", &id, "--as", "ben"]);
    assert_eq!(late.code(), 1);
    assert!(late.err().contains("is rejected already"), "{}", late.err());
}

#[test]
fn one_can_wait_for_an_answer() {
    let (folder, kept, id) = asked("make", &Persons::default());
    let waits = approvals(&folder, &["watch", &id, "--timeout", "0"]);
    assert_eq!((waits.code(), waits.out()), (4, ""));
    let shown = approvals(&folder, &["watch", "--timeout", "0"]);
    assert_eq!((shown.code(), &shown.lines()[0]["id"]), (0, &json!(id)));
    kept.withdraw(&id, "the session has ended").unwrap();
    assert_eq!(approvals(&folder, &["watch", &id]).code(), 2);
}

#[test]
fn what_cannot_be_seen_is_marked() {
    let (folder, _, id) = asked("echo \u{202e}exe.cod\u{1b}[2J", &Persons::default());
    let shown = approvals(&folder, &["show", &id, "--table"]);
    assert!(!shown.out().contains(['\u{202e}', '\u{1b}']), "{:?}", shown.out());
    assert!(shown.out().contains("echo "), "{}", shown.out());
}

#[test]
fn without_questions_the_help_says_where_they_come_from() {
    let folder = Folder::with_hooks("");
    let none = approvals(&folder, &["list"]);
    assert_eq!(none.code(), 1);
    assert!(none.err().contains("docs/approvals.md"), "{}", none.err());
    assert!(!folder.path("journal-runs.db").exists(), "what is not there is not made");
    let (folder, _, _) = asked("make", &Persons::default());
    let unknown = approvals(&folder, &["approve", "zz", "--as", "ada"]);
    assert!(unknown.err().contains("there is no question `zz`"), "{}", unknown.err());
}

#[test]
fn a_grant_is_given_with_an_answer_listed_and_revoked() {
    let (folder, kept, id) = asked("make deploy", &Persons::default());
    let request = kept.request(&id).unwrap();
    let given =
        approvals(&folder, &["approve", &id, "--as", "ada", "--always", "session", "--for", "1h"]);
    assert!(
        given.out().starts_with("grant 1: the same again, for this session\n"),
        "{}",
        given.err()
    );
    assert!(kept.granted(&request).unwrap().is_some());
    let listed = approvals(&folder, &["grants"]);
    assert_eq!(
        (&listed.lines()[0]["person"], &listed.lines()[0]["uses"]),
        (&json!("ada"), &json!(1))
    );
    assert!(approvals(&folder, &["grants", "--table"]).out().contains("session session-1"));
    assert_eq!(approvals(&folder, &["revoke", "1"]).out(), "grant 1 is revoked\n");
    assert_eq!(kept.granted(&request).unwrap(), None);
    let unknown = approvals(&folder, &["revoke", "7"]);
    assert!(unknown.err().contains("there is no grant 7"), "{}", unknown.err());
    // The question names no folder.
    let (folder, _, id) = asked("make", &Persons::default());
    let refused = approvals(&folder, &["approve", &id, "--as", "ada", "--always", "project"]);
    assert!(refused.err().contains("names no folder"), "{}", refused.err());
    assert_eq!(approvals(&folder, &["list"]).lines().len(), 1, "it still waits");
}

#[test]
fn who_may_not_answer_grants_nothing_and_neither_does_one_of_two() {
    let (folder, kept, id) = asked("make deploy", &Persons::need(1).from(["ada"]));
    let always = |folder: &Folder, id: &str, person: &str| {
        approvals(folder, &["approve", id, "--as", person, "--always", "user"])
    };
    let stranger = always(&folder, &id, "mallory");
    assert_eq!(stranger.code(), 1, "{}", stranger.out());
    assert!(kept.grants().unwrap().is_empty(), "{:?}", kept.grants());
    approvals(&folder, &["reject", &id, "--as", "ada"]);
    assert_eq!(always(&folder, &id, "ada").code(), 1);
    assert!(kept.grants().unwrap().is_empty(), "it is refused");

    let (folder, kept, id) = asked("make deploy", &Persons::need(2));
    let one = always(&folder, &id, "ada");
    assert_eq!(one.code(), 1);
    assert!(one.err().contains("needs 2 persons"), "{}", one.err());
    assert!(kept.grants().unwrap().is_empty());
    assert!(kept.approval(&id).unwrap().answers.is_empty(), "and nothing was answered");
}

#[test]
fn an_id_that_is_empty_names_no_question() {
    let (folder, kept, id) = asked("make deploy", &Persons::default());
    // As of a variable of a script that is not set.
    assert_eq!(approvals(&folder, &["approve", "", "--as", "mallory"]).code(), 1);
    assert_eq!(kept.approval(&id).unwrap().state, ApprovalState::Pending);
}

#[test]
fn a_step_that_was_changed_is_shown_as_it_would_happen() {
    let (folder, _, id) = asked("make deploy", &Persons::need(2));
    let edit = r#"{"tool_input":{"command":"make -n deploy"}}"#;
    assert_eq!(approvals(&folder, &["approve", &id, "--as", "ada", "--edit", edit]).code(), 0);
    let shown = approvals(&folder, &["show", &id, "--table"]);
    assert!(shown.out().contains("tool_input.command: make -n deploy"), "{}", shown.out());
    let shown = approvals(&folder, &["show", &id]);
    assert_eq!(shown.lines()[0]["edit"]["tool_input"]["command"], "make -n deploy");
    let second = approvals(&folder, &["approve", &id, "--as", "ben"]);
    assert!(second.err().contains("another change"), "{}", second.err());
}

/// Promise: what is granted by effects covers what surely does no more, also in another process, and only if it covers
/// the question itself.
#[test]
fn an_answer_can_be_for_whatever_does_no_more() {
    let (folder, kept, id) = asked("cargo test", &Persons::default());
    let within = |json: &str| {
        let args = ["approve", &id, "--as", "ada", "--always", "session", "--within", json];
        approvals(&folder, &args)
    };
    for (wrong, code, why) in [
        ("ls", 64, "--within"),
        (r#"{"run": "ls"}"#, 1, "`run` is no kind of effects"),
        (r#"{"runs": "cargo build"}"#, 1, "does more than that"),
    ] {
        let refused = within(wrong);
        assert!(refused.code() == code && refused.err().contains(why), "{}", refused.err());
        assert!(kept.grants().unwrap().is_empty(), "nothing is granted by {wrong}");
        assert_eq!(kept.approval(&id).unwrap().state, ApprovalState::Pending, "nor answered");
    }
    let given = within(r#"{"runs": "cargo test", "writes": "/tmp/**"}"#);
    assert!(given.code() == 0 && given.out().contains("no more than that"), "{}", given.out());
    let listed = approvals(&folder, &["grants", "--table"]);
    assert!(listed.out().contains(r#"at most {"runs":"cargo test""#), "{}", listed.out());
    for (command, is_granted) in
        [("cargo test > /tmp/out", true), ("cargo test > out", false), ("cargo test; id", false)]
    {
        let (other, id) = park(&folder, command, &Persons::default());
        let request = other.request(&id).unwrap();
        assert_eq!(other.granted(&request).unwrap().is_some(), is_granted, "{command}");
    }
}
