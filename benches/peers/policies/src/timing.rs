//! Times per step, of all engines in turns.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::Judge;
use crate::steps::{Step, recorded};

/// How many turns each has.
const TURNS: usize = 15;

/// How long a step takes, in nanoseconds.
#[derive(Debug, Serialize, Deserialize)]
pub struct PerStep {
    /// The engine, or what is done without one.
    pub name: String,
    /// The median of the turns.
    pub nanoseconds: f64,
    /// The median of the quotients with parsing and writing alone.
    pub ratio: f64,
}

/// What is read of a line where nothing is evaluated.
#[derive(Deserialize)]
struct Line {
    tool_name: String,
    tool_input: serde_json::Value,
}

/// What is written about a step.
#[derive(Serialize)]
struct Record<'a> {
    step: usize,
    outcome: &'a str,
}

/// Times engines, and reading and writing without one. Prints the result as JSON.
///
/// # Panics
/// If an engine decides a step otherwise than the rules say: then it must not be timed.
pub fn print(judges: &mut [Box<dyn Judge>]) {
    let steps = recorded();
    for judge in judges.iter_mut() {
        for step in &steps {
            assert_eq!(judge.denies(&step.line), step.denied, "{}: {}", judge.name(), step.line);
        }
    }
    let mut times = vec![Vec::new(); judges.len() + 2];
    for _ in 0..TURNS {
        times[0].push(parsed(&steps));
        times[1].push(judged(&steps, |line| black_box(parse(line)).is_some_and(|_| false)));
        for (judge, times) in judges.iter_mut().zip(&mut times[2..]) {
            times.push(judged(&steps, |line| judge.denies(line)));
        }
    }
    let floor = times[1].clone();
    let names = ["serde_json: parse", "serde_json: parse and write"].into_iter();
    let names = names.chain(judges.iter().map(|judge| judge.name()));
    let results: Vec<_> = names
        .zip(times)
        .map(|(name, times)| {
            let ratios = times.iter().zip(&floor).map(|(time, floor)| time / floor).collect();
            PerStep { name: name.to_owned(), nanoseconds: median(times), ratio: median(ratios) }
        })
        .collect();
    println!("{}", serde_json::json!(results));
}

fn parse(line: &str) -> Option<Line> {
    let line: Line = serde_json::from_str(line).ok()?;
    black_box((&line.tool_name, &line.tool_input));
    Some(line)
}

fn parsed(steps: &[Step]) -> f64 {
    let start = Instant::now();
    for step in steps {
        black_box(parse(&step.line).is_some());
    }
    each(start, steps)
}

/// From the line of each step to its record.
fn judged(steps: &[Step], mut denies: impl FnMut(&str) -> bool) -> f64 {
    let mut out = Vec::with_capacity(64 * steps.len());
    let start = Instant::now();
    for (step, Step { line, .. }) in steps.iter().enumerate() {
        let outcome = if denies(line) { "deny" } else { "allow" };
        // Nothing fails to be written into memory.
        let _ = serde_json::to_writer(&mut out, &Record { step, outcome });
        let _ = out.write_all(b"\n");
    }
    black_box(out.len());
    each(start, steps)
}

#[expect(clippy::cast_precision_loss, reason = "there are few steps")]
fn each(start: Instant, steps: &[Step]) -> f64 {
    start.elapsed().as_secs_f64() * 1e9 / steps.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
