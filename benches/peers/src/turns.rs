//! Times on the clock: all systems in turns in one process, so that what slows one down slows the others down too.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::rounds::Rounds;
use crate::system::System;

/// How many turns each system has after each start.
const TURNS: usize = 41;

/// How often a case is started anew: where its stack and its memory lie makes a call some nanoseconds faster or slower,
/// and is the same for as long as the process runs.
const STARTS: usize = 7;

/// By how many bytes of stack a start lies below the one before: the starts are spread over a page.
const FRAME: usize = 4096 / STARTS;

/// A case that has taken longer is not started anew.
const LONG: Duration = Duration::from_secs(1);

/// How long the rounds of one turn take about.
const TURN: Duration = Duration::from_micros(400);

/// A round that takes longer is timed in few turns.
const SLOW: Duration = Duration::from_millis(20);

/// How many turns a slow one has after each start.
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
}

/// What the turns of one system took.
#[derive(Default)]
struct Turns {
    net: Vec<f64>,
    /// How many times as much as hookgate it took in the same turn.
    ratios: Vec<f64>,
}

/// Rounds that are timed together.
struct Batch {
    rounds: Rounds,
    times: u64,
}

/// Times a case for all systems; the first of them is hookgate. `None` for a system that cannot do it.
#[must_use]
pub fn timed(systems: &[Box<dyn System>], case: &Case) -> Vec<Option<Timed>> {
    let mut all: Vec<Turns> = systems.iter().map(|_| Turns::default()).collect();
    let began = Instant::now();
    for start in 0..STARTS {
        deeper(start, &mut || take_turns(systems, case, &mut all));
        if began.elapsed() > LONG {
            break;
        }
    }
    all.into_iter().map(Turns::summary).collect()
}

/// Calls a function so many frames deeper, each of which moves its stack by a part of a page.
fn deeper(frames: usize, call: &mut dyn FnMut()) {
    let frame = black_box([0_u8; FRAME]);
    if frames == 0 {
        call();
    } else {
        deeper(frames - 1, call);
    }
    black_box(&frame);
}

/// Makes all systems anew and times them in turns.
fn take_turns(systems: &[Box<dyn System>], case: &Case, all: &mut [Turns]) {
    let mut entrants: Vec<_> =
        systems.iter().map(|system| entrant(system.as_ref(), case)).collect();
    for turn in 0..TURNS {
        let mut first = None;
        for (index, (entrant, turns)) in entrants.iter_mut().zip(&mut *all).enumerate() {
            let Some(entrant) = entrant.as_mut().filter(|entrant| turn < entrant.turns) else {
                continue;
            };
            let net = entrant.own.each() - entrant.making.each();
            if index == 0 {
                first = Some(net);
            }
            turns.net.push(net);
            turns.ratios.extend(first.map(|first| net.max(RESOLUTION) / first.max(RESOLUTION)));
        }
    }
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
    Some(Entrant { own, making, turns })
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

impl Turns {
    /// Returns the medians; `None` if there was no turn.
    fn summary(self) -> Option<Timed> {
        let of = |part| quantile(self.net.clone(), part);
        let (median, low, high) = (of(0.5)?, of(0.25)?, of(0.75)?);
        Some(Timed { median, low, high, ratio: quantile(self.ratios, 0.5) })
    }
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
