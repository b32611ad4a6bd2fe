//! What a server counts, and how OpenMetrics writes it.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::error::Code;
use super::verdict::Verdict;

/// The bounds of the durations, in seconds, each with its text.
const BOUNDS: [(f64, &str); 8] = [
    (0.0001, "0.0001"),
    (0.0005, "0.0005"),
    (0.001, "0.001"),
    (0.01, "0.01"),
    (0.1, "0.1"),
    (1.0, "1.0"),
    (10.0, "10.0"),
    (60.0, "60.0"),
];

/// What a server counts from its beginning on.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    verdicts: [AtomicU64; Verdict::ALL.len()],
    errors: [AtomicU64; Code::ALL.len()],
    observed: AtomicU64,
    /// Overrides that were refused.
    refused: AtomicU64,
    /// Decisions that subscribers have not got.
    lost: AtomicU64,
    durations: [AtomicU64; BOUNDS.len()],
    judged: AtomicU64,
    micros: AtomicU64,
}

// ORDERING: figures for people; nothing is decided by them.
const ANY: Ordering = Ordering::Relaxed;

impl Counts {
    pub(super) fn judged(&self, verdict: Verdict, took: Duration) {
        count(&self.verdicts, &Verdict::ALL, verdict);
        self.judged.fetch_add(1, ANY);
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), ANY);
        let seconds = took.as_secs_f64();
        for ((bound, _), bucket) in BOUNDS.iter().zip(&self.durations) {
            if seconds <= *bound {
                bucket.fetch_add(1, ANY);
            }
        }
    }

    pub(super) fn observed(&self) {
        self.observed.fetch_add(1, ANY);
    }

    pub(super) fn failed(&self, code: Code) {
        count(&self.errors, &Code::ALL, code);
        if code == Code::OverrideRefused {
            self.refused.fetch_add(1, ANY);
        }
    }

    pub(super) fn lost(&self, decisions: u64) {
        self.lost.fetch_add(decisions, ANY);
    }

    /// Returns how many overrides were refused.
    pub(super) fn refusals(&self) -> u64 {
        self.refused.load(ANY)
    }

    /// Writes all of it as OpenMetrics, with gauges of the moment.
    pub(super) fn open_metrics(&self, gauges: &[(&str, u64)]) -> String {
        let mut text = String::new();
        family(&mut text, "hookgate_verdicts", "counter");
        for (verdict, counted) in Verdict::ALL.iter().zip(&self.verdicts) {
            row(
                &mut text,
                "hookgate_verdicts_total",
                &format!("verdict=\"{}\"", verdict.name()),
                counted.load(ANY),
            );
        }
        family(&mut text, "hookgate_errors", "counter");
        for (code, counted) in Code::ALL.iter().zip(&self.errors) {
            row(
                &mut text,
                "hookgate_errors_total",
                &format!("name=\"{}\"", code.name()),
                counted.load(ANY),
            );
        }
        for (name, counted) in
            [("hookgate_observed", &self.observed), ("hookgate_decisions_lost", &self.lost)]
        {
            family(&mut text, name, "counter");
            row(&mut text, &format!("{name}_total"), "", counted.load(ANY));
        }
        family(&mut text, "hookgate_judgement_seconds", "histogram");
        let judged = self.judged.load(ANY);
        for ((_, bound), counted) in BOUNDS.iter().zip(&self.durations) {
            row(
                &mut text,
                "hookgate_judgement_seconds_bucket",
                &format!("le=\"{bound}\""),
                counted.load(ANY),
            );
        }
        row(&mut text, "hookgate_judgement_seconds_bucket", "le=\"+Inf\"", judged);
        let sum = Duration::from_micros(self.micros.load(ANY)).as_secs_f64();
        let _ = writeln!(text, "hookgate_judgement_seconds_sum {sum}");
        row(&mut text, "hookgate_judgement_seconds_count", "", judged);
        for (name, value) in gauges {
            family(&mut text, name, "gauge");
            row(&mut text, name, "", *value);
        }
        text.push_str("# EOF\n");
        text
    }
}

fn count<T: PartialEq>(counted: &[AtomicU64], all: &[T], one: T) {
    let found = all.iter().position(|of| *of == one);
    if let Some(counted) = found.and_then(|at| counted.get(at)) {
        counted.fetch_add(1, ANY);
    }
}

fn family(text: &mut String, name: &str, kind: &str) {
    let _ = writeln!(text, "# TYPE {name} {kind}");
}

fn row(text: &mut String, name: &str, label: &str, value: u64) {
    let _ = match label {
        "" => writeln!(text, "{name} {value}"),
        label => writeln!(text, "{name}{{{label}}} {value}"),
    };
}
