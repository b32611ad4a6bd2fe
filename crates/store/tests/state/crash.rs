//! Promise: a process can be killed at any moment, while another one counts: the state opens, its seals hold, and it has
//! every count that was told.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hookgate_store::StateDatabase;
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
    let steady_said = BufReader::new(steady.stdout.take().unwrap());
    let steady_said = std::thread::spawn(move || told(steady_said));
    let mut all = Vec::new();
    let mut chance: u64 = 0x9E37_79B9_7F4A_7C15;
    for kill in 0..KILLS {
        // Xorshift: the moments differ, and are the same in each run as far as a clock allows it.
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let mut killed = start(folder.path());
        let mut said = BufReader::new(killed.stdout.take().unwrap());
        // Every eighth is killed while it starts.
        if kill % 8 != 0 {
            let mut first = String::new();
            while !first.contains("counted") && said.read_line(&mut first).unwrap() > 0 {}
            all.extend(told(first.as_bytes()));
        }
        std::thread::sleep(Duration::from_micros(chance % 15_000));
        killed.kill().unwrap();
        killed.wait().unwrap();
        all.extend(told(said));
    }
    steady.kill().unwrap();
    steady.wait().unwrap();
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

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("crash::every_count_that_was_told_is_kept_whenever_a_process_is_killed")
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The numbers of whole lines: the last one may be cut.
fn told(said: impl std::io::BufRead) -> Vec<u64> {
    let (mut said, mut text) = (said, String::new());
    said.read_to_string(&mut text).unwrap();
    let whole = text.rfind('\n').map_or("", |end| text.get(..end).unwrap_or_default());
    whole.lines().filter_map(|line| line.strip_prefix("counted: ")?.parse().ok()).collect()
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
