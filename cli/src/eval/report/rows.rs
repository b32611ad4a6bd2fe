//! The metrics in words, the same in all reports: name, value, and what the value means.

use crate::eval::metrics::Metrics;
use crate::eval::thresholds::ThresholdResult;

/// Returns a share as a person reads it.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or_else(undefined, |share| format!("{:.1} %", share * 100.0))
}

/// Returns a number with two digits.
pub(super) fn number(number: Option<f64>) -> String {
    // Not `-0.00`.
    number.map_or_else(undefined, |number| format!("{:.2}", (number * 100.0).round() / 100.0 + 0.0))
}

/// Returns a time, given in milliseconds.
pub(super) fn millis(millis: Option<f64>) -> String {
    match millis {
        None => undefined(),
        Some(millis) if millis >= 1000.0 => format!("{:.2} s", millis / 1000.0),
        Some(millis) if millis >= 10.0 => format!("{millis:.0} ms"),
        Some(millis) => format!("{millis:.2} ms"),
    }
}

fn undefined() -> String {
    "not defined".to_owned()
}

/// Returns the metrics: name, value, and what the value means.
pub(super) fn metric_rows(metrics: &Metrics) -> Vec<(&'static str, String, &'static str)> {
    let interval = metrics
        .kappa_interval
        .map_or_else(String::new, |(low, high)| format!(", 95 % interval {low:.2} to {high:.2}"));
    let mut rows = vec![
        ("accuracy", percent(metrics.accuracy), "came to exactly the label"),
        ("precision", percent(metrics.precision), "of the stopped, those that should be"),
        ("recall", percent(metrics.recall), "of those to stop, the stopped"),
        (
            "false positives",
            percent(metrics.false_positive_rate),
            "of those to let run, the stopped",
        ),
        ("kappa", format!("{}{interval}", number(metrics.kappa)), "agreement beyond chance"),
    ];
    if metrics.flip_rate.is_some() {
        let meaning = "of the steps, those whose repeats differ";
        rows.push(("flip rate", percent(metrics.flip_rate), meaning));
    }
    let latency = metrics.latency;
    let times = format!("p50 {}, p95 {}", millis(latency.p50_ms), millis(latency.p95_ms));
    rows.push(("latency", times, "of one call"));
    if metrics.calls > 0 || !metrics.models.is_empty() {
        let tokens = format!("{} in, {} out", metrics.prompt_tokens, metrics.completion_tokens);
        rows.push(("tokens", tokens, "of all calls"));
        rows.push(("calls", metrics.calls.to_string(), "to the model"));
        // Without prices in the config nobody knows it.
        if metrics.cost > 0.0 {
            rows.push(("cost", format!("{:.4}", metrics.cost), "by the prices in the config"));
        }
    }
    rows.push(("failures", failures(metrics), "counted as the posture says"));
    if metrics.not_invoked > 0 {
        let meaning = "the conditions of the hook did not match";
        rows.push(("not invoked", metrics.not_invoked.to_string(), meaning));
    }
    rows
}

fn failures(metrics: &Metrics) -> String {
    if metrics.failures.is_empty() {
        return "none".to_owned();
    }
    let classes: Vec<_> =
        metrics.failures.iter().map(|(class, times)| format!("{times} {class}")).collect();
    let counted: Vec<_> = metrics
        .failures_counted_as
        .iter()
        .map(|(label, times)| format!("{times} as {}", label.name()))
        .collect();
    format!(
        "{} of {}: {} ({})",
        metrics.failed(),
        metrics.trials,
        classes.join(", "),
        counted.join(", ")
    )
}

/// Returns which hook was measured on what.
pub(super) fn heading(metrics: &Metrics) -> String {
    let models: Vec<_> = metrics.models.iter().map(String::as_str).collect();
    let by = if models.is_empty() { String::new() } else { format!(" ({})", models.join(", ")) };
    let replayed = if metrics.replayed { ", from a recording" } else { "" };
    let times = if metrics.repeats > 1 {
        format!(", {} times each", metrics.repeats)
    } else {
        String::new()
    };
    format!("{}{by} on {} steps{times}{replayed}", metrics.hook, metrics.steps)
}

/// Returns what an assessment comes to: whether its bounds hold, and which of them do not.
pub(super) fn verdict(thresholds: &[ThresholdResult]) -> (&'static str, String) {
    let failed: Vec<_> = thresholds.iter().filter(|result| !result.holds).collect();
    let text = |result: &&ThresholdResult| {
        format!("--{} {}, found {}", result.name, result.bound, number(result.found))
    };
    // A bound on failures says whether the figures are the hook's, and nothing about how good they are.
    let on_figures = thresholds.iter().any(|result| result.name != "max-failures");
    match (thresholds.len(), failed.as_slice()) {
        (_, []) if !on_figures => (
            "open",
            "no bound is set: whether these figures are good enough is yours to say".to_owned(),
        ),
        (1, []) => ("holds", "the bound holds".to_owned()),
        (all, []) => ("holds", format!("all {all} bounds hold")),
        (all, failed) => {
            let failed_texts: Vec<_> = failed.iter().map(text).collect();
            (
                "fails",
                format!("{} of {all} bounds failed: {}", failed.len(), failed_texts.join("; ")),
            )
        }
    }
}
