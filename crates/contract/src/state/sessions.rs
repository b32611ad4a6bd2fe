//! Keeps a value for each session, for a bounded number of sessions.
//!
//! A host may have any number of sessions and does not say when one is over, so the least recently
//! used one makes room for a new one. Finding it is linear in the number of sessions, which happens
//! only when a new session meets a full map.

use std::collections::HashMap;

/// A value for each session.
#[derive(Debug)]
pub(super) struct Sessions<T> {
    sessions: HashMap<String, Entry<T>>,
    capacity: usize,
    /// Grows with every call, to tell which session was used last.
    clock: u64,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    last_used: u64,
}

impl<T: Default> Sessions<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self { sessions: HashMap::new(), capacity, clock: 0 }
    }

    /// Returns what a known session has.
    pub(super) fn known(&mut self, session: &str) -> Option<&mut T> {
        self.clock += 1;
        let entry = self.sessions.get_mut(session)?;
        entry.last_used = self.clock;
        Some(&mut entry.value)
    }

    /// Changes what a session has, and makes it first if the session is new. Only the first step of a
    /// session allocates.
    pub(super) fn update<R>(&mut self, session: &str, change: impl FnOnce(&mut T) -> R) -> R {
        if let Some(value) = self.known(session) {
            return change(value);
        }
        if self.sessions.len() >= self.capacity {
            self.forget_oldest();
        }
        let mut value = T::default();
        let result = change(&mut value);
        self.sessions.insert(session.to_owned(), Entry { value, last_used: self.clock });
        result
    }

    /// Forgets a session.
    pub(super) fn forget(&mut self, session: &str) {
        self.sessions.remove(session);
    }

    fn forget_oldest(&mut self) {
        let oldest = self.sessions.iter().min_by_key(|(_, entry)| entry.last_used);
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
        let mut counts = Sessions::<u64>::new(2);
        let mut number = |session: &str| {
            counts.update(session, |count| {
                *count += 1;
                *count
            })
        };
        assert_eq!([number("a"), number("b")], [1, 1]);
        assert_eq!(number("a"), 2);
        assert_eq!(number("c"), 1);
        assert_eq!(number("a"), 3);
        assert_eq!(number("b"), 1, "b had to go");
        assert_eq!(counts.sessions.len(), 2);
        counts.forget("a");
        assert!(counts.known("a").is_none() && counts.known("b").is_some());
    }
}
