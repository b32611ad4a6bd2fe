//! A place where what hooks remember outlives the process.

use std::path::PathBuf;

use serde_json::Value;

use crate::failure::{Failure, FailureClass};

/// What a value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateScope<'a> {
    /// One session, by its id.
    Session(&'a str),
    /// All sessions of the user.
    User,
}

/// The name of a value: two hooks never share one.
///
/// ```
/// use hookgate_contract::{StateKey, StateScope};
///
/// let key = StateKey::new(StateScope::Session("session-1"), "limit", "not-too-many");
/// assert_eq!((key.kind, key.owner), ("limit", "not-too-many"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateKey<'a> {
    /// What it belongs to.
    pub scope: StateScope<'a>,
    /// What sort of thing keeps it, such as `limit`.
    pub kind: &'a str,
    /// Whose it is: the id of a hook; empty if hooks share it.
    pub owner: &'a str,
}

impl<'a> StateKey<'a> {
    /// Makes a key.
    #[must_use]
    pub const fn new(scope: StateScope<'a>, kind: &'a str, owner: &'a str) -> Self {
        Self { scope, kind, owner }
    }
}

/// Changes the value of a key, which is `None` if nothing was kept yet or to forget it. Returns whether it
/// has changed anything.
pub type StateChange<'a> = dyn FnMut(&mut Option<Value>) -> Result<bool, StateError> + 'a;

/// Keeps what hooks remember, longer than the process lives.
///
/// Its methods are called while a step is evaluated, on any thread, by any number of processes. A value that
/// was kept and cannot be read is an error, never "nothing was kept": a limit would start anew.
pub trait StateHome: Send + Sync {
    /// Reads a value.
    ///
    /// # Errors
    /// It cannot be told what was kept.
    fn read(&self, key: &StateKey<'_>) -> Result<Option<Value>, StateError>;

    /// Reads a value, has it changed, and keeps it, in one step: nobody else reads or changes the value
    /// between. Nothing is written if nothing has changed.
    ///
    /// # Errors
    /// It cannot be told what was kept, or the value cannot be kept. The change does not count then.
    fn update(&self, key: &StateKey<'_>, change: &mut StateChange<'_>) -> Result<(), StateError>;
}

/// Why it is not known what was kept, or why something cannot be kept. A hook fails with it, in the class
/// [`FailureClass::State`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The place cannot be used.
    #[error(
        "`{}` cannot be read or written: {problem}: let this user write there", .place.display()
    )]
    Unusable {
        /// The place.
        place: PathBuf,
        /// What the system says.
        problem: String,
    },
    /// What is there was not written by this program, or was written for something else.
    #[error(
        "`{}` was changed by something else, or is a copy from elsewhere: start a new session, or, if \
         that was you, remove `{}`", .place.display(), .folder.display()
    )]
    Altered {
        /// The place.
        place: PathBuf,
        /// The folder of all that is kept.
        folder: PathBuf,
    },
    /// What was kept is not there any more, or only something older.
    #[error(
        "`{}` is older than what was kept there last, or was removed: start a new session, or, if that \
         was you, remove `{}`", .place.display(), .folder.display()
    )]
    Lost {
        /// The place.
        place: PathBuf,
        /// The folder of all that is kept.
        folder: PathBuf,
    },
    /// There would be more than may be kept.
    #[error("`{}` has no room for more: {problem}", .place.display())]
    Full {
        /// The place.
        place: PathBuf,
        /// What there is too much of.
        problem: &'static str,
    },
    /// What was kept there has another form.
    #[error("what is kept for `{owner}` has another form: {problem}: start a new session")]
    Form {
        /// Whose value it is.
        owner: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A home of a host has failed.
    #[error("{0}")]
    Other(String),
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self::new(FailureClass::State, error.to_string()).shown()
    }
}
