//! Bounds of the bounds: a limit that limits nothing is a mistake, and some would overflow.

use hookgate_contract::settings::LONGEST;

use super::Limits;
use super::problem::{BuildError, BuildProblem};

/// How many background calls can be let wait, and how many hooks be asked at the same time: more
/// would be no bound.
const MOST_CALLS: u64 = 1 << 20;

/// How many bytes an envelope or an answer can be let have.
const MOST_BYTES: u64 = 1 << 40;

pub(super) fn check_limits(limits: &Limits, errors: &mut Vec<BuildError>) {
    let longest = [("limits.dispatch_deadline", limits.dispatch_deadline)];
    let per_kind = limits.timeout.values().map(|timeout| ("limits.timeout", *timeout));
    for (key, duration) in longest.into_iter().chain(per_kind) {
        if duration > LONGEST {
            errors.push(BuildError::of_limits(BuildProblem::TooLong(key)));
        }
    }
    for (key, value, most) in [
        ("limits.background_queue", limits.background_queue, MOST_CALLS),
        ("limits.concurrency", limits.concurrency, MOST_CALLS),
        ("limits.payload", limits.payload, MOST_BYTES),
        ("limits.output", limits.output, MOST_BYTES),
    ] {
        if u64::try_from(value).is_ok_and(|value| value > most) {
            errors.push(BuildError::of_limits(BuildProblem::TooMany { key, most }));
        }
    }
}
