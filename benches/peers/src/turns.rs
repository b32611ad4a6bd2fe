//! Times on the clock: all systems in turns in one process, so that what slows one down slows the others down too.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::rounds::Rounds;
use crate::system::System;

/// How many turns each system has.
const TURNS: usize = 41;

/// How long the rounds of one turn take about.
const TURN: Duration = Duration::from_micros(400);

/// A round that takes longer is timed in few turns.
const SLOW: Duration = Duration::from_millis(20);

/// How many turns a slow one has.
const SLOW_TURNS: usize = 3;

/// A round that takes longer is not timed at all.
const TOO_SLOW: Duration = Duration::from_secs(1);

/// The clock cannot tell less than this from nothing, in nanoseconds per round.
pub const RESOLUTION: f64 = 0.5;

/// What one round takes, in nanoseconds, with what the making of the calls takes subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// The median of all turns.
    pub median: f64,
    /// A quarter of the turns took less.
    pub low: f64,
    /// A quarter of the turns took more.
    pub high: f64,
    /// How many times as much as hookgate it took: the median of the turns.
    pub ratio: Option<f64>,
}

/// One system in one case.
struct Entrant {
    own: Batch,
    making: Batch,
    turns: usize,
    net: Vec<f64>,
}

/// Rounds that are timed together.
struct Batch {
    rounds: Rounds,
    times: u64,
}

/// Times a case for all systems; the first of them is hookgate. `None` for a system that cannot do it.
#[must_use]
pub fn timed(systems: &[Box<dyn System>], case: &Case) -> Vec<Option<Timed>> {
    let mut entrants: Vec<_> =
        systems.iter().map(|system| entrant(system.as_ref(), case)).collect();
    for turn in 0..TURNS {
        for entrant in entrants.iter_mut().flatten().filter(|entrant| turn < entrant.turns) {
            let net = entrant.own.each() - entrant.making.each();
            entrant.net.push(net);
        }
    }
    let first = entrants.first().and_then(Option::as_ref).map(|entrant| entrant.net.clone());
    let first = first.unwrap_or_default();
    entrants
        .into_iter()
        .map(|entrant| entrant.map(|entrant| summary(entrant.net, &first)))
        .collect()
}

fn entrant(system: &dyn System, case: &Case) -> Option<Entrant> {
    let (rounds, making) = (system.rounds(&case.work)?, system.making(&case.work));
    let start = Instant::now();
    rounds.warm_up(1);
    let one = start.elapsed();
    if one > TOO_SLOW {
        return None;
    }
    let turns = if one > SLOW { SLOW_TURNS } else { TURNS };
    let most = case.work.most_rounds();
    let (own, making) = (batch(rounds, most), batch(making, 1 << 20));
    Some(Entrant { own, making, turns, net: Vec::new() })
}

/// Finds out how many rounds fill a turn, up to a number.
fn batch(rounds: Rounds, most: u64) -> Batch {
    let mut batch = Batch { rounds, times: 1 };
    // The least of three counts: rounds that are interrupted only seem to fill a turn.
    while batch.times < most && (0..3).any(|_| batch.elapsed() < TURN) {
        batch.times *= 2;
    }
    batch
}

impl Batch {
    fn elapsed(&self) -> Duration {
        self.rounds.prepare(self.times);
        let start = Instant::now();
        self.rounds.run(self.times);
        start.elapsed()
    }

    /// Returns the nanoseconds of one round.
    #[expect(clippy::cast_precision_loss, reason = "there are at most 2^20 rounds")]
    fn each(&self) -> f64 {
        self.elapsed().as_secs_f64() * 1e9 / self.times as f64
    }
}

fn summary(net: Vec<f64>, first: &[f64]) -> Timed {
    let above = |time: f64| time.max(RESOLUTION);
    let ratios = net.iter().zip(first).map(|(own, first)| above(*own) / above(*first));
    let ratio = quantile(ratios.collect(), 0.5);
    let of = |part| quantile(net.clone(), part).unwrap_or_default();
    Timed { median: of(0.5), low: of(0.25), high: of(0.75), ratio }
}

/// Returns the value that a part of the values is below.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "there are few values, and the part is between 0 and 1"
)]
pub(crate) fn quantile(mut values: Vec<f64>, part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    values.get((last as f64 * part).round() as usize).copied()
}
