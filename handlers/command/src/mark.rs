//! A name for each run of a program, which all that it starts inherit.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that carries the name.
pub(crate) const VARIABLE: &str = "HOOKGATE_RUN";

/// The name of one run, unlike that of any other run in any process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark(String);

impl Mark {
    /// A name that was never used.
    pub(crate) fn new() -> Self {
        static HOST: OnceLock<u64> = OnceLock::new();
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let host = HOST.get_or_init(|| RandomState::new().hash_one(std::process::id()));
        // ORDERING: it only has to be another number each time.
        Self(format!("{host:016x}-{}", RUNS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Whether an environment, as `/proc` shows it, carries this name.
    pub(crate) fn is_in(&self, environ: &[u8]) -> bool {
        let line = format!("{VARIABLE}={}", self.0);
        environ.split(|byte| *byte == 0).any(|entry| entry == line.as_bytes())
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_known_in_an_environment() {
        let (mark, other) = (Mark::new(), Mark::new());
        let environ = format!("A=1\0{VARIABLE}={mark}\0B=2\0");
        assert!(mark.is_in(environ.as_bytes()));
        assert!(!other.is_in(environ.as_bytes()));
    }
}
