use hookgate::recorder::Record;
use serde::Deserialize;

use super::*;

/// What of a report lies in the body.
const BODY: &[&str] = &[
    "reason",
    "final",
    "answer",
    "context",
    "messages",
    "contributions",
    "annotations",
    "payload",
    "failed_required",
    "published",
    "envelope",
];

/// What of each vote lies in the body.
const VOTE: &[&str] = &["reason", "detail"];

/// A record in which every field says something, and those that can be left out are there.
fn full() -> Value {
    let mut value = json!({
        "time": 5, "end": "decided", "turn": 2, "agent_id": "main", "tool_name": "Bash", "tool_use_id": "t1",
        "report": {
            "step_id": "step-1", "event": "pre_tool_use", "session_id": "session-1", "generation": 3,
            "config_hash": format!("sha256:{}", "0a".repeat(32)), "decision": "deny", "by": ["b", "a"],
            "reason": "no", "reason_code": "policy_violation", "patched": ["tool_input"],
            "final": {"tool_input": {"command": "ls"}}, "answer": null, "context": ["c"], "messages": ["m"],
            "contributions": [], "annotations": {"k": 1}, "payload": {"p": 2.5},
            "votes": [
                {"hook": "b", "kind": "builtin", "mode": "enforce", "round": 1, "outcome": "verdict",
                 "decision": "deny", "reason": "no", "failure": null, "detail": null, "waited_us": 3, "duration_us": 7},
                {"hook": "z", "kind": "command", "layers": 2, "mode": "enforce", "round": 2,
                 "outcome": "failed", "decision": null, "reason": null, "rewrote": true, "added_context": true,
                 "failure": "timeout", "detail": "late"},
            ],
            "duration_us": 9, "envelope": {"tool_input": {"command": "rm"}},
        },
    });
    // One literal cannot hold more.
    value["report"]["failed_required"] =
        json!([{"hook": "q", "class": "timeout", "cause": "late"}]);
    value["report"]["undelivered"] = json!(["b"]);
    value["report"]["votes"][1]["failed_attempts"] = json!(["spawn"]);
    value["report"]["votes"][1]["fallback"] = json!(true);
    value
}

fn record(value: &Value) -> Record {
    Record::from_json(value.to_string().as_bytes()).unwrap()
}

fn read(row: &Row) -> (Map<String, Value>, Map<String, Value>) {
    let object = |text: &str| serde_json::from_str(text).unwrap();
    (object(&row.text), row.body.as_ref().map(|body| object(&body.text)).unwrap_or_default())
}

/// Returns the names of the fields that a type can be read with, as an error tells them.
fn fields<'de, T: Deserialize<'de>>() -> Vec<String> {
    let error = T::deserialize(json!({"": 0}).as_object().unwrap().clone()).err().unwrap();
    let names = error.to_string();
    let (_, names) = names.split_once("expected one of").unwrap();
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn text_and_body_have_together_what_a_record_has() {
    for value in [full(), json!({"end": "dropped", "report": {"votes": []}})] {
        let mut whole = full();
        let report = value["report"].as_object().unwrap().clone();
        whole["end"] = value["end"].clone();
        whole["report"].as_object_mut().unwrap().extend(report);
        let record = record(&whole);
        let row = RowWriter::new(EnvelopeMode::Full).step(record.clone()).unwrap();
        let (text, body) = read(&row);
        assert_eq!(row.keys, Keys::of(&text), "the columns are what the text says");
        for key in BODY {
            assert!(
                !text["report"].as_object().unwrap().contains_key(*key),
                "{key} lies in the body"
            );
        }
        for attempt in [1, 2] {
            let read = read_step(&row.text(attempt), body.clone()).unwrap();
            assert_eq!(read.unwrap(), record);
        }
    }
}

#[test]
fn no_field_of_a_record_is_forgotten() {
    let row = RowWriter::new(EnvelopeMode::Full).step(record(&full())).unwrap();
    let (text, body) = read(&row);
    let report = text["report"].as_object().unwrap();
    let vote = text["report"]["votes"].as_array().unwrap();
    for field in fields::<Record>() {
        assert!(text.contains_key(&field), "{field}");
    }
    // These are empty above: what is in them is of other types.
    let empty = ["answer", "contributions", "published"];
    for field in fields::<Report>() {
        let is_there = report.contains_key(&field) || body.contains_key(&field);
        assert!(is_there || empty.contains(&field.as_str()), "{field}");
    }
    for field in fields::<hookgate::decision::Vote>() {
        let is_there = vote.iter().any(|vote| vote.as_object().unwrap().contains_key(&field));
        assert!(is_there || VOTE.contains(&field.as_str()), "{field}");
    }
}

#[test]
fn an_answer_contributions_and_published_patches_lie_in_the_body() {
    let mut value = full();
    value["report"]["answer"] = json!({"content": "done", "is_error": true});
    value["report"]["contributions"] =
        json!([{"kind": "audit", "event_kind": "read", "details": null, "safe_for_user": true}]);
    value["report"]["published"] = json!([
        {"revision": 1, "hook": "b", "event": "pre_tool_use", "patch": {"tool_input": {}}, "time": 4}
    ]);
    let record = self::record(&value);
    let row = RowWriter::new(EnvelopeMode::Full).step(record.clone()).unwrap();
    let (_, body) = read(&row);
    for key in ["answer", "contributions", "published"] {
        assert!(body.contains_key(key), "{key}");
    }
    assert_eq!(read_step(&row.text(1), body).unwrap().unwrap(), record);
}
