//! How much more two threads get done than one, with one engine.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use hookgate::Engine;

use crate::cases::{agent, call, no_match, now};

/// How long one round lasts: not longer than the system lets a thread run in one go.
const ROUND: Duration = Duration::from_millis(20);

/// How many dispatches are made between two looks at the clock.
const BATCH: u64 = 500;

/// How many undisturbed rounds of each sort are wanted.
const WANTED: usize = 20;

/// At most so many rounds: on a busy machine undisturbed ones take a while to come.
const ROUNDS: usize = 600;

/// Returns the best throughput of two threads over the best of one. Rounds of all sorts alternate.
/// `None` if the machine was too busy to give two threads a processor each.
///
/// Two processors of a machine may share a core; then two threads that have nothing in common do not
/// get twice as much done either. So it is twice what the two get done of what two threads with an
/// engine each do, where that is more.
pub(crate) fn ratio() -> Option<f64> {
    let (engine, other) = (no_match(100), no_match(100));
    let (mut one, mut two, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        one.extend(throughput(&[&engine]));
        two.extend(throughput(&[&engine, &engine]));
        apart.extend(throughput(&[&engine, &other]));
        if one.len().min(two.len()).min(apart.len()) >= WANTED {
            break;
        }
    }
    let best = |rounds: Vec<f64>| rounds.into_iter().fold(0.0, f64::max);
    let (one, two, apart) = (best(one), best(two), best(apart));
    (one > 0.0 && two > 0.0 && apart > 0.0).then(|| (two / one).max(2.0 * two / apart))
}

/// Returns the dispatches per second of one thread for each engine, together. `None` if they did not all run at
/// the same time from beginning to end: threads that take turns do not get in each other's way.
fn throughput(engines: &[&Engine]) -> Option<f64> {
    let start = Barrier::new(engines.len());
    let rounds: Option<Vec<(Instant, f64)>> = std::thread::scope(|scope| {
        let run = |engine| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                dispatches(engine)
            })
        };
        let running: Vec<_> = engines.iter().map(|&engine| run(engine)).collect();
        running.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    });
    let rounds = rounds?;
    let first = rounds.iter().map(|round| round.0).min()?;
    let last = rounds.iter().map(|round| round.0).max()?;
    (last - first < ROUND / 10).then(|| rounds.iter().map(|round| round.1).sum())
}

/// Returns when one thread began and how much it got done per second; `None` if it had no processor for
/// more than a twentieth of the time.
fn dispatches(engine: &Engine) -> Option<(Instant, f64)> {
    let before = on_processor();
    let began = Instant::now();
    let mut batches = 0.0;
    while began.elapsed() < ROUND {
        now(agent(black_box(engine), &call, BATCH));
        batches += 1.0;
    }
    let elapsed = began.elapsed();
    let had = on_processor()
        .zip(before)
        .is_none_or(|(after, before)| after - before >= elapsed * 19 / 20);
    had.then_some((began, batches / elapsed.as_secs_f64()))
}

/// Returns for how long this thread has had a processor, if the system reports it.
fn on_processor() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(status.split(' ').next()?.parse().ok()?))
}
