//! The time on the clock of a case, for people who ask how long it takes.

use std::time::{Duration, Instant};

use crate::cases;
use crate::error::MeasureError;

/// How often a case is timed; the best counts, since a busy machine only makes it slower.
const TRIES: u32 = 20;

/// How many rounds are timed together.
const ROUNDS: u32 = 500;

/// Returns how many microseconds one round of a case takes.
pub(crate) fn microseconds(name: &str) -> Result<f64, MeasureError> {
    let mut rounds = (cases::find(name)?.load)();
    rounds(u64::from(ROUNDS));
    let timed = (0..TRIES).map(|_| {
        let start = Instant::now();
        rounds(u64::from(ROUNDS));
        start.elapsed()
    });
    let best = timed.min().unwrap_or(Duration::ZERO);
    Ok(best.as_secs_f64() * 1e6 / f64::from(ROUNDS))
}
