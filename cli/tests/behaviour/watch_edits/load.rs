//! A run with `--watch` that evaluates the same steps again and again.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{REPORTED, STEPS, TICK, decision, step};
use crate::support::Folder;
use crate::watching::{PATIENCE, started};

/// What the records have shown so far.
#[derive(Default)]
struct Seen {
    /// The hashes of the configs that have decided, with the time of the first record of each.
    hashes: Vec<(String, Instant)>,
    /// The decisions of the last pass that is complete, and its number.
    pass: Option<(usize, Vec<String>)>,
    /// The number of the next pass.
    next: usize,
    steps: usize,
}

/// A run that evaluates the same steps again and again.
pub(super) struct Load {
    child: Child,
    seen: Arc<Mutex<Seen>>,
    stderr: Receiver<String>,
    feeder: Option<thread::JoinHandle<()>>,
    /// Dropped at the end.
    go_on: Option<std::sync::mpsc::Sender<()>>,
}

impl Load {
    pub(super) fn start(folder: &Folder) -> Self {
        let mut command = folder.hookgate(&["run", "-q", "--watch", "-c", "hooks.toml"]);
        let (mut child, stderr) = started(&mut command);
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (go_on, stop) = channel();
        let shared = Arc::clone(&seen);
        let feeder = thread::spawn(move || feed(stdin, stdout, &shared, &stop));
        Self { child, seen, stderr, feeder: Some(feeder), go_on: Some(go_on) }
    }

    /// Returns when the first record of a config has come.
    pub(super) fn wait_for_hash(&self, hash: &str) -> Option<Instant> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let seen = self.seen.lock().unwrap();
            if let Some((_, at)) = seen.hashes.iter().find(|(found, _)| found == hash) {
                return Some(*at);
            }
            drop(seen);
            thread::sleep(Duration::from_millis(2));
        }
        None
    }

    /// Waits for the report of a reload that was refused.
    pub(super) fn wait_for_refusal(&self) {
        let began = Instant::now();
        loop {
            match self.stderr.recv_timeout(REPORTED.saturating_sub(began.elapsed())) {
                Ok(line) if line.contains("not reloaded, it has") => return,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the run has ended"),
            }
        }
    }

    /// Returns the decisions of a pass that begins from now on.
    pub(super) fn next_pass(&self) -> Vec<String> {
        let (began, first) = (Instant::now(), self.seen.lock().unwrap().next);
        while began.elapsed() < PATIENCE {
            match &self.seen.lock().unwrap().pass {
                Some((pass, decisions)) if *pass >= first => return decisions.clone(),
                _ => {}
            }
            thread::sleep(Duration::from_millis(2));
        }
        panic!("no decisions come any more");
    }

    /// Returns the hashes of the configs that have decided since the last call, in their order.
    pub(super) fn take_hashes(&self) -> Vec<String> {
        // What was said so far is of the edits so far.
        while self.stderr.try_recv().is_ok() {}
        let mut seen = self.seen.lock().unwrap();
        let hashes: Vec<String> = seen.hashes.iter().map(|(hash, _)| hash.clone()).collect();
        let last = seen.hashes.pop();
        seen.hashes = last.into_iter().collect();
        hashes
    }

    /// Ends the run, and returns how many steps it has evaluated.
    pub(super) fn end(mut self) -> usize {
        drop(self.go_on.take());
        self.feeder.take().unwrap().join().expect("each step has one decision");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        self.seen.lock().unwrap().steps
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends all steps, reads a record for each, and begins again.
fn feed(mut stdin: ChildStdin, stdout: ChildStdout, seen: &Mutex<Seen>, stop: &Receiver<()>) {
    let mut records = BufReader::new(stdout).lines();
    for pass in 0.. {
        seen.lock().unwrap().next = pass + 1;
        let steps: String = (0..STEPS).map(|at| step(pass, at)).collect();
        stdin.write_all(steps.as_bytes()).expect("the run reads on");
        let mut decisions = Vec::new();
        for at in 0..STEPS {
            let line = records.next().expect("a record for each step").unwrap();
            let record: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(record["step_id"], format!("{pass}-{at}"), "a record for each step");
            decisions.push(decision(&record));
            let hash = record["config_hash"].as_str().expect("a hash");
            let mut seen = seen.lock().unwrap();
            seen.steps += 1;
            if seen.hashes.last().is_none_or(|(last, _)| last != hash) {
                seen.hashes.push((hash.to_owned(), Instant::now()));
            }
        }
        seen.lock().unwrap().pass = Some((pass, decisions));
        // The other runs, and the script that edits, want to go on as well.
        if stop.recv_timeout(TICK) == Err(RecvTimeoutError::Disconnected) {
            break;
        }
    }
    drop(stdin);
    assert!(records.next().is_none(), "more records than steps");
}
