//! Promise: a question is signed, answered once, and what a person changes is judged again.

use serde_json::json;

use crate::support::{Folder, HOOKS, Host, judge};

#[test]
fn a_question_is_approved_once_and_by_nobody_else() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let asked = host.judge("s", "cargo publish");
    assert_eq!(asked["verdict"], "ask");
    assert!(asked.get("step").is_none(), "a step that waits is not handed over: {asked}");
    let question = asked["question"].clone();
    assert_eq!(question["request"]["question"], "a published version stays");

    let answer = |session: &str, question: &serde_json::Value, answer: serde_json::Value| json!({"session": session, "question": question, "answer": answer});
    let (name, _) = host.err("ask.answer", answer("other", &question, json!("approve")));
    assert_eq!(name, "question_refused");
    let mut forged = question.clone();
    forged["request"]["step"]["tool_input"]["command"] = json!("rm -rf /");
    let (name, _) = host.err("ask.answer", answer("s", &forged, json!("approve")));
    assert_eq!(name, "question_refused");

    let approved = host.ok("ask.answer", answer("s", &question, json!("approve")));
    assert_eq!(approved["verdict"], "allow");
    assert_eq!(approved["report"]["by"], json!(["the user"]));
    assert_eq!(approved["step"]["tool_input"]["command"], "cargo publish");
    let (name, _) = host.err("ask.answer", answer("s", &question, json!("approve")));
    assert_eq!(name, "question_refused");
}

#[test]
fn what_a_person_changes_is_judged_again_and_a_no_is_a_deny() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let mut answered = |answer: serde_json::Value| {
        let question = host.judge("s", "cargo publish")["question"].clone();
        host.ok("ask.answer", json!({"session": "s", "question": question, "answer": answer}))
    };
    let edit = |command: &str| json!({"approve_with": {"tool_input": {"command": command}}});
    let dry = answered(edit("cargo publish --dry-run"));
    assert_eq!(
        (&dry["verdict"], &dry["step"]["tool_input"]["command"]),
        (&json!("allow"), &json!("cargo publish --dry-run"))
    );
    let worse = answered(edit("cargo publish; git push --force"));
    assert_eq!(
        (&worse["verdict"], &worse["report"]["by"]),
        (&json!("deny"), &json!(["no-force-push"]))
    );
    assert!(worse.get("step").is_none());
    let no = answered(json!({"reject": "not today"}));
    assert_eq!((&no["verdict"], &no["report"]["reason"]), (&json!("deny"), &json!("not today")));
    // What cannot be edited uses no question up.
    let question = host.judge("s", "cargo publish")["question"].clone();
    let wrong = json!({"session": "s", "question": question, "answer": {"approve_with": {"tool_name": "Read"}}});
    assert_eq!(host.err("ask.answer", wrong).0, "invalid_params");
    let yes = json!({"session": "s", "question": question, "answer": "approve"});
    assert_eq!(host.ok("ask.answer", yes)["verdict"], "allow");
}

#[test]
fn a_question_whose_hooks_are_others_by_now_is_judged_anew() {
    let folder = Folder::with_hooks(HOOKS);
    let (server, mut host) = Host::spawn(&folder);
    let question = host.judge("s", "cargo publish")["question"].clone();
    folder.write("hooks.toml", &HOOKS.replace("push.*--force", "publish"));
    server.wait_for("reloaded");
    let answer = json!({"session": "s", "question": question, "answer": "approve"});
    assert_eq!(host.ok("ask.answer", answer)["verdict"], "deny");
    assert_eq!(host.ok("judge", judge("s", "ls"))["verdict"], "pass");
}

/// What the host has said of the step beside its payload is known to the hooks that judge an edit.
#[test]
fn an_edit_is_judged_with_all_that_the_host_has_said_of_the_step() {
    let folder = Folder::with_hooks(
        r#"
[[hook]]
id = "publishing"
event = "pre_tool_use"
input = { "/command" = { regex = "publish" } }
builtin = { name = "ask", reason = "publish it?" }

[[hook]]
id = "reviewers"
event = "pre_tool_use"
agent = "reviewer"
input = { "/command" = { regex = "--now" } }
builtin = { name = "deny", reason = "a reviewer is not in a hurry" }
"#,
    );
    let (_server, mut host) = Host::spawn(&folder);
    for (agent, verdict) in [("reviewer", "deny"), ("coder", "allow")] {
        let mut step = judge("s", "cargo publish");
        step["step"]["agent_id"] = json!("7");
        step["step"]["agent_type"] = json!(agent);
        let question = host.ok("judge", step)["question"].clone();
        let edit = json!({"approve_with": {"tool_input": {"command": "cargo publish --now"}}});
        let answer = json!({"session": "s", "question": question, "answer": edit});
        assert_eq!(host.ok("ask.answer", answer)["verdict"], verdict, "{agent}");
    }
    // A host that takes no step that was changed would run the one that it has.
    let question = host.judge("s", "cargo publish")["question"].clone();
    host.ok("hello", crate::support::hello(&["pre_tool_use"], &["deny", "ask"]));
    let edit = json!({"approve_with": {"tool_input": {"command": "cargo publish --dry-run"}}});
    let answer = json!({"session": "s", "question": question, "answer": edit});
    assert_eq!(host.err("ask.answer", answer).0, "question_refused");
}

#[test]
fn what_a_person_has_said_is_in_the_journal() {
    let folder = Folder::with_hooks(HOOKS);
    let (mut server, mut host) =
        Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml", "--journal", "decisions.db"]);
    host.hello();
    for answer in [json!({"reject": "not today"}), json!("approve")] {
        let question = host.judge("s", "cargo publish")["question"].clone();
        host.ok("ask.answer", json!({"session": "s", "question": question, "answer": answer}));
    }
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    let log = folder.hookgate(&["log", "--json", "--journal", "decisions.db"]).output().unwrap();
    let text = String::from_utf8(log.stdout).unwrap();
    let ends: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter_map(|entry| entry.get("end")?.as_str().map(str::to_owned))
        .collect();
    assert_eq!(ends, ["decided", "rejected", "decided", "approved"], "{text}");
}
