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

#[test]
fn every_step_that_went_on_is_in_the_journal_whenever_a_process_is_killed() {
    if let Some(file) = std::env::var_os(FILE) {
        return write_for_ever(file.into());
    }
    let place = Place::new();
    let mut went_on = BTreeSet::new();
    // A second process writes all the time, and is never killed before the end.
    let mut steady = start(&place);
    let steady_said = steady.said();
    let steady_said = std::thread::spawn(move || told(steady_said, WENT_ON));
    let mut chance = Chance::default();
    for number in 0..kills(KILLS) {
        let mut killed = start(&place);
        let mut said = killed.said();
        let mut first = String::new();
        // Every eighth is killed while it starts.
        if number % 8 != 0 {
            said.read_line(&mut first).unwrap();
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
    assert!(went_on.len() as u64 > kills(KILLS), "{}", went_on.len());
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
