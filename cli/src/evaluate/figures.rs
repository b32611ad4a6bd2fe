//! The figures of a hook.

use std::collections::{BTreeMap, BTreeSet};

use hookgate::FailureClass;
use serde::Serialize;

use crate::evaluate::label::Label;
use crate::evaluate::session::Session;
use crate::evaluate::statistics::{self, Matrix};
use crate::evaluate::subject::Trial;

/// Everything that is measured. What is not defined is none: a ratio of nothing, the agreement
/// beyond chance where there is no other than by chance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) hook: String,
    /// The models that answered.
    pub(crate) models: BTreeSet<String>,
    pub(crate) replayed: bool,
    pub(crate) steps: usize,
    pub(crate) repeats: u32,
    pub(crate) judgements: u64,
    pub(crate) accuracy: Option<f64>,
    pub(crate) precision: Option<f64>,
    pub(crate) recall: Option<f64>,
    pub(crate) false_positive_rate: Option<f64>,
    pub(crate) kappa: Option<f64>,
    pub(crate) kappa_interval: Option<(f64, f64)>,
    pub(crate) flip_rate: Option<f64>,
    pub(crate) latency: Latency,
    pub(crate) calls: u64,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) cost: f64,
    /// Judgements that the hook was not asked for: its conditions did not match.
    pub(crate) not_asked: u64,
    /// Failures by class. They stand in all other figures as what the hook's posture makes of them.
    pub(crate) failures: BTreeMap<FailureClass, u64>,
    /// What the failures counted as.
    pub(crate) failures_counted_as: BTreeMap<Label, u64>,
    /// Label, outcome, count.
    pub(crate) confusion: BTreeMap<Label, BTreeMap<Label, u64>>,
}

/// How long the judgements took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Latency {
    pub(crate) p50_ms: Option<f64>,
    pub(crate) p95_ms: Option<f64>,
}

impl Figures {
    /// Measures a session by the labels of its steps.
    pub(crate) fn new(session: &Session, labels: &[Label]) -> Self {
        let judged: Vec<(Label, &[Trial])> =
            labels.iter().copied().zip(session.trials.iter().map(Vec::as_slice)).collect();
        let steps: Vec<Matrix> = judged
            .iter()
            .map(|(label, trials)| {
                let mut matrix = Matrix::default();
                trials.iter().for_each(|trial| matrix.count(*label, trial.outcome.into()));
                matrix
            })
            .collect();
        let mut all = Matrix::default();
        steps.iter().for_each(|step| all.add(step));
        let outcomes: Vec<Vec<Label>> = judged
            .iter()
            .map(|(_, trials)| trials.iter().map(|trial| trial.outcome.into()).collect())
            .collect();

        let mut figures = Self {
            hook: session.hook.clone(),
            models: BTreeSet::new(),
            replayed: session.replayed,
            steps: judged.len(),
            repeats: session.repeats,
            judgements: all.total(),
            accuracy: all.accuracy(),
            precision: all.precision(),
            recall: all.recall(),
            false_positive_rate: all.false_positive_rate(),
            kappa: all.kappa(),
            kappa_interval: statistics::interval(&steps, Matrix::kappa),
            flip_rate: statistics::flip_rate(&outcomes),
            latency: latency(session),
            calls: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            cost: 0.0,
            not_asked: 0,
            failures: BTreeMap::new(),
            failures_counted_as: BTreeMap::new(),
            confusion: confusion(&all),
        };
        for trial in session.trials.iter().flatten() {
            figures.add(trial);
        }
        figures
    }

    fn add(&mut self, trial: &Trial) {
        if !trial.entry.asked {
            self.not_asked += 1;
        }
        if let Some(class) = trial.entry.failure {
            *self.failures.entry(class).or_default() += 1;
            *self.failures_counted_as.entry(trial.outcome.into()).or_default() += 1;
        }
        if let Some(usage) = &trial.entry.usage {
            if !usage.model.is_empty() {
                self.models.insert(usage.model.clone());
            }
            // A service or a record may claim any number.
            self.calls = self.calls.saturating_add(u64::from(usage.calls));
            self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens);
            self.completion_tokens = self.completion_tokens.saturating_add(usage.completion_tokens);
            self.cost += usage.cost;
        }
    }

    /// How many judgements failed.
    pub(crate) fn failed(&self) -> u64 {
        self.failures.values().sum()
    }
}

/// The latencies of the judgements that were made, sorted, in milliseconds.
pub(crate) fn latencies(session: &Session) -> Vec<f64> {
    let asked = session.trials.iter().flatten().filter(|trial| trial.entry.asked);
    let mut all: Vec<f64> = asked.map(|trial| trial.entry.latency_us as f64 / 1000.0).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn latency(session: &Session) -> Latency {
    let all = latencies(session);
    Latency {
        p50_ms: statistics::percentile(&all, 50.0),
        p95_ms: statistics::percentile(&all, 95.0),
    }
}

fn confusion(matrix: &Matrix) -> BTreeMap<Label, BTreeMap<Label, u64>> {
    let row = |label| Label::ALL.map(|outcome| (outcome, matrix.get(label, outcome)));
    Label::ALL.map(|label| (label, row(label).into())).into()
}
