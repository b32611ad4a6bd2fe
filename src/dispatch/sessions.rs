//! Values that are kept for each session, in bounded memory.
//!
//! A host need not say that a session has ended, so the engine cannot wait for that: once
//! [`SESSIONS`] sessions are kept, a new one evicts the oldest. Age is counted from the first value
//! of a session, not from its last use; a session that is evicted while it still runs begins anew.

use std::collections::{BTreeMap, HashMap};

/// How many sessions are kept.
const SESSIONS: usize = 4096;

/// The values of sessions. A new session beyond the bound evicts the oldest.
#[derive(Debug, Default)]
pub(crate) struct Sessions<T> {
    by_id: HashMap<String, (u64, T)>,
    /// The ids of the sessions in the order in which they came.
    by_age: BTreeMap<u64, String>,
    next: u64,
}

impl<T: Default> Sessions<T> {
    /// Returns the value of a session, which is made if there is none, and the value of the session
    /// that was evicted for it.
    pub(crate) fn get_or_insert(&mut self, id: &str) -> (&mut T, Option<T>) {
        let mut evicted = None;
        if !self.by_id.contains_key(id) {
            if self.by_id.len() >= SESSIONS {
                let oldest = self.by_age.pop_first();
                evicted = oldest.and_then(|(_, id)| self.by_id.remove(&id)).map(|(_, value)| value);
            }
            self.by_age.insert(self.next, id.to_owned());
        }
        let next = &mut self.next;
        let (_, value) = self.by_id.entry(id.to_owned()).or_insert_with(|| {
            let age = *next;
            *next += 1;
            (age, T::default())
        });
        (value, evicted)
    }

    /// Returns the value of a session, if there is one.
    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.by_id.get_mut(id).map(|(_, value)| value)
    }

    /// Forgets a session and returns its value.
    pub(crate) fn remove(&mut self, id: &str) -> Option<T> {
        let (age, value) = self.by_id.remove(id)?;
        self.by_age.remove(&age);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_beyond_the_bound_evicts_the_oldest() {
        let mut sessions = Sessions::<usize>::default();
        for i in 0..SESSIONS {
            let (value, evicted) = sessions.get_or_insert(&i.to_string());
            *value = i;
            assert_eq!(evicted, None);
        }
        assert_eq!(sessions.get_or_insert("0").1, None, "it is there");
        assert_eq!(sessions.remove("1"), Some(1));
        assert_eq!(sessions.get_or_insert("a").1, None, "there was room for one");
        assert_eq!(sessions.get_or_insert("b").1, Some(0), "0 is the oldest");
        assert_eq!(sessions.get_or_insert("c").1, Some(2), "1 has been removed");
        assert_eq!(sessions.get_mut("3"), Some(&mut 3));
        assert_eq!((sessions.by_id.len(), sessions.by_age.len()), (SESSIONS, SESSIONS));
    }
}
