//! A run with `--watch`, beside the test.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Folder, bash};

/// Long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a command with pipes, and reads the lines of its stderr as they come.
pub(crate) fn started(command: &mut Command) -> (Child, Receiver<String>) {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (sender, stderr) = channel();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    (child, stderr)
}

pub(crate) struct Watching {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    pub(crate) stderr: Receiver<String>,
}

impl Watching {
    pub(crate) fn start(folder: &Folder, config: &str) -> Self {
        Self::start_with(folder, &["run", "--watch", "-c", config], "")
    }

    /// With the configs that are found from a folder below.
    pub(crate) fn start_in(folder: &Folder, below: &str) -> Self {
        Self::start_with(folder, &["run", "--watch"], below)
    }

    pub(crate) fn start_with(folder: &Folder, args: &[&str], below: &str) -> Self {
        let mut command = folder.hookgate(args);
        let (mut child, stderr) = started(command.current_dir(folder.path(below)));
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, stderr }
    }

    /// Sends a step and reads its record: each is there before the next step is.
    pub(crate) fn evaluate(&mut self, command: &str) -> Value {
        writeln!(self.stdin.as_mut().unwrap(), "{}", bash(command)).unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Waits for a line on stderr.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        loop {
            let line = self.stderr.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{text}`"));
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.stdin.take());
        let code = self.child.wait().unwrap().code();
        (code, self.stderr.iter().collect::<Vec<_>>().join("\n"))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}
