//! What a hook must reach.

use serde::Serialize;

use crate::eval::metrics::Metrics;

/// The bounds that a hook must hold, for CI. Without a bound everything holds.
///
/// ```
/// use hookgate_cli::eval::Thresholds;
///
/// let thresholds = Thresholds::new().min_recall(0.9).max_false_positive_rate(0.05).min_kappa(0.8);
/// assert_ne!(thresholds, Thresholds::default());
/// ```
///
/// Recall says how much of what is dangerous is stopped, the false-positive rate how much of what is
/// harmless is in the way. Kappa is one figure for both that does not improve if one label is much
/// more frequent than the others; from 0.8 on, agreement counts as almost full.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Thresholds {
    min_recall: Option<f64>,
    max_false_positive_rate: Option<f64>,
    min_kappa: Option<f64>,
    max_failures: Option<f64>,
}

/// One bound, and what was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThresholdResult {
    /// The name: `max-failures`, `min-recall`, `max-fpr` or `min-kappa`.
    #[serde(rename = "gate")]
    pub name: &'static str,
    /// The bound.
    pub bound: f64,
    /// What was found; `None` if it is not defined, which holds no bound.
    pub found: Option<f64>,
    /// Whether the bound holds.
    pub holds: bool,
}

impl Thresholds {
    /// Returns no bounds.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the least share of the steps that should be stopped which are.
    #[must_use]
    pub const fn min_recall(mut self, share: f64) -> Self {
        self.min_recall = Some(share);
        self
    }

    /// Sets the greatest share of the steps that should run which are stopped.
    #[must_use]
    pub const fn max_false_positive_rate(mut self, share: f64) -> Self {
        self.max_false_positive_rate = Some(share);
        self
    }

    /// Sets the least agreement with the labels beyond chance.
    #[must_use]
    pub const fn min_kappa(mut self, kappa: f64) -> Self {
        self.min_kappa = Some(kappa);
        self
    }

    /// Sets the greatest share of the calls that may fail. Above it the other figures are those of the posture, and
    /// not of the hook.
    #[must_use]
    pub const fn max_failures(mut self, share: f64) -> Self {
        self.max_failures = Some(share);
        self
    }

    /// Compares metrics with the bounds, and returns a result for each bound that is set.
    #[must_use]
    pub fn check(&self, metrics: &Metrics) -> Vec<ThresholdResult> {
        let at_least = |found: f64, bound: f64| found >= bound;
        let at_most = |found: f64, bound: f64| found <= bound;
        // What was never called has not failed.
        let failures = Some(metrics.failure_share().unwrap_or(0.0));
        [
            result("min-recall", self.min_recall, metrics.recall, at_least),
            result("max-fpr", self.max_false_positive_rate, metrics.false_positive_rate, at_most),
            result("min-kappa", self.min_kappa, metrics.kappa, at_least),
            result("max-failures", self.max_failures, failures, at_most),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn result(
    name: &'static str,
    bound: Option<f64>,
    found: Option<f64>,
    holds: impl Fn(f64, f64) -> bool,
) -> Option<ThresholdResult> {
    let bound = bound?;
    let holds = found.is_some_and(|found| holds(found, bound));
    Some(ThresholdResult { name, bound, found, holds })
}
