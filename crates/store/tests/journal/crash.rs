//! Promise: a process can be killed at any moment, while another one writes: the journal opens, it is whole, and it has
//! every step that went on.

use std::collections::BTreeSet;
use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use hookgate::Engine;
use hookgate_store::Journal;
use hookgate_test_support::kills::{Chance, Process, kills, told};

use crate::support::{Place, dispatch, table};

/// The journal that a process writes until it is killed.
const FILE: &str = "HOOKGATE_TEST_JOURNAL";

/// How many kills.
const KILLS: u64 = 200;

/// What a process says of a step that went on.
const WENT_ON: &str = "went on: ";

/// How many kills one journal lives through: who looks at it again and again reads all of it.
const KILLS_OF_JOURNAL: u64 = 250;

/// How many journals are written at the same time. Most of a kill is to wait for a disk and for a process to start.
const LANES: u64 = 4;

#[test]
fn every_step_that_went_on_is_in_the_journal_whenever_a_process_is_killed() {
    if let Some(file) = std::env::var_os(FILE) {
        return write_for_ever(file.into());
    }
    let kills = kills(KILLS);
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
    let steady_said = steady.said();
    let steady_said = std::thread::spawn(move || told(steady_said, WENT_ON));
    let mut chance = Chance::of_seed(seed);
    for number in 0..kills {
        let mut killed = start(&place);
        let mut said = killed.said();
        let mut first = String::new();
        // Every eighth is killed while it starts, every second when it has written, however slow the machine is.
        let waits_for = match number % 8 {
            0 => None,
            odd if odd % 2 == 1 => Some(WENT_ON),
            _ => Some(""),
        };
        while let Some(begin) = waits_for {
            first.clear();
            if said.read_line(&mut first).unwrap() == 0 || first.starts_with(begin) {
                break;
            }
        }
        chance.wait(Duration::from_millis(15));
        killed.kill();
        went_on.extend(told(first.as_bytes(), WENT_ON));
        went_on.extend(told(said, WENT_ON));
        if number % 50 == 49 {
            place.assert_whole();
        }
    }
    steady.kill();
    went_on.extend(steady_said.join().unwrap());
    assert!(went_on.len() as u64 > kills, "{} of {kills}", went_on.len());
    place.assert_whole();
    let recorded: BTreeSet<String> = place.steps().into_iter().collect();
    let missing: Vec<&String> = went_on.difference(&recorded).collect();
    assert!(missing.is_empty(), "{missing:?} of {}", went_on.len());
    // Each process has asked for what is denied as well, and a step that is on its way at the kill is not told of.
    assert!(recorded.len() > went_on.len());
}

fn start(place: &Place) -> Process {
    let test = "crash::every_step_that_went_on_is_in_the_journal_whenever_a_process_is_killed";
    Process::start(test, FILE, &place.file)
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
            writeln!(stdout, "{WENT_ON}{step}").unwrap();
            stdout.flush().unwrap();
        }
    }
}
