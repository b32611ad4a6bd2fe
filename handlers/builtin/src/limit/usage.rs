//! How much a session has used.

use std::collections::VecDeque;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass};
use serde::{Deserialize, Serialize};

use crate::counted::Counted;

/// Into how many pieces a window is cut, so that its memory is bounded.
const PIECES: u32 = 60;

/// How many steps may come before an agent has written its transcript: calls of one response that run side by side.
const MOST_UNWRITTEN: u32 = 10;

/// How much a session has used. Times are counted from one moment for all.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Usage {
    turn: u64,
    total: f64,
    /// What the session has used by its own account, over all turns.
    #[serde(default)]
    seen: f64,
    /// How many steps came before the agent wrote what its model took.
    #[serde(default)]
    unwritten: u32,
    /// The time that has passed, and the moment of the last call.
    #[serde(default)]
    passed: Duration,
    last: Option<Duration>,
    /// The pieces of the window in which something was used, the oldest first.
    pieces: VecDeque<(u64, f64)>,
    /// The steps that were counted.
    #[serde(default)]
    pub(super) counted: Counted,
}

impl Usage {
    /// Begins anew if it is another turn.
    pub(super) fn at_turn(&mut self, turn: u64) {
        if self.turn != turn {
            let Self { seen, unwritten, .. } = *self;
            *self = Self { turn, seen, unwritten, ..Self::default() };
        }
    }

    /// Returns what is new of a sum that the agent itself keeps.
    ///
    /// # Errors
    /// Says so if the sum is smaller than it was, or not there for long.
    pub(super) fn seen(&mut self, total: Option<f64>) -> Result<f64, Failure> {
        let Some(total) = total else { return self.not_seen() };
        let new = total - self.seen;
        if new < 0.0 {
            let (total, seen) = (total.round(), self.seen.round());
            let why = format!("the transcript speaks of {total}, and spoke of {seen} before");
            return Err(Failure::new(FailureClass::State, why));
        }
        self.seen = total;
        Ok(new)
    }

    fn not_seen(&mut self) -> Result<f64, Failure> {
        if self.seen > 0.0 {
            let why = "the transcript that said what was used is gone or empty";
            return Err(Failure::new(FailureClass::State, why));
        }
        self.unwritten = self.unwritten.saturating_add(1);
        if self.unwritten > MOST_UNWRITTEN {
            let why = format!(
                "the transcript says nothing of the model after {MOST_UNWRITTEN} steps of the session"
            );
            return Err(Failure::new(FailureClass::Unclear, why));
        }
        Ok(0.0)
    }

    /// Adds an amount and returns the sum.
    pub(super) fn add(&mut self, amount: f64) -> f64 {
        self.total += amount;
        self.total
    }

    /// Returns the time since the first call. A clock that is set back takes nothing away.
    pub(super) fn passed(&mut self, now: Duration) -> Duration {
        let last = self.last.replace(now).unwrap_or(now);
        self.passed += now.saturating_sub(last);
        self.passed
    }

    /// Adds an amount and returns the sum of what was added within the window.
    pub(super) fn add_in_window(&mut self, amount: f64, now: Duration, window: Duration) -> f64 {
        let piece = now.as_nanos() / (window / PIECES).as_nanos().max(1);
        let piece = u64::try_from(piece).unwrap_or(u64::MAX);
        let is_old = |(old, _): &(u64, f64)| piece.saturating_sub(*old) > u64::from(PIECES);
        while self.pieces.front().is_some_and(is_old) {
            self.pieces.pop_front();
        }
        match self.pieces.back_mut() {
            Some((last, sum)) if *last == piece => *sum += amount,
            _ => self.pieces.push_back((piece, amount)),
        }
        self.pieces.iter().map(|(_, sum)| sum).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_forgives_nothing() {
        let mut usage = Usage::default();
        let mut passed = |second| usage.passed(Duration::from_secs(second)).as_secs();
        assert_eq!([passed(100), passed(130), passed(10), passed(15)], [0, 30, 30, 35]);
    }

    #[test]
    fn a_window_moves_along() {
        let mut usage = Usage::default();
        let window = Duration::from_secs(60);
        let mut add = |second| usage.add_in_window(1.0, Duration::from_secs(second), window);
        assert_eq!([add(0), add(30), add(59)], [1.0, 2.0, 3.0]);
        assert_eq!(add(60), 4.0, "it counts for the whole window");
        assert_eq!(add(61), 4.0, "the first one is over");
        assert_eq!(add(1000), 1.0);
        for second in 1000..2000 {
            add(second);
        }
        assert!(usage.pieces.len() <= 61);
    }
}
