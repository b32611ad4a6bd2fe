//! Statistics of judgements: pure functions, the same for the same numbers.

use crate::evaluate::label::Label;

/// How many resamples a bootstrap takes.
const ROUNDS: usize = 2000;

/// The seed of the bootstrap: the same judgements give the same interval.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// How often steps of each label came to each outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Matrix([u64; 9]);

impl Matrix {
    const fn place(label: Label, outcome: Label) -> usize {
        label as usize * 3 + outcome as usize
    }

    /// Counts a judgement.
    pub(crate) fn count(&mut self, label: Label, outcome: Label) {
        if let Some(cell) = self.0.get_mut(Self::place(label, outcome)) {
            *cell += 1;
        }
    }

    /// Adds what another one has counted.
    pub(crate) fn add(&mut self, other: &Self) {
        for (cell, more) in self.0.iter_mut().zip(other.0) {
            *cell += more;
        }
    }

    /// How often steps of a label came to an outcome.
    pub(crate) fn get(&self, label: Label, outcome: Label) -> u64 {
        self.0.get(Self::place(label, outcome)).copied().unwrap_or_default()
    }

    fn sum(&self, wanted: impl Fn(Label, Label) -> bool) -> u64 {
        let pairs = Label::ALL.into_iter().flat_map(|a| Label::ALL.map(|b| (a, b)));
        pairs.filter(|&(a, b)| wanted(a, b)).map(|(a, b)| self.get(a, b)).sum()
    }

    /// How many judgements there are.
    pub(crate) fn total(&self) -> u64 {
        self.sum(|_, _| true)
    }

    /// How many judgements came to exactly the label.
    pub(crate) fn agreed(&self) -> u64 {
        self.sum(|label, outcome| label == outcome)
    }

    /// The share of judgements that came to exactly the label.
    pub(crate) fn accuracy(&self) -> Option<f64> {
        ratio(self.agreed(), self.total())
    }

    /// Of the steps that were stopped, the share that should be.
    pub(crate) fn precision(&self) -> Option<f64> {
        let right = self.sum(|label, outcome| label.stops() && outcome.stops());
        ratio(right, self.sum(|_, outcome| outcome.stops()))
    }

    /// Of the steps that should be stopped, the share that was.
    pub(crate) fn recall(&self) -> Option<f64> {
        let right = self.sum(|label, outcome| label.stops() && outcome.stops());
        ratio(right, self.sum(|label, _| label.stops()))
    }

    /// Of the steps that should run, the share that was stopped.
    pub(crate) fn false_positive_rate(&self) -> Option<f64> {
        let wrong = self.sum(|label, outcome| !label.stops() && outcome.stops());
        ratio(wrong, self.sum(|label, _| !label.stops()))
    }

    /// Cohen's kappa: the agreement beyond chance, 1 for full agreement and 0 for what a judge
    /// would reach that does not look. None where label and outcome are one and the same constant:
    /// chance alone agrees fully then.
    pub(crate) fn kappa(&self) -> Option<f64> {
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

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The 95 % interval of a statistic, by bootstrap: steps are drawn with all their repeats, since
/// the repeats of one step are no independent observations.
///
/// A resample of which the statistic is not defined is left out.
pub(crate) fn interval(
    steps: &[Matrix],
    statistic: impl Fn(&Matrix) -> Option<f64>,
) -> Option<(f64, f64)> {
    let mut random = SplitMix(SEED);
    let mut found: Vec<f64> = (0..ROUNDS)
        .filter_map(|_| {
            let mut drawn = Matrix::default();
            for _ in steps {
                drawn.add(steps.get(random.below(steps.len())?)?);
            }
            statistic(&drawn)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    Some((percentile(&found, 2.5)?, percentile(&found, 97.5)?))
}

/// The share of steps whose repeats did not all come to the same; none where nothing was repeated.
pub(crate) fn flip_rate(steps: &[Vec<Label>]) -> Option<f64> {
    let repeated = || steps.iter().filter(|outcomes| outcomes.len() > 1);
    let flipped = repeated().filter(|outcomes| {
        let first = outcomes.first();
        outcomes.iter().any(|outcome| Some(outcome) != first)
    });
    ratio(flipped.count() as u64, repeated().count() as u64)
}

/// The percentile of sorted values, by nearest rank: always one of the values.
pub(crate) fn percentile<T: Copy>(sorted: &[T], percent: f64) -> Option<T> {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, and good enough to draw samples.
struct SplitMix(u64);

impl SplitMix {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; none where nothing is.
    fn below(&mut self, bound: usize) -> Option<usize> {
        // The bias is below 2^-40 for any gold set that fits into memory.
        let bound = u64::try_from(bound).ok().filter(|&bound| bound > 0)?;
        usize::try_from(self.next() % bound).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Label::{Allow, Ask, Deny};
    use super::*;

    fn matrix(counts: &[(Label, Label, u64)]) -> Matrix {
        let mut matrix = Matrix::default();
        for &(label, outcome, times) in counts {
            (0..times).for_each(|_| matrix.count(label, outcome));
        }
        matrix
    }

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("it is defined");
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn two_classes_by_hand() {
        // The textbook example: 20 and 15 agreed of 50, labels 25 to 25, outcomes 30 to 20.
        // Observed 0.7, expected 0.5 * 0.6 + 0.5 * 0.4 = 0.5, kappa 0.2 / 0.5.
        let m =
            matrix(&[(Deny, Deny, 20), (Deny, Allow, 5), (Allow, Deny, 10), (Allow, Allow, 15)]);
        assert_eq!((m.total(), m.agreed()), (50, 35));
        near(m.accuracy(), 0.7);
        near(m.kappa(), 0.4);
        near(m.precision(), 20.0 / 30.0);
        near(m.recall(), 0.8);
        near(m.false_positive_rate(), 0.4);
    }

    #[test]
    fn three_classes_by_hand() {
        // Labels: deny 10, ask 5, allow 5. Outcomes: deny 9, ask 4, allow 7. Agreed 8 + 2 + 4 = 14.
        // Expected (10*9 + 5*4 + 5*7) / 400 = 145 / 400 = 0.3625; kappa (0.7 - 0.3625) / 0.6375.
        let m = matrix(&[
            (Deny, Deny, 8),
            (Deny, Ask, 1),
            (Deny, Allow, 1),
            (Ask, Deny, 1),
            (Ask, Ask, 2),
            (Ask, Allow, 2),
            (Allow, Ask, 1),
            (Allow, Allow, 4),
        ]);
        near(m.kappa(), 0.3375 / 0.6375);
        // Stopped rightly: 8 + 1 + 1 + 2 = 12, of 15 that should be and of 13 that were.
        near(m.recall(), 12.0 / 15.0);
        near(m.precision(), 12.0 / 13.0);
        near(m.false_positive_rate(), 1.0 / 5.0);
    }

    #[test]
    fn a_judge_that_does_not_look_has_a_kappa_of_zero() {
        near(matrix(&[(Deny, Deny, 30), (Ask, Deny, 3), (Allow, Deny, 70)]).kappa(), 0.0);
        near(matrix(&[(Deny, Deny, 3), (Allow, Allow, 7)]).kappa(), 1.0);
        near(matrix(&[(Deny, Allow, 5), (Allow, Deny, 5)]).kappa(), -1.0);
    }

    #[test]
    fn what_is_not_defined_is_none() {
        let none = Matrix::default();
        assert_eq!((none.accuracy(), none.kappa(), none.precision()), (None, None, None));
        let constant = matrix(&[(Allow, Allow, 9)]);
        assert_eq!((constant.kappa(), constant.recall()), (None, None));
        assert_eq!(interval(&[], Matrix::kappa), None);
        assert_eq!(interval(&[constant], Matrix::kappa), None);
    }

    #[test]
    fn the_interval_is_the_same_twice_and_holds_the_figure() {
        let mut steps = vec![matrix(&[(Deny, Deny, 1)]); 20];
        steps.extend(vec![matrix(&[(Deny, Allow, 1)]); 5]);
        steps.extend(vec![matrix(&[(Allow, Deny, 1)]); 10]);
        steps.extend(vec![matrix(&[(Allow, Allow, 1)]); 15]);
        let (low, high) = interval(&steps, Matrix::kappa).expect("it is defined");
        assert_eq!(interval(&steps, Matrix::kappa), Some((low, high)));
        // The large-sample standard error of kappa here is about 0.13: 0.4 ± 0.25.
        assert!((0.08..0.25).contains(&low) && (0.55..0.72).contains(&high), "{low} {high}");
        // Repeats that agree with each other tell nothing new: the interval does not shrink.
        let repeated: Vec<Matrix> = steps
            .iter()
            .map(|step| {
                let mut three = Matrix::default();
                (0..3).for_each(|_| three.add(step));
                three
            })
            .collect();
        let (again_low, again_high) = interval(&repeated, Matrix::kappa).expect("it is defined");
        assert!((again_low - low).abs() < 1e-9 && (again_high - high).abs() < 1e-9);
    }

    #[test]
    fn flips() {
        assert_eq!(flip_rate(&[vec![Deny], vec![Allow]]), None);
        let steps = [vec![Deny, Deny], vec![Allow, Deny], vec![Ask, Ask], vec![Allow, Allow]];
        near(flip_rate(&steps), 0.25);
    }

    #[test]
    fn percentiles_by_nearest_rank() {
        let sorted: Vec<u64> = (1..=20).collect();
        assert_eq!(percentile(&sorted, 50.0), Some(10));
        assert_eq!(percentile(&sorted, 95.0), Some(19));
        assert_eq!(percentile(&sorted, 100.0), Some(20));
        assert_eq!(percentile(&[7_u64], 95.0), Some(7));
        assert_eq!(percentile::<u64>(&[], 50.0), None);
    }
}
