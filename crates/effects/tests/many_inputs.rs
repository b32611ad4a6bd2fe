//! Promise: whatever the text, its effects are told soon, and without a panic.
//!
//! `HOOKGATE_FUZZ_INPUTS` says how many inputs are tried; CI tries a million.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]

use std::path::Path;
use std::time::{Duration, Instant};

use hookgate_effects::{Effects, Surroundings};
use serde_json::Value;

/// How many inputs are tried if nobody asks for more.
const INPUTS: u64 = 40_000;

/// The most time for a text of up to 10 KB, and for each 10 KB of a longer one. With the checks of a debug
/// build, and beside other tests, it takes longer.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 100 } else { 5 });

/// What the pieces of a mutation are taken from, besides the commands themselves.
const PIECES: [&str; 44] = [
    "'",
    "\"",
    "`",
    "$(",
    ")",
    "${",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "{",
    "<<E\n",
    "\nE\n",
    "<(",
    ">(",
    "|",
    "||",
    "&&",
    "&",
    ";",
    "\n",
    "\\",
    "$",
    "*",
    "~",
    "#",
    "=",
    "{a,b}",
    "{1..99}",
    "eval ",
    "sh -c ",
    "sudo ",
    "xargs ",
    "find . -exec ",
    "while true; do ",
    "done",
    "f() { ",
    "$'\\x41",
    "a[$(",
    "é",
    "\u{0}",
    "\t",
    "--help",
];

/// A small generator, so that a failure can be repeated by its number.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or_default() % count.max(1)
    }
}

fn around() -> Surroundings {
    Surroundings { cwd: Some("/home/u/project".to_owned()), home: Some("/home/u".to_owned()) }
}

fn commands() -> Option<Vec<String>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/conformance/shell/commands.jsonl");
    if !hookgate_test_support::needs::path(&file) {
        return None;
    }
    let text = std::fs::read_to_string(file).expect("the commands can be read");
    let rows = text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON"));
    Some(rows.map(|row: Value| row["command"].as_str().expect("a command").to_owned()).collect())
}

/// A text of any characters, or a command with a few changes, or several of them together.
fn input(commands: &[String], random: &mut Random) -> String {
    if random.below(8) == 0 {
        let length = random.below(200);
        return (0..length).map(|_| PIECES[random.below(PIECES.len())]).collect();
    }
    let mut text: Vec<char> = commands[random.below(commands.len())].chars().collect();
    for _ in 0..random.below(6) {
        let at = random.below(text.len() + 1);
        match random.below(5) {
            0 => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.chars());
            }
            1 => {
                let end = (at + random.below(8)).min(text.len());
                text.drain(at..end);
            }
            2 => {
                let other: Vec<char> = commands[random.below(commands.len())].chars().collect();
                let from = random.below(other.len() + 1);
                text.splice(at..at, other[from..].iter().copied());
            }
            3 => {
                let end = (at + random.below(30)).min(text.len());
                let part = text[at..end].to_vec();
                let most = if random.below(50) == 0 { 400 } else { 5 };
                let times = random.below(most);
                for _ in 0..times {
                    text.splice(at..at, part.iter().copied());
                }
            }
            _ => {
                if let Some(place) = text.get_mut(at) {
                    *place = char::from_u32(random.0 as u32 % 0x250).unwrap_or('\u{fffd}');
                }
            }
        }
    }
    text.into_iter().collect()
}

fn time(text: &str) -> Duration {
    let start = Instant::now();
    std::hint::black_box(Effects::of_command(text, &around()));
    start.elapsed()
}

#[test]
fn any_input_has_effects_soon() {
    let Some(commands) = commands() else { return };
    let inputs = std::env::var("HOOKGATE_FUZZ_INPUTS").ok();
    let inputs = inputs.and_then(|inputs| inputs.parse().ok()).unwrap_or(INPUTS);
    time("rm x");
    let started = Instant::now();
    let mut bytes = 0;
    let mut slow: Vec<(Duration, usize, String)> = Vec::new();
    let mut slowest = (Duration::ZERO, String::new());
    for number in 0..inputs {
        let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let text = input(&commands, &mut random);
        bytes += text.len();
        let limit = LIMIT * u32::try_from(text.len() / 10_240 + 1).unwrap_or(u32::MAX);
        let mut took = time(&text);
        // A busy machine may disturb one measurement, but not each of them.
        for _ in 0..9 {
            if took > limit {
                took = took.min(time(&text));
            }
        }
        if took > limit {
            slow.push((took, text.len(), text));
            continue;
        }
        if took > slowest.0 {
            slowest = (took, text.chars().take(100).collect());
        }
    }
    let took = started.elapsed();
    println!("{inputs} inputs, {bytes} bytes in {took:?}; the slowest took {slowest:?}");
    assert!(slow.is_empty(), "{} are slow: {slow:#?}", slow.len());
}

/// Ten times the text must not take much more than ten times the time.
#[test]
fn time_is_linear_in_the_length() {
    let Some(commands) = commands() else { return };
    // The same commands several times, so that nothing but the length differs.
    let mut block = String::new();
    for command in commands.iter().filter(|command| !command.contains("<<")).step_by(20).take(40) {
        block.push_str(command);
        block.push('\n');
    }
    let (short, long) = (block.clone(), block.repeat(10));
    let best = |text: &str| (0..60).map(|_| time(text)).min().unwrap_or_default();
    let (short_time, long_time) = (best(&short), best(&long));
    let ratio = long_time.as_secs_f64() / short_time.as_secs_f64();
    let lengths = f64::from(u32::try_from(long.len()).expect("short"))
        / f64::from(u32::try_from(short.len()).expect("short"));
    println!(
        "{lengths:.1} times the text takes {ratio:.1} times the time: {short_time:?} {long_time:?}"
    );
    assert!(ratio < lengths * 3.0, "{ratio} for {lengths}");
}
