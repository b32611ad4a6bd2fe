//! For people.

use crate::commands::test::case_run::{CaseRun, Status};
use crate::commands::test::coverage::Coverage;
use crate::commands::test::outcome::TestOutcome;
use crate::terminal::phrase::{count, duration};
use crate::terminal::sanitize::line;
use crate::terminal::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD};

/// Returns the cases that did not pass, the coverage, and the numbers.
pub(super) fn text(outcome: &TestOutcome) -> String {
    let mut text: String =
        outcome.runs.iter().filter(|run| run.status != Status::Passed).map(case).collect();
    if let Some(coverage) = &outcome.coverage {
        text += &covered(coverage);
    }
    text + &summary(outcome)
}

fn case(run: &CaseRun) -> String {
    let (style, label) = match run.status {
        Status::Passed => (GOOD, "PASS"),
        Status::Failed => (BAD, "FAIL"),
        Status::Skipped => (DIM, "SKIP"),
        Status::Todo => (DOUBTFUL, "TODO"),
    };
    let place = line(&format!("{}:{}", run.file, run.line));
    let why = run.why.as_ref().map(|why| format!(": {}", line(why))).unwrap_or_default();
    let mut text = format!(
        "{style}{label}{style:#}  {BOLD}{}{BOLD:#}{why}  {DIM}{place}{DIM:#}\n",
        line(&run.name)
    );
    for (step, difference) in &run.differences {
        let at = if run.steps > 1 { format!("step {step}: ") } else { String::new() };
        text += &format!(
            "      {at}{}: expected {GOOD}{}{GOOD:#}, got {BAD}{}{BAD:#}\n",
            difference.what,
            line(&difference.expected),
            line(&difference.got)
        );
    }
    text
}

fn covered(coverage: &Coverage) -> String {
    let width = coverage.hooks.iter().map(|hook| hook.id.chars().count()).max().unwrap_or(0);
    let mut text =
        format!("{BOLD}coverage{BOLD:#}  {:.0} % of the hooks were called\n", coverage.percent);
    for hook in &coverage.hooks {
        let (style, what) = match (hook.called, hook.acted) {
            (0, _) => (BAD, "never called".to_owned()),
            (called, 0) => (DOUBTFUL, format!("called in {}, never acted", count(called, "case"))),
            (called, acted) => {
                (GOOD, format!("called in {}, acted in {acted}", count(called, "case")))
            }
        };
        text += &format!("  {:<width$}  {style}{what}{style:#}\n", line(&hook.id));
    }
    text
}

fn summary(outcome: &TestOutcome) -> String {
    let mut parts = Vec::new();
    for (status, style) in [
        (Status::Passed, GOOD),
        (Status::Failed, BAD),
        (Status::Skipped, DIM),
        (Status::Todo, DOUBTFUL),
    ] {
        let number = outcome.count(status);
        if number > 0 || status == Status::Passed {
            parts.push(format!("{style}{number} {}{style:#}", status.name()));
        }
    }
    let millis = u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX).max(1);
    let took = duration(std::time::Duration::from_millis(millis));
    let seed = outcome.seed.map(|seed| format!(", --shuffle={seed}")).unwrap_or_default();
    format!("{}  {DIM}in {took}{seed}{DIM:#}\n", parts.join(", "))
}
