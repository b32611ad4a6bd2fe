//! What the engine keeps of sessions, with a bound: nobody has to say that a session has ended.

use std::collections::{BTreeMap, HashMap};

/// Of how many sessions something is kept.
const SESSIONS: usize = 4096;

/// Values of sessions. Where there are too many, the oldest goes out.
#[derive(Debug, Default)]
pub(crate) struct Sessions<T> {
    by_id: HashMap<String, (u64, T)>,
    /// The sessions in the order in which they came.
    by_age: BTreeMap<u64, String>,
    next: u64,
}

impl<T: Default> Sessions<T> {
    /// The value of a session, and that of the session which had to go out for it.
    pub(crate) fn of(&mut self, id: &str) -> (&mut T, Option<T>) {
        let mut gone = None;
        if !self.by_id.contains_key(id) {
            if self.by_id.len() >= SESSIONS {
                let oldest = self.by_age.pop_first();
                gone = oldest.and_then(|(_, id)| self.by_id.remove(&id)).map(|(_, value)| value);
            }
            self.by_age.insert(self.next, id.to_owned());
        }
        let next = &mut self.next;
        let (_, value) = self.by_id.entry(id.to_owned()).or_insert_with(|| {
            let age = *next;
            *next += 1;
            (age, T::default())
        });
        (value, gone)
    }

    /// The value of a session, where there is one.
    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.by_id.get_mut(id).map(|(_, value)| value)
    }

    /// Forgets a session.
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
    fn the_oldest_session_goes_out() {
        let mut sessions = Sessions::<usize>::default();
        for i in 0..SESSIONS {
            let (value, gone) = sessions.of(&i.to_string());
            *value = i;
            assert_eq!(gone, None);
        }
        assert_eq!(sessions.of("0").1, None, "it is there");
        assert_eq!(sessions.remove("1"), Some(1));
        assert_eq!(sessions.of("a").1, None, "a place was free");
        assert_eq!(sessions.of("b").1, Some(0), "0 is the oldest");
        assert_eq!(sessions.of("c").1, Some(2), "1 is gone already");
        assert_eq!(sessions.get_mut("3"), Some(&mut 3));
        assert_eq!((sessions.by_id.len(), sessions.by_age.len()), (SESSIONS, SESSIONS));
    }
}
