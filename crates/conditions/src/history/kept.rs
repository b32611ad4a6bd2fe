//! A history that outlives the process: for hosts that run for one step only.

use std::sync::{Arc, Mutex, PoisonError};

use hookgate_contract::{Kept, StateError, StateHome, StateScope, WasNoted};

use super::session::Session;
use super::{Counted, History, Marked, Moment, Numbered, Period};

/// A history in the home that a host hands over, such as a database. Several processes can use it at
/// the same time.
///
/// A condition whose history cannot be read is unknown. That a mark could not be *set* has no hook that could
/// fail: a host that enforces asks [`KeptHistory::problem`] after each step, and refuses the step if there is
/// one.
///
/// ```
/// use std::sync::Arc;
/// use std::time::SystemTime;
///
/// use hookgate_conditions::{History, KeptHistory, Moment};
/// use hookgate_store::StateDatabase;
///
/// let folder = tempfile::tempdir()?;
/// // Each call is another process.
/// let history = || KeptHistory::new(Arc::new(StateDatabase::new(folder.path()).part("sessions")));
/// let step = |id| Moment::new("session-1", id, SystemTime::now());
/// history().mark(&step("step-1"), "tested")?;
/// assert!(history().marked(&step("step-2"), "tested")?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct KeptHistory {
    sessions: Kept<Session>,
    problem: Mutex<Option<StateError>>,
}

/// The owner of what all hooks share.
const SHARED: &str = "";

impl KeptHistory {
    /// Makes a history in a home.
    #[must_use]
    pub fn new(home: Arc<dyn StateHome>) -> Self {
        let sessions = Kept::new("history", 1).in_home(Some(home));
        Self { sessions, problem: Mutex::default() }
    }

    /// Returns what went wrong first, if something could not be read or kept.
    #[must_use]
    pub fn problem(&self) -> Option<StateError> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(
        &self,
        moment: &Moment<'_>,
        change: impl FnOnce(&mut Session),
    ) -> Result<(), StateError> {
        self.noted(self.sessions.update(StateScope::Session(moment.session), SHARED, change))
    }

    fn look<T>(
        &self,
        moment: &Moment<'_>,
        look: impl FnOnce(Option<&Session>) -> T,
    ) -> Result<T, StateError> {
        self.noted(self.sessions.look(StateScope::Session(moment.session), SHARED, look))
    }

    fn noted<T>(&self, result: Result<T, StateError>) -> Result<T, StateError> {
        result.inspect_err(|error| {
            let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
            problem.get_or_insert_with(|| error.clone());
        })
    }
}

impl History for KeptHistory {
    fn mark(&self, moment: &Moment<'_>, name: &str) -> Result<(), StateError> {
        self.change(moment, |session| session.mark(moment, name))
    }

    fn marked(&self, moment: &Moment<'_>, name: &str) -> Result<Option<Marked>, StateError> {
        self.look(moment, |session| session.and_then(|session| session.marked(moment, name)))
    }

    fn count(&self, moment: &Moment<'_>, counter: &str, keep: usize) -> Result<(), StateError> {
        self.change(moment, |session| session.count(moment, counter, keep))
    }

    fn counted(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        period: Period,
    ) -> Result<Counted, StateError> {
        self.look(moment, |session| {
            session
                .map_or_else(Counted::default, |session| session.counted(moment, counter, period))
        })
    }

    fn note_names(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        names: &[String],
        keep: usize,
    ) -> Result<(), StateError> {
        self.change(moment, |session| session.note_names(moment, counter, names, keep))
    }

    fn numbered(&self, moment: &Moment<'_>, counter: &str) -> Result<Numbered, StateError> {
        self.look(moment, |session| {
            session.map_or_else(Numbered::default, |session| session.numbered(moment, counter))
        })
    }

    fn find_name(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        names: &[String],
    ) -> Result<WasNoted, StateError> {
        self.look(moment, |session| {
            session.map_or(WasNoted::No, |session| session.find_name(counter, names))
        })
    }
}
