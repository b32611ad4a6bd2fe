//! `JUnit` XML.

use std::time::Duration;

use crate::commands::test::case_run::{CaseRun, Status};
use crate::commands::test::outcome::TestOutcome;

/// Returns the document: a suite for each file, in the order of its first case.
pub(super) fn text(outcome: &TestOutcome) -> String {
    let mut files: Vec<&str> = Vec::new();
    for run in &outcome.runs {
        if !files.contains(&run.file.as_str()) {
            files.push(&run.file);
        }
    }
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hookgate\" {}>\n",
        numbers(&outcome.runs.iter().collect::<Vec<_>>(), outcome.duration)
    );
    for file in files {
        let runs: Vec<&CaseRun> = outcome.runs.iter().filter(|run| run.file == file).collect();
        let took = runs.iter().map(|run| run.duration).sum();
        text += &format!("  <testsuite name=\"{}\" {}>\n", escaped(file), numbers(&runs, took));
        for run in runs {
            text += &case(run);
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

fn numbers(runs: &[&CaseRun], took: Duration) -> String {
    let count = |wanted: &[Status]| runs.iter().filter(|run| wanted.contains(&run.status)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.6}\"",
        runs.len(),
        count(&[Status::Failed]),
        count(&[Status::Skipped, Status::Todo]),
        took.as_secs_f64()
    )
}

fn case(run: &CaseRun) -> String {
    let head = format!(
        "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.6}\"",
        escaped(&run.name),
        escaped(&run.file),
        escaped(&run.file),
        run.line,
        run.duration.as_secs_f64()
    );
    let why = escaped(run.why.as_deref().unwrap_or(run.status.name()));
    match run.status {
        Status::Passed => format!("{head}/>\n"),
        Status::Skipped | Status::Todo => {
            format!("{head}>\n      <skipped message=\"{why}\"/>\n    </testcase>\n")
        }
        Status::Failed => {
            let lines: Vec<String> = run
                .differences
                .iter()
                .map(|(step, difference)| {
                    let (what, expected, got) =
                        (difference.what, &difference.expected, &difference.got);
                    format!("step {step}: {what}: expected {expected}, got {got}")
                })
                .collect();
            let message = escaped(lines.first().map_or("", String::as_str));
            let all = escaped(&lines.join("\n"));
            format!(
                "{head}>\n      <failure message=\"{message}\">{all}</failure>\n    </testcase>\n"
            )
        }
    }
}

/// Returns a text for an attribute or an element. What XML cannot hold is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
