//! A name for each run of a program, which all that it starts inherit as `HOOKGATE_RUN`.
//!
//! A process that leaves its group (`setsid`, a double fork) cannot be found by the group. But its
//! environment, as `/proc` shows it, still has the name of the run, unless the process clears it.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that carries the name.
pub(super) const VARIABLE: &str = "HOOKGATE_RUN";

/// The name of one run, unlike that of any other run in any process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunId(String);

impl RunId {
    /// Makes a name that was never used: a random number of this process and a counter.
    pub(super) fn new() -> Self {
        static HOST: OnceLock<u64> = OnceLock::new();
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let host = HOST.get_or_init(|| RandomState::new().hash_one(std::process::id()));
        // ORDERING: it only has to be another number each time.
        Self(format!("{host:016x}-{}", RUNS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns whether an environment, as `/proc` shows it, carries this name.
    #[cfg(any(unix, test))]
    pub(super) fn is_in(&self, environment: &[u8]) -> bool {
        let line = format!("{VARIABLE}={}", self.0);
        environment.split(|byte| *byte == 0).any(|variable| variable == line.as_bytes())
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_recognised_in_an_environment() {
        let (run, other) = (RunId::new(), RunId::new());
        let environment = format!("A=1\0{VARIABLE}={run}\0B=2\0");
        assert!(run.is_in(environment.as_bytes()));
        assert!(!other.is_in(environment.as_bytes()));
    }
}
