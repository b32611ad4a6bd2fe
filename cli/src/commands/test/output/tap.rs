//! The Test Anything Protocol, version 14.

use serde_json::Value;

use crate::commands::test::case_run::{CaseRun, Status};
use crate::commands::test::outcome::TestOutcome;
use crate::terminal::sanitize::line;

/// Returns the lines.
pub(super) fn text(outcome: &TestOutcome) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", outcome.runs.len());
    for (index, run) in outcome.runs.iter().enumerate() {
        text += &case(index + 1, run);
    }
    text
}

fn case(number: usize, run: &CaseRun) -> String {
    let is_ok = matches!(run.status, Status::Passed | Status::Skipped);
    let result = if is_ok { "ok" } else { "not ok" };
    let name = line(&run.name).replace('\\', "\\\\").replace('#', "\\#");
    let why = run.why.as_ref().map(|why| format!(" {}", line(why))).unwrap_or_default();
    let directive = match run.status {
        Status::Skipped => format!(" # SKIP{why}"),
        Status::Todo => format!(" # TODO{why}"),
        Status::Passed | Status::Failed => String::new(),
    };
    let mut text = format!("{result} {number} - {name}{directive}\n");
    if !run.differences.is_empty() {
        let at = Value::from(format!("{}:{}", run.file, run.line));
        text += &format!("  ---\n  at: {at}\n  differences:\n");
        for (step, difference) in &run.differences {
            // JSON texts are YAML texts.
            let (expected, got) =
                (Value::from(difference.expected.as_str()), Value::from(difference.got.as_str()));
            text += &format!(
                "    - {{step: {step}, what: {}, expected: {expected}, got: {got}}}\n",
                difference.what
            );
        }
        text += "  ...\n";
    }
    text
}
