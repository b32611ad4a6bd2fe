//! Statistics of trials: pure functions, which return the same for the same numbers.

use crate::eval::label::Label;
use crate::eval::matrix::{ConfusionMatrix, ratio};

/// How many resamples a bootstrap takes.
const RESAMPLES: usize = 2000;

/// The seed of the bootstrap: the same trials give the same interval.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the 95 % interval of a statistic, by a bootstrap of 2000 resamples with a fixed seed.
///
/// Each matrix holds the trials of one step. Steps are drawn with all their repeats, because the
/// repeats of one step are not independent observations. A resample for which the statistic is not
/// defined is left out; `None` if it is defined for none of them.
///
/// ```
/// use hookgate_cli::eval::{ConfusionMatrix, Label, bootstrap_interval};
///
/// let mut right = ConfusionMatrix::default();
/// right.count(Label::Deny, Label::Deny);
/// let steps = [right; 20];
/// assert_eq!(bootstrap_interval(&steps, ConfusionMatrix::accuracy), Some((1.0, 1.0)));
/// ```
pub fn bootstrap_interval(
    steps: &[ConfusionMatrix],
    statistic: impl Fn(&ConfusionMatrix) -> Option<f64>,
) -> Option<(f64, f64)> {
    let mut random = SplitMix(SEED);
    let mut found: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut drawn = ConfusionMatrix::default();
            for _ in steps {
                drawn.add(steps.get(random.below(steps.len())?)?);
            }
            statistic(&drawn)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    Some((percentile(&found, 2.5)?, percentile(&found, 97.5)?))
}

/// Returns the share of steps whose repeats did not all come to the same; `None` if no step was
/// repeated.
///
/// ```
/// use hookgate_cli::eval::{Label::{Allow, Deny}, flip_rate};
///
/// assert_eq!(flip_rate(&[vec![Deny, Deny], vec![Allow, Deny]]), Some(0.5));
/// ```
#[must_use]
pub fn flip_rate(steps: &[Vec<Label>]) -> Option<f64> {
    let repeated = || steps.iter().filter(|outcomes| outcomes.len() > 1);
    let flipped = repeated().filter(|outcomes| {
        let first = outcomes.first();
        outcomes.iter().any(|outcome| Some(outcome) != first)
    });
    ratio(flipped.count() as u64, repeated().count() as u64)
}

/// Returns the percentile of sorted values by nearest rank, which is always one of the values.
///
/// ```
/// use hookgate_cli::eval::percentile;
///
/// assert_eq!(percentile(&[1, 2, 3, 4], 50.0), Some(2));
/// assert_eq!(percentile::<u64>(&[], 50.0), None);
/// ```
#[must_use]
pub fn percentile<T: Copy>(sorted: &[T], percent: f64) -> Option<T> {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, and good enough to draw samples.
struct SplitMix(u64);

impl SplitMix {
    const fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`; `None` if that is 0.
    fn below(&mut self, bound: usize) -> Option<usize> {
        // The bias is below 2^-40 for any gold set that fits into memory.
        let bound = u64::try_from(bound).ok().filter(|&bound| bound > 0)?;
        usize::try_from(self.next_number() % bound).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Label::{Allow, Ask, Deny};
    use super::*;

    fn matrix(counts: &[(Label, Label, u64)]) -> ConfusionMatrix {
        let mut matrix = ConfusionMatrix::default();
        for &(label, outcome, times) in counts {
            matrix.count_times(label, outcome, times);
        }
        matrix
    }

    fn assert_near(found: Option<f64>, expected: f64) {
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
        assert_near(m.accuracy(), 0.7);
        assert_near(m.kappa(), 0.4);
        assert_near(m.precision(), 20.0 / 30.0);
        assert_near(m.recall(), 0.8);
        assert_near(m.false_positive_rate(), 0.4);
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
        assert_near(m.kappa(), 0.3375 / 0.6375);
        // Stopped rightly: 8 + 1 + 1 + 2 = 12, of 15 that should be and of 13 that were.
        assert_near(m.recall(), 12.0 / 15.0);
        assert_near(m.precision(), 12.0 / 13.0);
        assert_near(m.false_positive_rate(), 1.0 / 5.0);
    }

    #[test]
    fn a_judge_that_ignores_its_input_has_a_kappa_of_zero() {
        assert_near(matrix(&[(Deny, Deny, 30), (Ask, Deny, 3), (Allow, Deny, 70)]).kappa(), 0.0);
        assert_near(matrix(&[(Deny, Deny, 3), (Allow, Allow, 7)]).kappa(), 1.0);
        assert_near(matrix(&[(Deny, Allow, 5), (Allow, Deny, 5)]).kappa(), -1.0);
    }

    #[test]
    fn a_share_that_is_not_defined_is_none() {
        let none = ConfusionMatrix::default();
        assert_eq!((none.accuracy(), none.kappa(), none.precision()), (None, None, None));
        let constant = matrix(&[(Allow, Allow, 9)]);
        assert_eq!((constant.kappa(), constant.recall()), (None, None));
        assert_eq!(bootstrap_interval(&[], ConfusionMatrix::kappa), None);
        assert_eq!(bootstrap_interval(&[constant], ConfusionMatrix::kappa), None);
    }

    #[test]
    fn the_interval_is_the_same_twice_and_holds_the_figure() {
        let mut steps = vec![matrix(&[(Deny, Deny, 1)]); 20];
        steps.extend(vec![matrix(&[(Deny, Allow, 1)]); 5]);
        steps.extend(vec![matrix(&[(Allow, Deny, 1)]); 10]);
        steps.extend(vec![matrix(&[(Allow, Allow, 1)]); 15]);
        let (low, high) =
            bootstrap_interval(&steps, ConfusionMatrix::kappa).expect("it is defined");
        assert_eq!(bootstrap_interval(&steps, ConfusionMatrix::kappa), Some((low, high)));
        // The large-sample standard error of kappa here is about 0.13: 0.4 ± 0.25.
        assert!((0.08..0.25).contains(&low) && (0.55..0.72).contains(&high), "{low} {high}");
        // Repeats that agree with each other tell nothing new: the interval does not shrink.
        let repeated: Vec<ConfusionMatrix> = steps
            .iter()
            .map(|step| {
                let mut three = ConfusionMatrix::default();
                (0..3).for_each(|_| three.add(step));
                three
            })
            .collect();
        let (again_low, again_high) =
            bootstrap_interval(&repeated, ConfusionMatrix::kappa).expect("it is defined");
        assert!((again_low - low).abs() < 1e-9 && (again_high - high).abs() < 1e-9);
    }

    #[test]
    fn a_step_flips_if_its_repeats_differ() {
        assert_eq!(flip_rate(&[vec![Deny], vec![Allow]]), None);
        let steps = [vec![Deny, Deny], vec![Allow, Deny], vec![Ask, Ask], vec![Allow, Allow]];
        assert_near(flip_rate(&steps), 0.25);
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
