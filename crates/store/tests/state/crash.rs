//! Promise: a process can be killed at any moment, while another one counts: the state opens, its seals hold, and it has
//! every count that was told.

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Duration;

use hookgate_store::StateDatabase;
use hookgate_test_support::kills::{self, Chance, Process};
use tempfile::TempDir;

use crate::support::{count_in, look};

/// The folder in which a process counts until it is killed.
const FOLDER: &str = "HOOKGATE_TEST_STATE";

/// How many kills.
const KILLS: u64 = 50;

#[test]
fn every_count_that_was_told_is_kept_whenever_a_process_is_killed() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return count_for_ever(Path::new(&folder));
    }
    let folder = TempDir::new().unwrap();
    // A second process counts all the time, and is never killed before the end.
    let mut steady = start(folder.path());
    let steady_said = steady.said();
    let steady_said = std::thread::spawn(move || told(steady_said));
    let mut all = Vec::new();
    let mut chance = Chance::default();
    for number in 0..KILLS {
        let mut killed = start(folder.path());
        let mut said = killed.said();
        // Every eighth is killed while it starts.
        if number % 8 != 0 {
            let mut first = String::new();
            while !first.contains("counted") && said.read_line(&mut first).unwrap() > 0 {}
            all.extend(told(first.as_bytes()));
        }
        chance.wait(Duration::from_millis(15));
        killed.kill();
        all.extend(told(said));
    }
    steady.kill();
    all.extend(steady_said.join().unwrap());
    let count = look(folder.path(), "s").unwrap().unwrap();
    let told = all.len() as u64;
    assert!(told > KILLS, "{told}");
    // No number was given twice: no count was lost.
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len() as u64, told);
    // What was counted, and not told, is at most one of each process.
    assert!((told..=told + KILLS + 1).contains(&count), "{told} of {count}");
    assert_eq!(count_in(&StateDatabase::new(folder.path()), "s"), Ok(count + 1));
}

fn start(folder: &Path) -> Process {
    let test = "crash::every_count_that_was_told_is_kept_whenever_a_process_is_killed";
    Process::start(test, FOLDER, folder)
}

fn told(said: impl std::io::BufRead) -> Vec<u64> {
    let told = kills::told(said, "counted: ");
    told.iter().filter_map(|number| number.parse().ok()).collect()
}

fn count_for_ever(folder: &Path) {
    let mut stdout = std::io::stdout();
    // The first line of a test has no end of its own.
    writeln!(stdout).unwrap();
    let mut database = StateDatabase::new(folder);
    for number in 0_u64.. {
        if number % 4 == 0 {
            database = StateDatabase::new(folder);
        }
        let count = count_in(&database, "s").unwrap();
        writeln!(stdout, "counted: {count}").unwrap();
        stdout.flush().unwrap();
    }
}
