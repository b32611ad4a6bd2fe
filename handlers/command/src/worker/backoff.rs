//! How soon a worker that keeps dying is started again.

use std::time::Duration;

use tokio::time::Instant;

/// The wait after the second death in a row; it doubles with each further one.
const FIRST: Duration = Duration::from_millis(100);

/// It doubles so often at most: to 12.8 s.
const DOUBLINGS: u32 = 7;

/// How often workers died in a row without an answer in between.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    deaths: u32,
    until: Option<Instant>,
}

impl Backoff {
    /// A worker has answered.
    pub(super) const fn reset(&mut self) {
        *self = Self { deaths: 0, until: None };
    }

    /// A worker has died. The first is replaced at once.
    pub(super) fn strike(&mut self, now: Instant) {
        self.deaths = self.deaths.saturating_add(1);
        let doublings = self.deaths.checked_sub(2).map(|doublings| doublings.min(DOUBLINGS));
        self.until = doublings.map(|doublings| now + FIRST * 2_u32.pow(doublings));
    }

    /// Whether a worker may be started; else how many died in a row and how long it takes.
    pub(super) fn check(&self, now: Instant) -> Result<(), (u32, Duration)> {
        match self.until {
            Some(until) if now < until => Err((self.deaths, until - now)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_death_costs_nothing_and_further_ones_double() {
        let now = Instant::now();
        let mut backoff = Backoff::default();
        let wait = |backoff: &Backoff| backoff.check(now).err().map(|(_, wait)| wait.as_millis());
        let mut waits = Vec::new();
        for _ in 0..12 {
            backoff.strike(now);
            waits.push(wait(&backoff).unwrap_or_default());
        }
        assert_eq!(waits[..5], [0, 100, 200, 400, 800]);
        assert_eq!(waits[8..], [12_800; 4]);
        backoff.reset();
        backoff.strike(now);
        assert_eq!(wait(&backoff), None);
    }
}
