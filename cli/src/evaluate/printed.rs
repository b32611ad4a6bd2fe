//! The figures for people.

use std::fmt::Write as _;
use std::sync::Arc;

use comfy_table::{Cell, Color};

use crate::colour::{BAD, BOLD, DIM, GOOD};
use crate::evaluate::case::Case;
use crate::evaluate::figures::Figures;
use crate::evaluate::gates::Gate;
use crate::evaluate::label::Label;
use crate::evaluate::session::Session;
use crate::table::{self, To};

/// How many misjudged steps are shown.
const SHOWN: usize = 20;

/// A share, as a person reads it.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(undefined, |share| format!("{:.1} %", share * 100.0))
}

/// A number with two digits.
pub(crate) fn number(number: Option<f64>) -> String {
    number.map_or_else(undefined, |number| format!("{number:.2}"))
}

/// A time in milliseconds.
pub(crate) fn millis(millis: Option<f64>) -> String {
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

/// The figures in words: name, value, what it means.
pub(crate) fn rows(figures: &Figures) -> Vec<(&'static str, String, &'static str)> {
    let interval = figures
        .kappa_interval
        .map_or_else(String::new, |(low, high)| format!(", 95 % interval {low:.2} to {high:.2}"));
    let mut rows = vec![
        ("accuracy", percent(figures.accuracy), "came to exactly the label"),
        ("precision", percent(figures.precision), "of the stopped, those that should be"),
        ("recall", percent(figures.recall), "of those to stop, the stopped"),
        (
            "false positives",
            percent(figures.false_positive_rate),
            "of those to let run, the stopped",
        ),
        ("kappa", format!("{}{interval}", number(figures.kappa)), "agreement beyond chance"),
    ];
    if figures.flip_rate.is_some() {
        let meaning = "of the steps, those whose repeats differ";
        rows.push(("flip rate", percent(figures.flip_rate), meaning));
    }
    let latency = figures.latency;
    let times = format!("p50 {}, p95 {}", millis(latency.p50_ms), millis(latency.p95_ms));
    rows.push(("latency", times, "of one judgement"));
    if figures.calls > 0 || !figures.models.is_empty() {
        let tokens = format!("{} in, {} out", figures.prompt_tokens, figures.completion_tokens);
        rows.push(("tokens", tokens, "of all calls"));
        rows.push(("calls", figures.calls.to_string(), "to the model"));
        rows.push(("cost", format!("{:.4}", figures.cost), "by the prices in the config"));
    }
    rows.push(("failures", failures(figures), "counted as the posture says"));
    if figures.not_asked > 0 {
        let meaning = "the conditions of the hook did not match";
        rows.push(("not asked", figures.not_asked.to_string(), meaning));
    }
    rows
}

fn failures(figures: &Figures) -> String {
    if figures.failures.is_empty() {
        return "none".to_owned();
    }
    let classes: Vec<_> =
        figures.failures.iter().map(|(class, times)| format!("{times} {class}")).collect();
    let counted: Vec<_> = figures
        .failures_counted_as
        .iter()
        .map(|(label, times)| format!("{times} as {}", label.name()))
        .collect();
    format!(
        "{} of {}: {} ({})",
        figures.failed(),
        figures.judgements,
        classes.join(", "),
        counted.join(", ")
    )
}

/// Who was measured, on what.
pub(crate) fn heading(figures: &Figures) -> String {
    let models: Vec<_> = figures.models.iter().map(String::as_str).collect();
    let by = if models.is_empty() { String::new() } else { format!(" ({})", models.join(", ")) };
    let replayed = if figures.replayed { ", from a record" } else { "" };
    let times = if figures.repeats > 1 {
        format!(", {} times each", figures.repeats)
    } else {
        String::new()
    };
    format!("{}{by} on {} steps{times}{replayed}", figures.hook, figures.steps)
}

/// The figures, the confusion matrix and the gates.
pub(crate) fn figures(figures: &Figures, gates: &[Gate]) -> String {
    let mut out = format!("{BOLD}{}{BOLD:#}\n\n", heading(figures));
    // Writing to a string does not fail.
    for (name, value, meaning) in rows(figures) {
        let _ = writeln!(out, "  {name:<16} {value:<44} {DIM}{meaning}{DIM:#}");
    }
    let mut matrix = table::new(To::Stdout, &["label", "came to deny", "ask", "allow"]);
    for label in Label::ALL {
        let mut row = vec![Cell::new(label.name())];
        for outcome in Label::ALL {
            let count = figures.confusion.get(&label).and_then(|row| row.get(&outcome));
            let count = count.copied().unwrap_or_default();
            let cell = Cell::new(count);
            row.push(match (count, label == outcome) {
                (0, _) => table::dim(count),
                (_, true) => cell.fg(Color::Green),
                (_, false) => cell.fg(Color::Red),
            });
        }
        matrix.add_row(row);
    }
    let _ = writeln!(out, "\n{matrix}\n");
    for gate in gates {
        let (style, word) = if gate.holds { (GOOD, "holds") } else { (BAD, "fails") };
        let found = number(gate.found);
        let _ =
            writeln!(out, "  {style}{word}{style:#} --{} {}: found {found}", gate.gate, gate.bound);
    }
    out
}

/// The steps that came to something other than their label.
pub(crate) fn misjudged(cases: &[Arc<Case>], labels: &[Label], session: &Session) -> String {
    let mut out = String::new();
    let mut wrong = 0;
    for ((case, label), trials) in cases.iter().zip(labels).zip(&session.trials) {
        let Some(trial) = trials.iter().find(|trial| Label::from(trial.outcome) != *label) else {
            continue;
        };
        wrong += 1;
        if wrong > SHOWN {
            continue;
        }
        let came = Label::from(trial.outcome).name();
        let failed = trial.entry.failure.map_or_else(String::new, |class| format!(" ({class})"));
        let _ = writeln!(
            out,
            "  {} came to {BAD}{came}{BAD:#}{failed}: {}",
            label.name(),
            case.shown()
        );
    }
    if wrong == 0 {
        return String::new();
    }
    let more =
        if wrong > SHOWN { format!("  … and {} more\n", wrong - SHOWN) } else { String::new() };
    format!("\n{BOLD}Misjudged: {wrong} of {}{BOLD:#}\n{out}{more}", labels.len())
}
