//! The report for a terminal or a log.
//!
//! Texts of steps are made safe by [`Sample::summary`](crate::eval::Sample::summary); the styles of the
//! [`Theme`] are the only escape sequences.

use std::fmt::{self, Write as _};

use hookgate::contract::visible;

use super::rows::{heading, metric_rows, number, verdict};
use super::{Cases, REASON, Theme};
use crate::eval::assessment::Assessment;
use crate::eval::label::Label;
use crate::eval::metrics::Metrics;
use crate::eval::thresholds::ThresholdResult;

/// How many misjudged steps are shown.
const SHOWN: usize = 20;

/// Returns the report.
pub(super) fn render(assessment: &Assessment, theme: &Theme, cases: Cases) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_report(assessment, theme, cases, &mut out);
    out
}

fn write_report(
    assessment: &Assessment,
    theme: &Theme,
    cases: Cases,
    out: &mut String,
) -> fmt::Result {
    let metrics = assessment.metrics();
    let Theme { heading: bold, dim, .. } = theme;
    writeln!(out, "{bold}{}{bold:#}", heading(metrics))?;
    if let Some(broken) = assessment.broken() {
        writeln!(out, "{}{broken}{:#}", theme.bad, theme.bad)?;
    }
    let (state, verdict) = verdict(assessment.thresholds());
    let style = match state {
        "holds" => theme.good,
        "fails" => theme.bad,
        _ => theme.dim,
    };
    writeln!(out, "{style}{verdict}{style:#}\n")?;
    for (name, value, meaning) in metric_rows(metrics) {
        writeln!(out, "  {name:<16} {value:<44} {dim}{meaning}{dim:#}")?;
    }
    write_matrix(metrics, theme, out)?;
    for result in assessment.thresholds() {
        write_threshold(result, theme, out)?;
    }
    match cases {
        Cases::Misjudged => write_misjudged(assessment, theme, out),
        Cases::All => write_all(assessment, theme, out),
    }
}

fn write_matrix(metrics: &Metrics, theme: &Theme, out: &mut String) -> fmt::Result {
    let Theme { heading: bold, dim, good, bad } = theme;
    writeln!(out, "\n  {bold}label   came to deny     ask   allow{bold:#}")?;
    for label in Label::ALL {
        write!(out, "  {label:<7}")?;
        for (outcome, width) in Label::ALL.into_iter().zip([13, 8, 8]) {
            let count = metrics.confusion_count(label, outcome);
            let style = match (count, label == outcome) {
                (0, _) => dim,
                (_, true) => good,
                (_, false) => bad,
            };
            write!(out, "{style}{count:>width$}{style:#}")?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

fn write_threshold(result: &ThresholdResult, theme: &Theme, out: &mut String) -> fmt::Result {
    let (style, holds) = if result.holds { (theme.good, "holds") } else { (theme.bad, "fails") };
    let (name, bound, found) = (result.name, result.bound, number(result.found));
    writeln!(out, "  {style}{holds}{style:#} --{name} {bound}: found {found}")
}

fn write_misjudged(assessment: &Assessment, theme: &Theme, out: &mut String) -> fmt::Result {
    let (bold, bad) = (theme.heading, theme.bad);
    let wrong: Vec<_> = assessment.misjudged().collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let steps = assessment.metrics().steps;
    writeln!(out, "\n{bold}Misjudged: {} of {steps}{bold:#}", wrong.len())?;
    for (gold, _, trial) in wrong.iter().take(SHOWN) {
        let failed = trial.reply.failure.map_or_else(String::new, |class| format!(" ({class})"));
        let (label, outcome, step) = (gold.label, trial.label(), gold.sample.summary());
        writeln!(out, "  {label} came to {bad}{outcome}{bad:#}{failed}: {step}")?;
    }
    if wrong.len() > SHOWN {
        writeln!(out, "  … and {} more", wrong.len() - SHOWN)?;
    }
    Ok(())
}

fn write_all(assessment: &Assessment, theme: &Theme, out: &mut String) -> fmt::Result {
    let Theme { heading: bold, dim, good, bad } = theme;
    writeln!(out, "\n{bold}All {} steps{bold:#}", assessment.metrics().steps)?;
    for (gold, trials) in assessment.steps() {
        for trial in trials {
            let (label, outcome, step) = (gold.label, trial.label(), gold.sample.summary());
            let style = if label == outcome { good } else { bad };
            writeln!(out, "  {label} came to {style}{outcome}{style:#}: {step}")?;
            let failed = trial.reply.failure.map(|class| format!("failed: {class}"));
            if let Some(reason) = failed.as_ref().or(trial.reply.reason.as_ref()) {
                writeln!(out, "    {dim}{}{dim:#}", visible::line(reason, REASON))?;
            }
        }
    }
    Ok(())
}
