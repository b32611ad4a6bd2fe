//! How soon a program that keeps dying is started again.
//!
//! A program that crashes at every start would otherwise cost a process for each step. The first crash
//! is free, since anything may die once; from the second in a row on, the wait doubles. An answer ends
//! the row.

use std::fmt;
use std::time::Duration;

use humantime::format_duration;
use tokio::time::Instant;

/// The wait after the second crash in a row; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// How often the wait doubles at most: to 12.8 s.
const MOST_DOUBLINGS: u32 = 7;

/// How often programs crashed in a row, without an answer in between.
#[derive(Debug)]
pub(super) struct Backoff {
    /// What the program is, in messages: a worker, a server.
    name: &'static str,
    crashes: u32,
    until: Option<Instant>,
}

/// It is too early to start another program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooEarly {
    name: &'static str,
    crashes: u32,
    /// In whole milliseconds.
    wait: Duration,
}

impl fmt::Display for TooEarly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wait = format_duration(self.wait);
        let Self { name, crashes, .. } = self;
        write!(f, "{crashes} {name}s died in a row, the next is started in {wait}")
    }
}

impl Backoff {
    /// Makes the record of programs that have not crashed.
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, crashes: 0, until: None }
    }

    /// Records that a program has answered.
    pub(super) const fn reset(&mut self) {
        *self = Self::new(self.name);
    }

    /// Records that a program has crashed. The first is replaced at once.
    pub(super) fn record_crash(&mut self, now: Instant) {
        self.crashes = self.crashes.saturating_add(1);
        let doublings = self.crashes.checked_sub(2).map(|doublings| doublings.min(MOST_DOUBLINGS));
        self.until = doublings.map(|doublings| now + FIRST_WAIT * 2_u32.pow(doublings));
    }

    /// Checks whether a program may be started now.
    pub(super) fn check(&self, now: Instant) -> Result<(), TooEarly> {
        match self.until {
            Some(until) if now < until => {
                let millis = u64::try_from((until - now).as_millis()).unwrap_or(u64::MAX);
                let Self { name, crashes, .. } = *self;
                Err(TooEarly { name, crashes, wait: Duration::from_millis(millis) })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_crash_costs_nothing_and_further_ones_double() {
        let now = Instant::now();
        let mut backoff = Backoff::new("worker");
        let wait = |backoff: &Backoff| backoff.check(now).err().map(|early| early.wait.as_millis());
        let mut waits = Vec::new();
        for _ in 0..12 {
            backoff.record_crash(now);
            waits.push(wait(&backoff).unwrap_or_default());
        }
        assert_eq!(waits[..5], [0, 100, 200, 400, 800]);
        assert_eq!(waits[8..], [12_800; 4]);
        let early = backoff.check(now).unwrap_err().to_string();
        assert_eq!(early, "12 workers died in a row, the next is started in 12s 800ms");
        backoff.reset();
        backoff.record_crash(now);
        assert_eq!(wait(&backoff), None);
    }
}
