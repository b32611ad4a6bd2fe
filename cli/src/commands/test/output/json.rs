//! JSON lines.

use serde_json::{Value, json};

use crate::commands::test::case_run::{CaseRun, Status};
use crate::commands::test::outcome::TestOutcome;

/// Returns a record for each case, and one for all of them.
pub(super) fn records(outcome: &TestOutcome) -> Vec<Value> {
    let mut records: Vec<Value> = outcome.runs.iter().map(case).collect();
    let mut summary = json!({
        "type": "summary",
        "passed": outcome.count(Status::Passed),
        "failed": outcome.count(Status::Failed),
        "skipped": outcome.count(Status::Skipped),
        "todo": outcome.count(Status::Todo),
        "duration_us": micros(outcome.duration),
    });
    if let Some(map) = summary.as_object_mut() {
        if let Some(seed) = outcome.seed {
            map.insert("seed".to_owned(), seed.into());
        }
        if let Some(coverage) = &outcome.coverage {
            map.insert("coverage".to_owned(), json!(coverage));
        }
    }
    records.push(summary);
    records
}

fn case(run: &CaseRun) -> Value {
    let differences: Vec<Value> = run
        .differences
        .iter()
        .map(|(step, difference)| {
            json!({"step": step, "what": difference.what, "expected": difference.expected, "got": difference.got})
        })
        .collect();
    let last = run.reports.last();
    json!({
        "type": "case",
        "file": run.file,
        "line": run.line,
        "name": run.name,
        "round": run.round,
        "status": run.status.name(),
        "why": run.why,
        "decision": last.map(|report| report.decision),
        "by": last.map(|report| &report.by),
        "differences": differences,
        "duration_us": micros(run.duration),
    })
}

fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
