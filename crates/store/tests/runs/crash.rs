//! Promise: processes that do runs can be killed at any moment and their clocks can jump: each run ends once, or is marked,
//! and none is done twice at the same time.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hookgate_store::{Run, RunError, RunFilter, RunState, RunStore, Worker};
use hookgate_test_support::kills::{Chance, Process, kills};
use rusqlite::Connection;

use crate::support::{Handled, LONG, Place, done, new_run, settings_in};

/// The folder in which a process does runs until it is killed.
const FOLDER: &str = "HOOKGATE_TEST_RUNS";

/// How many kills.
const KILLS: u64 = 30;

/// How many kills of the control.
const OF_CONTROL: u64 = 5;

/// How many runs are queued or under way at each kill.
const IN_FLIGHT: usize = 100;

#[test]
fn every_run_ends_once_and_none_is_done_twice_at_the_same_time_whoever_is_killed() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return work_for_ever(Path::new(&folder), false);
    }
    let place = Place::new();
    let test =
        "crash::every_run_ends_once_and_none_is_done_twice_at_the_same_time_whoever_is_killed";
    let (store, workers, most) = kill_workers(&place, test, kills(KILLS));
    assert!(most >= IN_FLIGHT / 2, "there were {most} under way at most");
    let begun = Instant::now();
    while !store.list(&open()).unwrap().is_empty() {
        assert!(begun.elapsed() < LONG, "{:?}", store.list(&open()).unwrap());
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(workers);
    let runs = store.list(&RunFilter::default()).unwrap();
    let overlaps = overlaps(&place.0.path().join("log"));
    assert!(overlaps.is_empty(), "{overlaps:?}");
    for run in &runs {
        let may_be_lost = run.max_attempts == 1;
        let is_right =
            run.state == RunState::Succeeded || (may_be_lost && run.state == RunState::Orphaned);
        assert!(is_right, "{run:?}");
        let shown = store.show(run.id).unwrap();
        let ends = shown
            .audit
            .iter()
            .filter(|row| RunState::from_name(&row.what).is_some_and(RunState::is_end));
        assert_eq!(ends.count(), 1, "{shown:?}");
        assert_eq!(shown.attempts.len() as u64, run.epoch, "{shown:?}");
        assert!(shown.attempts.iter().all(|attempt| attempt.outcome.is_some()), "{shown:?}");
    }
    // Else nobody was killed in the middle of anything.
    let again = runs.iter().filter(|run| run.attempts > 1).count() as u64;
    let orphaned = runs.iter().filter(|run| run.state == RunState::Orphaned).count();
    assert!(again >= kills(KILLS) && orphaned > 0, "{again} again, {orphaned} orphaned");
    println!("{} runs, {again} done again, {orphaned} orphaned", runs.len());
}

/// The same, with a recovery that takes runs over without asking who holds them.
#[test]
fn without_leases_runs_are_done_twice_at_the_same_time() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return work_for_ever(Path::new(&folder), true);
    }
    let place = Place::new();
    let test = "crash::without_leases_runs_are_done_twice_at_the_same_time";
    drop(kill_workers(&place, test, OF_CONTROL));
    let overlaps = overlaps(&place.0.path().join("log"));
    assert!(!overlaps.is_empty(), "what is to find an overlap finds none");
}

/// The runs that have not ended.
fn open() -> RunFilter {
    RunFilter::default().states([RunState::Queued, RunState::Running])
}

/// Kills one of two workers again and again, with a hundred runs in flight. Returns the workers that are left, and how
/// many runs were under way at most.
fn kill_workers(place: &Place, test: &str, kills: u64) -> (RunStore, [Process; 2], usize) {
    let store = place.store();
    let mut chance = Chance::default();
    let (mut queued, mut most) = (0_u64, 0);
    let mut top_up = || {
        let missing = IN_FLIGHT.saturating_sub(patiently(|| store.list(&open())).len());
        let new = (queued..).take(missing).map(|number| {
            // Of each ten one may be tried once only.
            let attempts = if number % 10 == 9 { 1 } else { 100_000 };
            new_run(&format!("run-{number}")).attempts(attempts)
        });
        let new: Vec<_> = new.collect();
        queued += patiently(|| store.enqueue_all(&new)).len() as u64;
    };
    let start = || Process::start(test, FOLDER, place.0.path());
    let mut workers = [start(), start()];
    for number in 0..kills {
        top_up();
        let worker = usize::try_from(chance.draw() % 2).unwrap();
        // Every eighth is killed while it starts.
        if number % 8 != 0 {
            wait_for_work(place, workers[worker].id(), &mut top_up);
        }
        chance.wait(Duration::from_millis(20));
        let running = RunFilter::default().states([RunState::Running]);
        most = most.max(patiently(|| store.list(&running)).len());
        workers[worker].kill();
        workers[worker] = start();
    }
    (store, workers, most)
}

/// Does something again while another process holds the file: on a busy machine that can take longer than a call waits.
fn patiently<T>(act: impl Fn() -> Result<T, RunError>) -> T {
    let begun = Instant::now();
    loop {
        let is_busy = |error: &rusqlite::Error| {
            error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
        };
        match act() {
            Err(RunError::Sqlite { error, .. }) if is_busy(&error) && begun.elapsed() < LONG => {}
            done => return done.unwrap(),
        }
    }
}

/// Waits until a process has written something of late, while there is work.
fn wait_for_work(place: &Place, process: u32, top_up: &mut impl FnMut()) {
    let (log, sign, begun) = (place.0.path().join("log"), format!(" {process}\n"), Instant::now());
    while !end_of(&log).is_ok_and(|text| text.contains(&sign)) {
        assert!(begun.elapsed() < LONG, "{process} does nothing");
        top_up();
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the last lines of a log.
fn end_of(log: &Path) -> std::io::Result<String> {
    let mut log = File::open(log)?;
    let length = log.metadata()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(8192)))?;
    let mut text = String::new();
    log.read_to_string(&mut text)?;
    Ok(text)
}

/// Returns what a process has written about a run after another one had begun it.
fn overlaps(log: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(log).unwrap();
    let mut holders = HashMap::new();
    let mut overlaps = Vec::new();
    for line in log.lines() {
        let (what, rest) = line.split_once(' ').unwrap();
        let (run, claim) = rest.split_once(' ').unwrap();
        if what == "begin" {
            holders.insert(run, claim);
        } else if holders.get(run) != Some(&claim) {
            overlaps.push(format!("{line}, and {:?} has it", holders.get(run)));
        }
    }
    overlaps
}

/// Does runs, by a clock that jumps. Without leases it also takes over whatever is running.
fn work_for_ever(folder: &Path, without_leases: bool) {
    let jumps = AtomicU64::new(u64::from(std::process::id()));
    let clock = move || {
        let hour = 3_600_000;
        let offset = match jumps.fetch_add(1, Ordering::Relaxed) % 7 {
            0 => 24 * hour,
            1 => hour,
            2 => -hour,
            3 => -24 * hour,
            _ => 0_i64,
        };
        now().saturating_add_signed(offset)
    };
    let settings = settings_in(folder).lease(Duration::from_millis(300)).clock(clock);
    let store = RunStore::open(settings).unwrap();
    if without_leases {
        let file = store.settings().file.clone();
        std::thread::spawn(move || take_over_for_ever(&file));
    }
    let log = folder.join("log");
    let handler = Handled(move |run: Run, _| {
        let log = log.clone();
        async move {
            let mut log = open_log(&log);
            tell(&mut log, "begin", &run);
            for moment in 0..3 {
                tokio::time::sleep(Duration::from_millis((run.id * 37 + moment * 11) % 60)).await;
                tell(&mut log, "at", &run);
            }
            tell(&mut log, "end", &run);
            done()
        }
    });
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let worker = Worker::new(store, handler).concurrency(60).poll(Duration::from_millis(10));
    runtime.unwrap().block_on(worker.run_until(std::future::pending())).unwrap();
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

fn take_over_for_ever(file: &Path) {
    let database = Connection::open(file).unwrap();
    database.busy_timeout(Duration::from_secs(2)).unwrap();
    loop {
        let take =
            "UPDATE run SET state = 'queued', holder = NULL, due = 0 WHERE state = 'running'";
        let _ = database.execute(take, ());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn open_log(log: &PathBuf) -> File {
    OpenOptions::new().create(true).append(true).open(log).unwrap()
}

/// Writes one line at once: a run, the claim and the process.
fn tell(log: &mut File, what: &str, run: &Run) {
    let line = format!("{what} {} {} {}\n", run.key, run.epoch, std::process::id());
    log.write_all(line.as_bytes()).unwrap();
}

#[test]
fn a_process_that_is_stopped_keeps_its_run_and_one_that_is_killed_gives_it_up_at_once() {
    let test =
        "crash::a_process_that_is_stopped_keeps_its_run_and_one_that_is_killed_gives_it_up_at_once";
    if let Some(folder) = std::env::var_os(FOLDER) {
        return hold_for_ever(Path::new(&folder));
    }
    let place = Place::new();
    let store = RunStore::open(place.settings().lease(Duration::from_millis(50))).unwrap();
    let id = store.enqueue(&new_run("one")).unwrap().id;
    let mut holder = Process::start(test, FOLDER, place.0.path());
    let mut lines = holder.said().lines();
    while lines.next().unwrap().unwrap() != "holds" {}
    signal(&holder, "STOP");
    for _ in 0..5 {
        // Longer than a lease, without a sign of life.
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(store.recover().unwrap().held, 1);
        assert!(store.claim("", &|_| true).unwrap().is_none());
    }
    signal(&holder, "CONT");
    holder.kill();
    assert_eq!(store.recover().unwrap().queued, 1);
    let mut late = store.claim("", &|_| true).unwrap().unwrap();
    assert_eq!(late.run().epoch, 2);
    late.succeed(&[], &[]).unwrap();
    let shown = store.show(id).unwrap();
    assert_eq!(shown.attempts[0].class.as_deref(), Some("gone"));
}

fn hold_for_ever(folder: &Path) {
    let store = RunStore::open(settings_in(folder)).unwrap();
    let _held = store.claim("", &|_| true).unwrap().unwrap();
    println!("\nholds");
    loop {
        std::thread::sleep(LONG);
    }
}

fn signal(process: &Process, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), process.id().to_string()]).status();
    assert!(sent.unwrap().success());
}
