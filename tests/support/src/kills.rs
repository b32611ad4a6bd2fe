//! Processes of a test that are killed at any moment: the test starts itself once more, told by a variable.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Returns how many kills there are: what `HOOKGATE_TEST_KILLS` says, or else `usual`.
pub fn kills(usual: u64) -> u64 {
    let told = std::env::var("HOOKGATE_TEST_KILLS").ok();
    told.and_then(|kills| kills.parse().ok()).unwrap_or(usual)
}

/// Numbers that differ (xorshift), and are the same in each run.
#[derive(Debug)]
pub struct Chance(u64);

impl Default for Chance {
    fn default() -> Self {
        Self::of_seed(0)
    }
}

impl Chance {
    /// Returns the numbers of a seed; those of another one differ.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        Self(0x9E37_79B9_7F4A_7C15 ^ seed.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Waits a moment, shorter than this.
    pub fn wait(&mut self, most: Duration) {
        let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX).max(1);
        std::thread::sleep(Duration::from_micros(self.draw() % most));
    }
}

/// A process of a test, which does not outlive it.
#[derive(Debug)]
pub struct Process(Child);

impl Process {
    /// Starts this test program again for one test, with a variable by which that knows what to do.
    pub fn start(test: &str, variable: &str, value: impl AsRef<OsStr>) -> Self {
        let program = std::env::current_exe().expect("a test knows its program");
        let started = Command::new(program)
            .args(["--exact", "--nocapture", test])
            .env(variable, value)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Self(started.expect("a test starts its program"))
    }

    /// Returns its number.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Takes what it says.
    pub fn said(&mut self) -> BufReader<ChildStdout> {
        BufReader::new(self.0.stdout.take().expect("it is taken once"))
    }

    /// Kills it, and waits until it has ended.
    pub fn kill(&mut self) {
        self.0.kill().expect("it can be killed");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns what comes after a prefix in whole lines: the last one of a process that is killed may be cut.
pub fn told(mut said: impl BufRead, prefix: &str) -> Vec<String> {
    let mut text = String::new();
    said.read_to_string(&mut text).expect("it says text");
    let whole = text.rfind('\n').and_then(|end| text.get(..end)).unwrap_or_default();
    whole.lines().filter_map(|line| Some(line.strip_prefix(prefix)?.to_owned())).collect()
}
