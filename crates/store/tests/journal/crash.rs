//! Promise: a process can be killed at any moment, while another one writes: the journal opens, it is whole, and it has
//! every step that went on.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hookgate::Engine;
use hookgate_store::Journal;

use crate::support::{Place, dispatch, table};

/// The journal that a process writes until it is killed.
const FILE: &str = "HOOKGATE_TEST_JOURNAL";

/// How many kills.
const KILLS: &str = "HOOKGATE_TEST_KILLS";

fn kills() -> u64 {
    std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(200)
}

/// How many kills one journal lives through: who looks at it again and again reads all of it.
const KILLS_OF_JOURNAL: u64 = 250;

/// How many journals are written at the same time. Most of a kill is to wait for a disk and for a process to start.
const LANES: u64 = 4;

#[test]
fn every_step_that_went_on_is_in_the_journal_whenever_a_process_is_killed() {
    if let Some(file) = std::env::var_os(FILE) {
        return write_for_ever(file.into());
    }
    let kills = kills();
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            scope.spawn(move || {
                // Together they are as many as were asked for.
                let mut rest = kills / LANES + u64::from(lane < kills % LANES);
                while rest > 0 {
                    let kills = rest.min(KILLS_OF_JOURNAL);
                    live_through(kills, (lane << 32) | rest);
                    rest -= kills;
                }
            });
        }
    });
}

/// Kills one process after another that writes a journal, beside one that goes on, and looks whether it has all that it
/// must have.
fn live_through(kills: u64, seed: u64) {
    let place = Place::new();
    let mut went_on = BTreeSet::new();
    // A second process writes all the time, and is never killed before the end.
    let mut steady = start(&place);
    let steady_said = BufReader::new(steady.stdout.take().unwrap());
    let steady_said = std::thread::spawn(move || ids(steady_said));
    // Xorshift: the moments differ, and are the same in each run as far as a clock allows it.
    let mut chance: u64 = 0x9E37_79B9_7F4A_7C15 ^ seed.wrapping_mul(0xD134_2543_DE82_EF95);
    for kill in 0..kills {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let mut killed = start(&place);
        let mut said = BufReader::new(killed.stdout.take().unwrap());
        let mut first = String::new();
        // Every eighth is killed while it starts, every second when it has written, however slow the machine is.
        let waits_for = match kill % 8 {
            0 => None,
            odd if odd % 2 == 1 => Some("went on: "),
            _ => Some(""),
        };
        while let Some(begin) = waits_for {
            first.clear();
            if said.read_line(&mut first).unwrap() == 0 || first.starts_with(begin) {
                break;
            }
        }
        std::thread::sleep(Duration::from_micros(chance % 15_000));
        killed.kill().unwrap();
        killed.wait().unwrap();
        went_on.extend(first.strip_prefix("went on: ").map(|id| id.trim_end().to_owned()));
        went_on.extend(ids(said));
        if kill % 50 == 49 {
            place.assert_whole();
        }
    }
    steady.kill().unwrap();
    steady.wait().unwrap();
    went_on.extend(steady_said.join().unwrap());
    assert!(went_on.len() as u64 > kills, "{} of {kills}", went_on.len());
    place.assert_whole();
    let recorded: BTreeSet<String> = place.steps().into_iter().collect();
    let missing: Vec<&String> = went_on.difference(&recorded).collect();
    assert!(missing.is_empty(), "{missing:?} of {}", went_on.len());
    // Each process has asked for what is denied as well, and a step that is on its way at the kill is not told of.
    assert!(recorded.len() > went_on.len());
}

fn start(place: &Place) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("crash::every_step_that_went_on_is_in_the_journal_whenever_a_process_is_killed")
        .env(FILE, &place.file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The steps of whole lines: the last one may be cut.
fn ids(said: impl std::io::BufRead) -> Vec<String> {
    let mut said = said;
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    let whole = text.rfind('\n').map_or("", |end| text.get(..end).unwrap_or_default());
    whole.lines().filter_map(|line| Some(line.strip_prefix("went on: ")?.to_owned())).collect()
}

fn write_for_ever(file: std::path::PathBuf) {
    let mut settings = hookgate_store::JournalSettings::new(file);
    settings.required = true;
    let journal = Journal::open(settings).unwrap();
    let engine = Engine::new(table()).with_recorder(journal);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let process = std::process::id();
    let mut stdout = std::io::stdout();
    // The first line of a test has no end of its own.
    writeln!(stdout).unwrap();
    for number in 0_u64.. {
        let command = if number % 5 == 4 { "rm x" } else { "ls" };
        let step = format!("{process}-{number}");
        if runtime.block_on(dispatch(&engine, "s", &step, command)) {
            // Nothing is said before the journal has it.
            writeln!(stdout, "went on: {step}").unwrap();
            stdout.flush().unwrap();
        }
    }
}
