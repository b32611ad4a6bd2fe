//! Times of single calls with evicted caches: what an agent sees that thinks for seconds between two calls.

use std::hint::black_box;
use std::time::Instant;

use crate::case::Case;
use crate::rounds::Rounds;
use crate::system::System;
use crate::turns::quantile;

/// How many calls of each system are timed.
const CALLS: usize = 41;

/// How much memory is walked through before each call. It is more than the caches of a core hold.
const WALK: usize = 32 << 20;

/// How far apart two steps of the walk are: a cache line.
const LINE: usize = 64;

/// Returns the median nanoseconds of single calls, with those of making the call subtracted. `None` for a system that
/// cannot do the case.
#[must_use]
pub fn timed(systems: &[Box<dyn System>], case: &Case) -> Vec<Option<f64>> {
    let mut memory = vec![1_u8; WALK];
    let entrants: Vec<_> = systems
        .iter()
        .map(|system| Some((system.rounds(&case.work)?, system.making(&case.work))))
        .inspect(|entrant| {
            if let Some((own, making)) = entrant {
                own.warm_up(100);
                making.warm_up(100);
            }
        })
        .collect();
    let mut times = vec![(Vec::new(), Vec::new()); entrants.len()];
    for _ in 0..CALLS {
        for (entrant, (own, making)) in entrants.iter().zip(&mut times) {
            if let Some((rounds, makes)) = entrant {
                own.push(single(rounds, &mut memory));
                making.push(single(makes, &mut memory));
            }
        }
    }
    let net =
        |(own, making): (Vec<f64>, Vec<f64>)| Some(quantile(own, 0.5)? - quantile(making, 0.5)?);
    times.into_iter().map(net).collect()
}

fn single(rounds: &Rounds, memory: &mut [u8]) -> f64 {
    rounds.prepare(1);
    for line in memory.iter_mut().step_by(LINE) {
        *line = line.wrapping_add(1);
    }
    black_box(&memory);
    let start = Instant::now();
    rounds.run(1);
    start.elapsed().as_secs_f64() * 1e9
}
