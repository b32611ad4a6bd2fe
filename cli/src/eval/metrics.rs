//! What is measured.
//!
//! A trial is one evaluation of one step. All shares count trials; the interval of kappa and the flip
//! rate count steps, because the repeats of a step are not independent of each other.

use std::collections::{BTreeMap, BTreeSet};

use hookgate::FailureClass;
use serde::Serialize;

use crate::eval::label::Label;
use crate::eval::matrix::ConfusionMatrix;
use crate::eval::runner::EvaluationRun;
use crate::eval::statistics::{bootstrap_interval, flip_rate, percentile};
use crate::eval::trial::Trial;

/// Everything that is measured, from 0 to 1 unless it says otherwise. `None` marks a metric that is
/// not defined: a ratio whose denominator is zero, or kappa if chance agreement is already 1.
///
/// As JSON it is what `hookgate judge eval --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Metrics {
    /// The hook.
    pub hook: String,
    /// The models that answered.
    pub models: BTreeSet<String>,
    /// Whether the replies come from a recording.
    pub replayed: bool,
    /// How many samples there are.
    pub steps: usize,
    /// How many times each was evaluated.
    pub repeats: u32,
    /// How many trials there were.
    #[serde(rename = "judgements")]
    pub trials: u64,
    /// Of all trials, those that came to exactly the label.
    pub accuracy: Option<f64>,
    /// Of the stopped steps, those that should be stopped.
    pub precision: Option<f64>,
    /// Of the steps that should be stopped, those that were.
    pub recall: Option<f64>,
    /// Of the steps that should run, those that were stopped.
    pub false_positive_rate: Option<f64>,
    /// The agreement beyond chance, from -1 to 1.
    pub kappa: Option<f64>,
    /// The 95 % interval of kappa.
    pub kappa_interval: Option<(f64, f64)>,
    /// Of the steps that were repeated, those whose repeats differ.
    pub flip_rate: Option<f64>,
    /// How long the calls took.
    pub latency: Latency,
    /// How many requests models got.
    pub calls: u64,
    /// How many tokens went in.
    pub prompt_tokens: u64,
    /// How many tokens came out.
    pub completion_tokens: u64,
    /// What they cost, in the unit of the prices in the config.
    pub cost: f64,
    /// Trials in which the hook was not invoked because its conditions did not match.
    #[serde(rename = "not_asked")]
    pub not_invoked: u64,
    /// Failures by class. All other metrics count them as what the hook's posture makes of them.
    pub failures: BTreeMap<FailureClass, u64>,
    /// What the failures counted as.
    pub failures_counted_as: BTreeMap<Label, u64>,
    /// How often steps of each label (first key) came to each outcome (second key).
    pub confusion: BTreeMap<Label, BTreeMap<Label, u64>>,
}

/// How long the calls took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Latency {
    /// Half of the calls were at least as fast.
    pub p50_ms: Option<f64>,
    /// 95 % of the calls were at least as fast.
    pub p95_ms: Option<f64>,
}

impl Metrics {
    /// Compares a run with the labels of its samples, which are in the same order.
    #[must_use]
    pub fn new(run: &EvaluationRun, labels: impl IntoIterator<Item = Label>) -> Self {
        let steps: Vec<(Label, &[Trial])> =
            labels.into_iter().zip(run.trials.iter().map(Vec::as_slice)).collect();
        let matrices: Vec<_> =
            steps.iter().map(|(label, trials)| matrix_of_step(*label, trials)).collect();
        let mut all = ConfusionMatrix::default();
        matrices.iter().for_each(|step| all.add(step));
        let outcomes: Vec<Vec<Label>> =
            steps.iter().map(|(_, trials)| trials.iter().map(Trial::label).collect()).collect();

        let mut metrics = Self {
            hook: run.hook.clone(),
            models: BTreeSet::new(),
            replayed: run.replayed,
            steps: steps.len(),
            repeats: run.repeats,
            trials: all.total(),
            accuracy: all.accuracy(),
            precision: all.precision(),
            recall: all.recall(),
            false_positive_rate: all.false_positive_rate(),
            kappa: all.kappa(),
            kappa_interval: bootstrap_interval(&matrices, ConfusionMatrix::kappa),
            flip_rate: flip_rate(&outcomes),
            latency: latency_of(run),
            calls: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            cost: 0.0,
            not_invoked: 0,
            failures: BTreeMap::new(),
            failures_counted_as: BTreeMap::new(),
            confusion: confusion_of(&all),
        };
        run.trials.iter().flatten().for_each(|trial| metrics.add_trial(trial));
        metrics
    }

    fn add_trial(&mut self, trial: &Trial) {
        let reply = &trial.reply;
        if !reply.invoked {
            self.not_invoked += 1;
        }
        if let Some(class) = reply.failure {
            *self.failures.entry(class).or_default() += 1;
            *self.failures_counted_as.entry(trial.label()).or_default() += 1;
        }
        if let Some(usage) = &reply.usage {
            if !usage.model.is_empty() {
                self.models.insert(usage.model.clone());
            }
            // A service or a recording may claim any number.
            self.calls = self.calls.saturating_add(u64::from(usage.calls));
            self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens);
            self.completion_tokens = self.completion_tokens.saturating_add(usage.completion_tokens);
            self.cost += usage.cost;
        }
    }

    /// Returns the share of the trials in which the hook was called and did not work: the service did not answer,
    /// or said what cannot be used. A judge that could not tell has worked. `None` if it was never called.
    #[must_use]
    pub fn failure_share(&self) -> Option<f64> {
        let works =
            |class: &FailureClass| matches!(class, FailureClass::Unsure | FailureClass::Unclear);
        let broken: u64 =
            self.failures.iter().filter(|(class, _)| !works(class)).map(|(_, count)| count).sum();
        let called = self.trials.saturating_sub(self.not_invoked);
        #[expect(clippy::cast_precision_loss, reason = "nobody evaluates 2^52 steps")]
        let share = (called > 0).then(|| broken as f64 / called as f64);
        share
    }

    /// Returns how many trials failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    /// Returns how often steps of a label came to an outcome.
    #[must_use]
    pub fn confusion_count(&self, label: Label, outcome: Label) -> u64 {
        self.confusion.get(&label).and_then(|row| row.get(&outcome)).copied().unwrap_or_default()
    }
}

fn matrix_of_step(label: Label, trials: &[Trial]) -> ConfusionMatrix {
    let mut matrix = ConfusionMatrix::default();
    trials.iter().for_each(|trial| matrix.count(label, trial.label()));
    matrix
}

fn latency_of(run: &EvaluationRun) -> Latency {
    let sorted = run.latencies_ms();
    Latency { p50_ms: percentile(&sorted, 50.0), p95_ms: percentile(&sorted, 95.0) }
}

fn confusion_of(matrix: &ConfusionMatrix) -> BTreeMap<Label, BTreeMap<Label, u64>> {
    let row = |label| Label::ALL.map(|outcome| (outcome, matrix.get(label, outcome)));
    Label::ALL.map(|label| (label, row(label).into())).into()
}
