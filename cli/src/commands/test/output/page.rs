//! The result as one HTML page.

use std::path::Path;

use crate::abort::Abort;
use crate::commands::test::case_run::{CaseRun, Status};
use crate::commands::test::coverage::{Coverage, Hook};
use crate::commands::test::outcome::TestOutcome;
use crate::html::{self, Cell, Table, View};
use crate::terminal::phrase::count;

/// Writes the page.
pub(in crate::commands::test) fn write_page(
    page: &Path,
    outcome: &TestOutcome,
) -> Result<(), Abort> {
    let counts = [Status::Passed, Status::Failed, Status::Skipped, Status::Todo]
        .map(|status| (outcome.count(status), status.name()));
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, name)| format!("{number} {name}"))
        .collect();
    let lead = match counts.is_empty() {
        true => "no case was run".to_owned(),
        false => format!("{}: {}", count(outcome.runs.len(), "case"), counts.join(", ")),
    };
    let mut runs: Vec<&CaseRun> = outcome.runs.iter().collect();
    // What has to be looked at comes first.
    runs.sort_by_key(|run| run.status != Status::Failed);
    let cases = Table {
        title: "Cases".to_owned(),
        head: vec!["case", "result", "where", "expected and got", "why"],
        rows: runs.into_iter().map(case).collect(),
        ..Table::default()
    };
    let coverage = outcome.coverage.as_ref();
    let called = |coverage: &Coverage| {
        let called = |hook: &Hook| (hook.id.clone(), hook.called as u64);
        html::bars("Called, in cases", &coverage.hooks.iter().map(called).collect::<Vec<_>>())
    };
    let view = View {
        title: "The cases of a policy".to_owned(),
        lead: Some(lead),
        is_wrong: outcome.count(Status::Failed) > 0 || outcome.ran() == 0,
        plots: coverage.and_then(called).into_iter().collect(),
        tables: coverage.map(covered).into_iter().chain([cases]).collect(),
        ..View::default()
    };
    html::write_report(page, view)
}

fn case(run: &CaseRun) -> Vec<Cell> {
    let class = match run.status {
        Status::Passed => "good",
        Status::Failed => "refused",
        Status::Skipped => "dim",
        Status::Todo => "ask",
    };
    let differences = run.differences.iter().map(|(step, difference)| {
        let at = if run.steps > 1 { format!("step {step}: ") } else { String::new() };
        let (what, expected, got) = (&difference.what, &difference.expected, &difference.got);
        format!("{at}{what}: expected {expected}, got {got}")
    });
    vec![
        run.name.clone().into(),
        Cell { class, ..run.status.name().to_owned().into() },
        Cell::dim(format!("{}:{}", run.file, run.line)),
        differences.collect::<Vec<_>>().join("; ").into(),
        run.why.clone().unwrap_or_default().into(),
    ]
}

fn covered(coverage: &Coverage) -> Table {
    let row = |hook: &Hook| {
        let (class, what) = match (hook.called, hook.acted) {
            (0, _) => ("refused", "never called"),
            (_, 0) => ("ask", "never acted"),
            _ => ("good", "covered"),
        };
        vec![
            hook.id.clone().into(),
            Cell { class, ..what.to_owned().into() },
            Cell::number(hook.called as u64),
            Cell::number(hook.acted as u64),
        ]
    };
    Table {
        title: "Coverage".to_owned(),
        note: Some(format!("{:.0} % of the hooks were called", coverage.percent)),
        head: vec!["hook", "state", "called in cases", "acted in cases"],
        rows: coverage.hooks.iter().map(row).collect(),
    }
}
