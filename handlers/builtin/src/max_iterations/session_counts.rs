//! Counts steps by session, for a bounded number of sessions.
//!
//! A host may have any number of sessions and does not say when one is over, so the least recently
//! used one makes room for a new one. Finding it is linear in the number of sessions, which happens
//! only when a new session meets a full map.

use std::collections::HashMap;

/// How many steps each session has made.
pub(super) struct SessionCounts {
    sessions: HashMap<String, SessionCount>,
    capacity: usize,
    /// Grows with every call, to tell which session was used last.
    clock: u64,
}

struct SessionCount {
    steps: u64,
    last_used: u64,
}

impl SessionCounts {
    pub(super) fn new(capacity: usize) -> Self {
        Self { sessions: HashMap::new(), capacity, clock: 0 }
    }

    /// Returns the number of this step, counted from 1; `is_new` is false for a step that was
    /// counted already. Only the first step of a session allocates.
    pub(super) fn number(&mut self, session: &str, is_new: bool) -> u64 {
        self.clock += 1;
        if let Some(count) = self.sessions.get_mut(session) {
            count.last_used = self.clock;
            count.steps = count.steps.saturating_add(u64::from(is_new));
            return count.steps;
        }
        if !is_new {
            return 1;
        }
        if self.sessions.len() >= self.capacity {
            self.forget_oldest();
        }
        let count = SessionCount { steps: 1, last_used: self.clock };
        self.sessions.insert(session.to_owned(), count);
        1
    }

    fn forget_oldest(&mut self) {
        let oldest = self.sessions.iter().min_by_key(|(_, count)| count.last_used);
        if let Some(session) = oldest.map(|(session, _)| session.clone()) {
            self.sessions.remove(&session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_session_is_forgotten() {
        let mut counts = SessionCounts::new(2);
        assert_eq!([counts.number("a", true), counts.number("b", true)], [1, 1]);
        assert_eq!(counts.number("a", true), 2);
        assert_eq!(counts.number("c", true), 1);
        assert_eq!(counts.sessions.len(), 2);
        assert_eq!(counts.number("a", true), 3);
        assert_eq!(counts.number("b", true), 1, "b had to go");
    }
}
