//! Promise: the guardrails of the examples evaluate a whole real session, and quickly.

use std::time::{Duration, Instant};

use crate::recorded::corpus;
use crate::support::{Folder, repository};

#[test]
fn a_session_of_704_steps_is_evaluated() {
    let Some(session) = corpus(&repository(), "session-a.steps.jsonl") else { return };
    let config = repository().join("examples/guardrails/hooks.toml");
    let started = Instant::now();
    let args = ["run", "-c", config.to_str().unwrap(), session.to_str().unwrap()];
    let ended = Folder::new().run(&args, "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    let records = ended.lines();
    assert_eq!(records.len(), 704);
    for (index, record) in records.iter().enumerate() {
        assert_eq!(record["step_id"], format!("step-{index:05}"));
        let votes = record["votes"].as_array().unwrap();
        // A few globs may take in a file with secrets, and that is asked about.
        let whole =
            |vote: &serde_json::Value| matches!(vote["failure"].as_str(), None | Some("unclear"));
        assert!(votes.iter().all(whole), "{record}");
    }
    assert!(records.iter().any(|record| record["decision"] == "ask"));
    assert!(ended.err().contains("704 steps"), "{}", ended.err());
}
