//! Real sessions, read from `../shared/corpus` if it is there: what is taken for a secret in them
//! is one, or looks exactly like one.

use std::path::Path;

use hookgate_contract::payload::{PostToolUse, ToolCall};
use serde_json::{Value, json};

use crate::support::{build, invoke};

/// In 1,899 steps of work on a web application.
const MOST: u64 = 2;

#[test]
fn in_real_sessions_hardly_anything_is_taken_for_a_secret() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(files) = std::fs::read_dir(&folder) else {
        hookgate_test_support::needs::ignored("../shared/corpus is not there");
        return;
    };
    let built = build("redact_secrets", &json!({})).unwrap();
    let (mut total, mut steps) = (0, 0);
    for file in
        files.flatten().filter(|file| file.path().extension().is_some_and(|it| it == "jsonl"))
    {
        let text = std::fs::read_to_string(file.path()).unwrap();
        for line in text.lines() {
            steps += 1;
            let step: Value = serde_json::from_str(line).unwrap();
            let verdict =
                invoke(&built, &PostToolUse::new(ToolCall::new("x", json!({})), step.clone()))
                    .unwrap();
            let Some(parts) = verdict.parts() else { continue };
            total += parts.annotations["redacted"].as_u64().unwrap();
            differences(&step, &parts.patch["tool_response"]);
        }
    }
    eprintln!("{total} redactions in {steps} steps");
    assert!(steps > 1000 && total <= MOST, "{total} redactions in {steps} steps");
}

/// Prints what was redacted, with a little around it.
fn differences(before: &Value, after: &Value) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            if a.len() == b.len() && a.keys().ne(b.keys()) {
                eprintln!("keys: {:?}", b.keys().collect::<Vec<_>>());
            }
            a.iter()
                .filter_map(|(key, value)| Some((value, b.get(key)?)))
                .for_each(|(a, b)| differences(a, b));
        }
        (Value::Array(a), Value::Array(b)) => a.iter().zip(b).for_each(|(a, b)| differences(a, b)),
        (Value::String(a), Value::String(b)) if a != b => {
            let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let around = |text: &str| {
                text.chars().skip(common.saturating_sub(60)).take(120).collect::<String>()
            };
            eprintln!("{:?}\n  became {:?}", around(a), around(b));
        }
        (a, b) if a != b => eprintln!("{a} -> {b}"),
        _ => {}
    }
}
