//! The files that a session has written, kept in its history.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::{Envelope, SessionFiles, StateError, WasNoted};

use crate::clock::Clock;
use crate::history::History;
use crate::memory::Memory;

/// The name of the list in the history. The names of counters have a space in them.
const LIST: &str = "written-files";

/// How many different files of a session are known.
const MOST: usize = 4096;

/// Keeps the files that a session has written beside its marks and counts, for `runs = { written_in_session = true }`.
pub struct WrittenFiles(Memory);

impl fmt::Debug for WrittenFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrittenFiles").finish_non_exhaustive()
    }
}

impl WrittenFiles {
    /// Keeps them in a history.
    #[must_use]
    pub fn new(history: Arc<dyn History>, clock: Arc<dyn Clock>) -> Self {
        Self(Memory { history, clock })
    }
}

impl SessionFiles for WrittenFiles {
    fn note(&self, step: &Envelope<'_>, names: &[String]) -> Result<(), StateError> {
        self.0.at(step, |history, moment| history.note_names(moment, LIST, names, MOST))
    }

    fn was_noted(&self, step: &Envelope<'_>, names: &[String]) -> Result<WasNoted, StateError> {
        self.0.at(step, |history, moment| history.find_name(moment, LIST, names))
    }
}
