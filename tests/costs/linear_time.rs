//! Promise: no text that an agent, a handler or a config can choose makes the work grow by
//! more than 2.5 times where the text doubles: builtins, parsers, hiders, matchers, messages.
//!
//! What is measured is the processor time of this thread, as the kernel counts it, so a busy machine
//! does not matter much; and the least of several runs counts. Four times the text may take 2.5 ×
//! 2.5 times the work: what is linear takes 4 times as much, what is quadratic 16 times.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail")]

mod configs;
mod readers;
mod steps;
mod texts;

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use serde_json::{Value, json};
use texts::{UNITS, repeated};

/// Work may grow so much where the text becomes four times as long.
const MOST: f64 = 2.5 * 2.5;

/// The text is made so long that the work takes so many nanoseconds at least.
const BASE: u64 = 1_000_000;

/// Work that takes less than this tells nothing about growth.
const LEAST: u64 = 250_000;

/// The shortest and the longest text to begin with.
const SIZES: std::ops::Range<usize> = 2 << 10..64 << 10;

/// Nanoseconds that this thread has had a processor.
fn cpu() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The kernel brings the sum up to date when the thread lets go.
    std::thread::yield_now();
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    counted
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .filter(|nanos| *nanos > 0)
        .unwrap_or_else(|| u64::try_from(START.elapsed().as_nanos()).unwrap())
}

fn least<T>(input: &T, rounds: usize, run: &dyn Fn(&T)) -> u64 {
    let time = |_| {
        let before = cpu();
        run(input);
        cpu() - before
    };
    (0..rounds).map(time).min().unwrap()
}

/// How much the work grows where the input becomes four times as large, if that is too much.
fn excess<T>(make: &dyn Fn(usize) -> T, run: &dyn Fn(&T)) -> Option<f64> {
    let mut size = SIZES.start;
    run(&make(size));
    while size < SIZES.end && least(&make(size), 1, run) < BASE {
        size *= 2;
    }
    growth(size, make, run)?;
    // A bound that is reached, or memory that is given back, is a step: what is not linear goes on.
    let ratio = growth(4 * size, make, run)?;
    // Told at once: the other texts take a while.
    eprintln!("{size} bytes and sixteen times as many: {ratio:.1} times the work, twice");
    Some(ratio)
}

/// How much the work grows from this size to four times as much, if that is too much.
fn growth<T>(size: usize, make: &dyn Fn(usize) -> T, run: &dyn Fn(&T)) -> Option<f64> {
    let (small, large) = (make(size), make(4 * size));
    let mut ratio = 0.0;
    // Who is too slow once may have been disturbed.
    for rounds in [1, 2, 4] {
        let least = |input| least(input, rounds, run).max(LEAST);
        let (before, after) = (least(&small), least(&large));
        #[allow(clippy::cast_precision_loss, reason = "nanoseconds of seconds")]
        let now = after as f64 / before as f64;
        ratio = now;
        if ratio <= MOST {
            return None;
        }
    }
    Some(ratio)
}

/// All hostile texts, each through this work.
#[track_caller]
fn holds_for_all_texts(what: &str, run: &dyn Fn(&String)) {
    let slow: Vec<_> = UNITS
        .iter()
        .filter_map(|unit| Some((*unit, excess(&|length| repeated(unit, length), run)?)))
        .collect();
    assert!(slow.is_empty(), "{what} is not linear in these: {slow:?}");
}

/// All hostile values, each through this work.
#[track_caller]
fn holds_for_all_values(what: &str, run: &dyn Fn(&Value)) {
    holds_for_all_made_of_values(what, &|value| value, run);
}

/// All that is made of hostile values, each through this work.
#[track_caller]
fn holds_for_all_made_of_values<T>(what: &str, prepare: &dyn Fn(Value) -> T, run: &dyn Fn(&T)) {
    let texts = UNITS.iter().step_by(3).map(|unit| {
        let make: Box<dyn Fn(usize) -> Value> =
            Box::new(move |length| Value::String(repeated(unit, length)));
        (format!("{unit:?}"), make)
    });
    let many = |of: &'static dyn Fn(usize) -> (String, Value)| -> Box<dyn Fn(usize) -> Value> {
        Box::new(move |length| Value::Object((0..length / 24).map(of).collect()))
    };
    let rows = |row: fn() -> Value| -> Box<dyn Fn(usize) -> Value> {
        Box::new(move |length| (0..length / 24).map(|_| row()).collect())
    };
    let values = [
        ("many keys", many(&|at| (format!("key-{at}"), json!(at)))),
        ("many secret keys", many(&|at| (format!("{at}_password"), json!("x")))),
        ("many keys that are secrets", many(&|at| (format!("AKIA{at:016}"), json!(1)))),
        (
            "many keys that become one",
            many(&|at| (format!("AKIAIOSFODNN7EXAMPLE {}", at % 7), json!(at))),
        ),
        ("many flags", rows(|| json!("--password"))),
        ("many pairs", rows(|| json!({"name": "DB_PASSWORD", "value": "x"}))),
        ("many objects", rows(|| json!({"secret": {"a": ["b"]}}))),
        (
            "a long key",
            Box::new(|length: usize| json!({ ("a_".repeat(length / 2)): 1 }))
                as Box<dyn Fn(usize) -> Value>,
        ),
    ];
    let all = values.into_iter().map(|(name, make)| (name.to_owned(), make)).chain(texts);
    let slow: Vec<_> = all
        .filter_map(|(name, make)| Some((name, excess(&|length| prepare(make(length)), run)?)))
        .collect();
    assert!(slow.is_empty(), "{what} is not linear in these: {slow:?}");
}

#[test]
fn what_is_quadratic_is_seen() {
    let quadratic = |text: &String| {
        let bytes = text.as_bytes();
        let equal = |at: &usize| bytes[..*at].iter().filter(|byte| **byte == b'b').count() == 1;
        black_box((0..bytes.len()).step_by(512).filter(equal).count());
    };
    let make = |length| "a".repeat(length);
    assert!(excess(&make, &quadratic).is_some());
    let linear = |text: &String| {
        black_box(text.bytes().filter(|byte| black_box(*byte) == b'b').count());
    };
    assert!(excess(&make, &linear).is_none());
}
