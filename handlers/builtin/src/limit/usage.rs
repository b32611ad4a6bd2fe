//! How much a session has used.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Into how many pieces a window is cut, so that its memory is bounded.
const PIECES: u32 = 60;

/// How much a session has used. Times are counted from one moment for all.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Usage {
    turn: u64,
    total: f64,
    /// What the session has used by its own account, over all turns.
    #[serde(default)]
    seen: f64,
    first: Option<Duration>,
    /// The pieces of the window in which something was used, the oldest first.
    pieces: VecDeque<(u64, f64)>,
}

impl Usage {
    /// Begins anew if it is another turn.
    pub(super) fn at_turn(&mut self, turn: u64) {
        if self.turn != turn {
            *self = Self { turn, seen: self.seen, ..Self::default() };
        }
    }

    /// Returns what is new of a sum that the agent itself keeps. A smaller one than before says nothing new.
    pub(super) fn seen(&mut self, total: f64) -> f64 {
        let new = (total - self.seen).max(0.0);
        self.seen = self.seen.max(total);
        new
    }

    /// Adds an amount and returns the sum.
    pub(super) fn add(&mut self, amount: f64) -> f64 {
        self.total += amount;
        self.total
    }

    /// Returns the time since the first call.
    pub(super) fn passed(&mut self, now: Duration) -> Duration {
        now.saturating_sub(*self.first.get_or_insert(now))
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
