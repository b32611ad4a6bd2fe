//! Which permits of an engine are spent: used, or revoked.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Permit, Revocation, Terms};

/// Why a permit cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    Used,
    Revoked,
}

#[derive(Debug, Default)]
pub(in crate::engine) struct Ledger(Mutex<Entries>);

/// What is expired is refused anyway, so it need not be remembered: each entry has the time at which it can be
/// forgotten, in milliseconds since 1970.
#[derive(Debug, Default)]
struct Entries {
    /// How many permits were issued.
    issued: u64,
    /// By the id of the permit.
    spent: HashMap<String, (Spent, u64)>,
    /// How many permits were issued when all of a session were revoked.
    sessions: HashMap<String, (u64, u64)>,
    /// How many permits were issued when all were revoked.
    all: u64,
    /// How many entries there may be before the expired ones are forgotten.
    room: usize,
}

impl Ledger {
    /// Returns the number of a permit that is about to be issued.
    pub(super) fn next_serial(&self) -> u64 {
        let mut entries = self.lock();
        let serial = entries.issued;
        entries.issued += 1;
        serial
    }

    /// Uses up a permit, unless it is spent.
    pub(super) fn spend(&self, permit: &Permit, now: u64) -> Option<Spent> {
        let mut entries = self.lock();
        entries.forget_expired(now);
        if let Some((spent, _)) = entries.spent.get(&permit.id) {
            return Some(*spent);
        }
        let of_session = entries.sessions.get(&permit.session_id).map_or(0, |(issued, _)| *issued);
        if permit.serial < entries.all.max(of_session) {
            return Some(Spent::Revoked);
        }
        entries.spent.insert(permit.id.clone(), (Spent::Used, permit.expires));
        None
    }

    pub(super) fn revoke(&self, which: Revocation<'_>, now: u64) {
        let mut entries = self.lock();
        entries.forget_expired(now);
        let issued = entries.issued;
        // No permit that has been issued is good for longer.
        let longest = u64::try_from(Terms::LONGEST.as_millis()).unwrap_or(u64::MAX);
        let forgotten = now.saturating_add(longest);
        match which {
            Revocation::Permit(id) => {
                entries.spent.entry(id.to_owned()).or_insert((Spent::Revoked, forgotten));
            }
            Revocation::Session(id) => {
                entries.sessions.insert(id.to_owned(), (issued, forgotten));
            }
            Revocation::All => entries.all = issued,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    /// Forgets what is expired, each time that there is twice as much as was left.
    fn forget_expired(&mut self, now: u64) {
        const LEAST: usize = 64;
        if self.spent.len() + self.sessions.len() < self.room.max(LEAST) {
            return;
        }
        self.spent.retain(|_, (_, expires)| *expires >= now);
        self.sessions.retain(|_, (_, expires)| *expires >= now);
        self.room = 2 * (self.spent.len() + self.sessions.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last millisecond at which a permit can be good that was revoked at 0.
    const LAST: u64 = 60 * 60 * 1000;

    fn revoke(ledger: &Ledger, permits: usize, sessions: usize, now: u64) {
        // Each has a name of its own.
        let first = kept(ledger);
        for number in first..first + permits {
            ledger.revoke(Revocation::Permit(&number.to_string()), now);
        }
        for number in first..first + sessions {
            ledger.revoke(Revocation::Session(&number.to_string()), now);
        }
    }

    fn kept(ledger: &Ledger) -> usize {
        let entries = ledger.lock();
        entries.spent.len() + entries.sessions.len()
    }

    #[test]
    fn what_is_expired_is_forgotten_and_nothing_else() {
        for (permits, sessions) in [(64, 0), (0, 64), (32, 32)] {
            for (now, left) in [(LAST, 65), (LAST + 1, 1)] {
                let ledger = Ledger::default();
                revoke(&ledger, permits, sessions, 0);
                assert_eq!(kept(&ledger), 64);
                revoke(&ledger, 1, 0, now);
                assert_eq!(kept(&ledger), left, "{permits} permits, {sessions} sessions, {now}");
            }
        }
    }

    #[test]
    fn the_expired_are_looked_for_when_there_is_twice_as_much_as_was_left() {
        let ledger = Ledger::default();
        revoke(&ledger, 32, 32, 0);
        // It is looked, and all 64 are still to be kept.
        revoke(&ledger, 1, 0, LAST);
        revoke(&ledger, 63, 0, LAST + 1);
        assert_eq!(kept(&ledger), 128);
        revoke(&ledger, 1, 0, LAST + 1);
        assert_eq!(kept(&ledger), 65);
    }
}
