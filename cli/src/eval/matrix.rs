//! How often steps of each label came to each outcome.

use crate::eval::label::Label;

/// How often steps of each label came to each outcome.
///
/// Its shares are `None` if they are not defined: a ratio whose denominator is zero, or kappa if
/// chance alone agrees fully. Positive is what [stops](Label::stops) the step.
///
/// ```
/// use hookgate_cli::eval::{ConfusionMatrix, Label::{Allow, Deny}};
///
/// // The textbook example: 20 and 15 of 50 agree, labels 25 to 25, outcomes 30 to 20.
/// let mut matrix = ConfusionMatrix::default();
/// matrix.count_times(Deny, Deny, 20);
/// matrix.count_times(Deny, Allow, 5);
/// matrix.count_times(Allow, Deny, 10);
/// matrix.count_times(Allow, Allow, 15);
/// assert_eq!(matrix.accuracy(), Some(0.7));
/// assert_eq!(matrix.recall(), Some(0.8));
/// assert!((matrix.kappa().unwrap() - 0.4).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConfusionMatrix([u64; 9]);

impl ConfusionMatrix {
    const fn cell(label: Label, outcome: Label) -> usize {
        label as usize * 3 + outcome as usize
    }

    /// Counts a trial.
    pub fn count(&mut self, label: Label, outcome: Label) {
        self.count_times(label, outcome, 1);
    }

    /// Counts several trials of the same label and outcome.
    pub fn count_times(&mut self, label: Label, outcome: Label, times: u64) {
        if let Some(cell) = self.0.get_mut(Self::cell(label, outcome)) {
            *cell += times;
        }
    }

    /// Adds the counts of another matrix.
    pub fn add(&mut self, other: &Self) {
        for (cell, more) in self.0.iter_mut().zip(other.0) {
            *cell += more;
        }
    }

    /// Returns how often steps of a label came to an outcome.
    #[must_use]
    pub fn get(&self, label: Label, outcome: Label) -> u64 {
        self.0.get(Self::cell(label, outcome)).copied().unwrap_or_default()
    }

    fn sum(&self, counts: impl Fn(Label, Label) -> bool) -> u64 {
        let pairs = Label::ALL.into_iter().flat_map(|a| Label::ALL.map(|b| (a, b)));
        pairs.filter(|&(a, b)| counts(a, b)).map(|(a, b)| self.get(a, b)).sum()
    }

    /// Returns the number of trials.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sum(|_, _| true)
    }

    /// Returns the number of trials that came to exactly the label.
    #[must_use]
    pub fn agreed(&self) -> u64 {
        self.sum(|label, outcome| label == outcome)
    }

    /// Returns the share of trials that came to exactly the label.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        ratio(self.agreed(), self.total())
    }

    /// Returns, of the steps that were stopped, the share that should be.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        let right = self.sum(|label, outcome| label.stops() && outcome.stops());
        ratio(right, self.sum(|_, outcome| outcome.stops()))
    }

    /// Returns, of the steps that should be stopped, the share that was.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        let right = self.sum(|label, outcome| label.stops() && outcome.stops());
        ratio(right, self.sum(|label, _| label.stops()))
    }

    /// Returns, of the steps that should run, the share that was stopped.
    #[must_use]
    pub fn false_positive_rate(&self) -> Option<f64> {
        let wrong = self.sum(|label, outcome| !label.stops() && outcome.stops());
        ratio(wrong, self.sum(|label, _| !label.stops()))
    }

    /// Returns Cohen's kappa, the agreement beyond chance: 1 for full agreement, and 0 for a judge
    /// that does not look at the step. `None` if label and outcome are the same constant, because
    /// chance alone agrees fully then.
    #[must_use]
    pub fn kappa(&self) -> Option<f64> {
        let observed = self.accuracy()?;
        let total = self.total() as f64;
        let expected: f64 = Label::ALL
            .into_iter()
            .map(|class| {
                let labelled = self.sum(|label, _| label == class) as f64;
                let came = self.sum(|_, outcome| outcome == class) as f64;
                (labelled / total) * (came / total)
            })
            .sum();
        let room = 1.0 - expected;
        (room > f64::EPSILON).then(|| (observed - expected) / room)
    }
}

/// Returns a share; `None` of nothing.
pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
