//! A history in memory, bounded in sessions and in bytes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookgate_contract::{StateError, WasNoted};

use super::session::Session;
use super::{Counted, History, Marked, Moment, Numbered, Period};

/// How many sessions are kept.
const SESSIONS: usize = 1024;

/// How many bytes all sessions may have.
const BYTES: usize = 4 << 20;

/// A history in memory. It is gone when the process ends.
///
/// The session that was not used for the longest time is forgotten first when there are too many, or
/// when all of them have too many bytes; its marks were then never set.
///
/// ```
/// use std::time::SystemTime;
/// use hookgate_conditions::{History, MemoryHistory, Moment};
///
/// let history = MemoryHistory::new();
/// let first = Moment::new("s", "step-1", SystemTime::UNIX_EPOCH);
/// history.mark(&first, "tested")?;
/// assert_eq!(history.marked(&first, "tested")?, None, "visible from the next step on");
/// let second = Moment::new("s", "step-2", SystemTime::UNIX_EPOCH);
/// assert!(history.marked(&second, "tested")?.is_some());
/// # Ok::<(), hookgate_contract::StateError>(())
/// ```
#[derive(Debug)]
pub struct MemoryHistory {
    kept: Mutex<Kept>,
    sessions: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Kept {
    sessions: HashMap<String, Session>,
    /// The bytes of all sessions, about.
    bytes: usize,
    /// Counts uses, to tell which session was not used for the longest time.
    uses: u64,
}

impl Default for MemoryHistory {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryHistory {
    /// Makes a history of at most 1024 sessions and 4 MiB.
    #[must_use]
    pub fn new() -> Self {
        Self { kept: Mutex::default(), sessions: SESSIONS, bytes: BYTES }
    }

    /// Sets how many sessions are kept, and how many bytes they may have together.
    #[must_use]
    pub const fn limits(mut self, sessions: usize, bytes: usize) -> Self {
        self.sessions = sessions;
        self.bytes = bytes;
        self
    }

    /// Returns how many sessions are kept.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.lock().sessions.len()
    }

    /// Returns about how many bytes they have.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // What is kept is whole between any two statements that could panic.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, id: &str, change: impl FnOnce(&mut Session)) {
        let mut kept = self.lock();
        let Kept { sessions, bytes, uses } = &mut *kept;
        *uses += 1;
        let session = match sessions.get_mut(id) {
            Some(session) => session,
            None => {
                let session = Session::new(id);
                *bytes += session.bytes();
                sessions.entry(id.to_owned()).or_insert(session)
            }
        };
        let before = session.bytes();
        change(session);
        session.used = *uses;
        *bytes = bytes.saturating_sub(before) + session.bytes();
        while kept.sessions.len() > self.sessions || kept.bytes > self.bytes {
            if !kept.forget_one() {
                break;
            }
        }
    }

    fn read<T>(&self, id: &str, read: impl FnOnce(&Session) -> T) -> Option<T> {
        let mut kept = self.lock();
        kept.uses += 1;
        let uses = kept.uses;
        let session = kept.sessions.get_mut(id)?;
        session.used = uses;
        Some(read(session))
    }
}

impl Kept {
    /// Forgets the session that was not used for the longest time.
    fn forget_one(&mut self) -> bool {
        let oldest = self.sessions.iter().min_by_key(|(_, session)| session.used);
        let Some(id) = oldest.map(|(id, _)| id.clone()) else { return false };
        if let Some(session) = self.sessions.remove(&id) {
            self.bytes = self.bytes.saturating_sub(session.bytes());
        }
        true
    }
}

impl History for MemoryHistory {
    fn mark(&self, moment: &Moment<'_>, name: &str) -> Result<(), StateError> {
        self.write(moment.session, |session| session.mark(moment, name));
        Ok(())
    }

    fn marked(&self, moment: &Moment<'_>, name: &str) -> Result<Option<Marked>, StateError> {
        Ok(self.read(moment.session, |session| session.marked(moment, name)).flatten())
    }

    fn count(&self, moment: &Moment<'_>, counter: &str, keep: usize) -> Result<(), StateError> {
        self.write(moment.session, |session| session.count(moment, counter, keep));
        Ok(())
    }

    fn counted(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        period: Period,
    ) -> Result<Counted, StateError> {
        let read = |session: &Session| session.counted(moment, counter, period);
        Ok(self.read(moment.session, read).unwrap_or_default())
    }

    fn note_names(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        names: &[String],
        keep: usize,
    ) -> Result<(), StateError> {
        self.write(moment.session, |session| session.note_names(moment, counter, names, keep));
        Ok(())
    }

    fn numbered(&self, moment: &Moment<'_>, counter: &str) -> Result<Numbered, StateError> {
        let read = |session: &Session| session.numbered(moment, counter);
        Ok(self.read(moment.session, read).unwrap_or_default())
    }

    fn find_name(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        names: &[String],
    ) -> Result<WasNoted, StateError> {
        let read = |session: &Session| session.find_name(counter, names);
        Ok(self.read(moment.session, read).unwrap_or(WasNoted::No))
    }
}
