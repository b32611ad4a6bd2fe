//! What a hook must reach.

use serde::Serialize;

use crate::evaluate::figures::Figures;

/// The bounds of a run in CI.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct GateArgs {
    /// Exit with 2 where fewer of the steps that should be stopped are, as a share
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_recall: Option<f64>,
    /// Exit with 2 where more of the steps that should run are stopped, as a share
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_fpr: Option<f64>,
    /// Exit with 2 where the agreement with the labels beyond chance is less
    #[arg(long, value_name = "KAPPA", value_parser = kappa, allow_negative_numbers = true)]
    min_kappa: Option<f64>,
}

fn share(text: &str) -> Result<f64, String> {
    within(text, 0.0)
}

fn kappa(text: &str) -> Result<f64, String> {
    within(text, -1.0)
}

fn within(text: &str, low: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (low..=1.0).contains(&number) => Ok(number),
        _ => Err(format!("must be a number from {low} to 1")),
    }
}

/// One bound, and what was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Gate {
    /// The name.
    pub(crate) gate: &'static str,
    /// The bound.
    pub(crate) bound: f64,
    /// What was found; none where it is not defined, which holds no gate.
    pub(crate) found: Option<f64>,
    /// Whether it holds.
    pub(crate) holds: bool,
}

impl GateArgs {
    /// Holds the figures against the bounds.
    pub(crate) fn check(&self, figures: &Figures) -> Vec<Gate> {
        let gate = |gate, bound: Option<f64>, found: Option<f64>, least: bool| {
            let bound = bound?;
            let holds = found.is_some_and(|f| if least { f >= bound } else { f <= bound });
            Some(Gate { gate, bound, found, holds })
        };
        [
            gate("min-recall", self.min_recall, figures.recall, true),
            gate("max-fpr", self.max_fpr, figures.false_positive_rate, false),
            gate("min-kappa", self.min_kappa, figures.kappa, true),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
