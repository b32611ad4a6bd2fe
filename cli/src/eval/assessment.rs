//! A run of a gold set, compared with its labels.
//!
//! The comparison is made once, when the [`Assessment`] is made; the reports only show it.

use serde::Serialize;

use crate::eval::gold::{GoldSample, GoldSet};
use crate::eval::metrics::Metrics;
use crate::eval::runner::EvaluationRun;
use crate::eval::thresholds::{ThresholdResult, Thresholds};
use crate::eval::trial::Trial;

/// The share of calls that may fail before the figures of a hook mean little.
pub const MAX_FAILURES: f64 = 0.1;

/// A run of a gold set, compared with its labels, and the reports about it.
///
/// As JSON it is what `hookgate judge eval --json` prints: the metrics, and `gates` with the result
/// of each threshold. See the [crate](crate) for an example.
#[derive(Debug, Clone, Serialize)]
pub struct Assessment {
    #[serde(flatten)]
    metrics: Metrics,
    #[serde(rename = "gates")]
    thresholds: Vec<ThresholdResult>,
    /// When it was made. It is not a part of the JSON: replayed replies give the same figures every day.
    #[serde(skip)]
    date: String,
    #[serde(skip)]
    gold: GoldSet,
    #[serde(skip)]
    run: EvaluationRun,
}

impl Assessment {
    /// Compares a run of the samples of a gold set with its labels.
    #[must_use]
    pub fn new(gold: &GoldSet, run: EvaluationRun, thresholds: &Thresholds) -> Self {
        let metrics = Metrics::new(&run, gold.labels());
        let thresholds = thresholds.check(&metrics);
        Self { metrics, thresholds, date: String::new(), gold: gold.clone(), run }
    }

    /// Sets when it was made, as the reports are to show it.
    #[must_use]
    pub fn dated(mut self, date: impl Into<String>) -> Self {
        self.date = date.into();
        self
    }

    /// Returns when it was made, if that was said.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Returns what was measured.
    #[must_use]
    pub const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the result of each threshold that is set.
    #[must_use]
    pub fn thresholds(&self) -> &[ThresholdResult] {
        &self.thresholds
    }

    /// Whether all thresholds hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.thresholds.iter().all(|threshold| threshold.holds)
    }

    /// Returns the run.
    #[must_use]
    pub const fn run(&self) -> &EvaluationRun {
        &self.run
    }

    /// Returns the labelled steps with their trials.
    pub fn steps(&self) -> impl Iterator<Item = (&GoldSample, &[Trial])> {
        self.gold.gold_samples().iter().zip(self.run.trials.iter().map(Vec::as_slice))
    }

    /// Returns the steps that came to something other than their label, with their trials and the
    /// first of these that differs. A step is misjudged if any of its repeats is.
    pub fn misjudged(&self) -> impl Iterator<Item = (&GoldSample, &[Trial], &Trial)> {
        self.steps().filter_map(|(gold, trials)| {
            let wrong = trials.iter().find(|trial| trial.label() != gold.label)?;
            Some((gold, trials, wrong))
        })
    }

    /// Says that so many calls failed that the other figures say little about the hook: more than the bound, or
    /// without one more than a tenth.
    pub(crate) fn broken(&self) -> Option<String> {
        let metrics = &self.metrics;
        let bound = self.thresholds.iter().find(|threshold| threshold.name == "max-failures");
        let bound = bound.map_or(MAX_FAILURES, |threshold| threshold.bound);
        if metrics.failure_share().is_none_or(|share| share <= bound) {
            return None;
        }
        let classes: Vec<String> =
            metrics.failures.iter().map(|(class, count)| format!("{class} {count}")).collect();
        Some(format!(
            "{} of {} evaluations failed ({}): the figures are those of the posture, not of the judge",
            metrics.failed(),
            metrics.trials,
            classes.join(", ")
        ))
    }

    /// Returns sentences about what makes the metrics mean less than they seem to: the hook was never
    /// invoked, every call failed, or the labels are all of one kind.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.run.was_invoked() {
            warnings.push(
                "the hook was invoked for none of the steps: its conditions match none".to_owned(),
            );
        }
        warnings.extend(self.broken());
        let has_label = |stops| self.gold.labels().any(|label| label.stops() == stops);
        if !has_label(true) || !has_label(false) {
            warnings.push(
                "the gold set needs steps to stop and steps to let run: without both, a judge \
                 that does not look is perfect"
                    .to_owned(),
            );
        }
        warnings
    }
}
