//! Threads with one engine, and calls while the table is swapped.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::call::{Call, TOOL};
use crate::cases;
use crate::hooks::Act;
use crate::rounds::Rounds;
use crate::scale::{Plot, Shows};
use crate::system::System;
use crate::turns::quantile;
use crate::work::SMALL;

/// How long one measurement lasts: not longer than the system lets a thread run in one go.
const ROUND: Duration = Duration::from_millis(20);

/// How many rounds are made between two looks at the clock.
const BATCH: u64 = 200;

/// How many undisturbed turns are wanted.
const WANTED: usize = 15;

/// How often it is tried at most: on a busy machine two processors are rarely free at once.
const TRIES: usize = 150;

/// How many threads there are in a plot.
const THREADS: [u32; 4] = [1, 2, 4, 8];

/// How often each number of threads is measured for a plot.
const TIMES: usize = 15;

/// What threads do to a system.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Threads {
    /// How many times as many calls two threads evaluate with one engine as one thread does; `None` if the machine
    /// was too busy to say.
    pub two: Option<f64>,
    /// Nanoseconds for a call while another thread swaps the table without a pause.
    pub swapped: Option<f64>,
    /// How many swaps that thread made in a second.
    pub swaps: Option<f64>,
}

/// Measures a system with hooks for another tool, none of which runs; for one that has no such hooks, one that runs.
#[must_use]
pub fn measured(system: &dyn System) -> Threads {
    let work = cases::dispatch(cases::numbered(100, cases::exact, Act::Silent), 0);
    let every = cases::dispatch(cases::numbered(1, cases::every, Act::Silent), 1);
    let rounds = system.rounds(&work).or_else(|| system.rounds(&every));
    let two = rounds.and_then(|rounds| two_threads(&rounds));
    let hooks = cases::numbered(10, cases::exact, Act::Silent);
    let swapped = system.swapped_meanwhile(&hooks, Call::new(TOOL, SMALL));
    let swapped = swapped.map(|(calls, swap)| while_swapping(&calls, &swap));
    Threads { two, swapped: swapped.map(|it| it.0), swaps: swapped.map(|it| it.1) }
}

/// Measures how many calls so many threads evaluate together with one engine, whose hook says nothing.
#[must_use]
pub fn growth(systems: &[Box<dyn System>]) -> Plot {
    let work = cases::dispatch(cases::numbered(1, cases::every, Act::Silent), 1);
    let line = |system: &dyn System| {
        let rounds = system.rounds(&work)?;
        let points = THREADS.map(|threads| (f64::from(threads), together(&rounds, threads)));
        Some((system.name().to_owned(), points.into()))
    };
    Plot {
        name: "threads".to_owned(),
        title: "Calls of so many threads with one engine, whose hook says nothing".to_owned(),
        grows: "threads".to_owned(),
        shows: Shows::PerSecond,
        lines: systems.iter().filter_map(|system| line(system.as_ref())).collect(),
    }
}

/// Returns the rounds per second of so many threads together, the median of some measurements. Threads that are more
/// than the processors take turns, so what counts is when the last of them is done.
fn together(rounds: &Rounds, threads: u32) -> f64 {
    let once = || {
        let start = Barrier::new(threads as usize + 1);
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(|| {
                        rounds.warm_up(BATCH);
                        start.wait();
                        batches(rounds)
                    })
                })
                .collect();
            start.wait();
            let began = Instant::now();
            let batches: f64 = running.into_iter().filter_map(|thread| thread.join().ok()).sum();
            batches * BATCH as f64 / began.elapsed().as_secs_f64()
        })
    };
    quantile((0..TIMES).map(|_| once()).collect(), 0.5).unwrap_or_default()
}

/// Runs batches for the time of a measurement; how many.
fn batches(rounds: &Rounds) -> f64 {
    let began = Instant::now();
    let mut batches = 0.0;
    while began.elapsed() < ROUND {
        rounds.run(BATCH);
        batches += 1.0;
    }
    batches
}

/// Returns the median of turns, each of one thread and then of two: the machine is not as fast all the time.
fn two_threads(rounds: &Rounds) -> Option<f64> {
    let turn = |_| Some((throughput(rounds, 1)?, throughput(rounds, 2)?));
    let turns: Vec<_> = (0..TRIES).filter_map(turn).take(WANTED).collect();
    if turns.len() < 3 {
        return None;
    }
    quantile(turns.into_iter().map(|(one, two)| two / one).collect(), 0.5)
}

/// Returns the rounds per second of so many threads together. `None` if they did not all have a processor from
/// beginning to end: threads that take turns do not get in each other's way.
fn throughput(rounds: &Rounds, threads: usize) -> Option<f64> {
    let start = Barrier::new(threads);
    let each: Option<Vec<f64>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    rounds.warm_up(BATCH);
                    start.wait();
                    alone(rounds)
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    });
    Some(each?.iter().sum())
}

/// Returns the rounds per second of this thread; `None` if it had no processor for more than a twentieth of the time.
fn alone(rounds: &Rounds) -> Option<f64> {
    let before = on_processor();
    let began = Instant::now();
    let batches = batches(rounds);
    let elapsed = began.elapsed();
    let had = on_processor()
        .zip(before)
        .is_none_or(|(after, before)| after - before >= elapsed * 19 / 20);
    had.then(|| batches * BATCH as f64 / elapsed.as_secs_f64())
}

/// Returns for how long this thread has had a processor, if the system reports it.
fn on_processor() -> Option<Duration> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(status.split(' ').next()?.parse().ok()?))
}

/// Returns the nanoseconds of a call while another thread swaps without a pause, and the swaps per second.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn while_swapping(calls: &Rounds, swap: &Rounds) -> (f64, f64) {
    let (stop, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                swap.run(1);
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        calls.run(BATCH);
        let (began, before) = (Instant::now(), swaps.load(Ordering::Relaxed));
        let times = (0..200).map(|_| {
            let start = Instant::now();
            calls.run(BATCH);
            start.elapsed().as_secs_f64() * 1e9 / BATCH as f64
        });
        let median = quantile(times.collect(), 0.5).unwrap_or_default();
        let swapped = swaps.load(Ordering::Relaxed) - before;
        stop.store(true, Ordering::Relaxed);
        (median, swapped as f64 / began.elapsed().as_secs_f64())
    })
}
