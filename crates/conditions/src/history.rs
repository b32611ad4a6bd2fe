//! What happened earlier in a session: marks, and how often a hook held.
//!
//! Conditions read it as it was *before* the step that they test, whatever other hooks of the same step
//! have written: the answer does not depend on the order of hooks. A mark that is set at a step is
//! therefore visible from the next step on.

mod kept;
mod memory;
mod names;
mod session;

use std::time::{Duration, SystemTime};

use hookgate_contract::{StateError, WasNoted};
use serde::{Deserialize, Serialize};

pub use kept::KeptHistory;
pub use memory::MemoryHistory;

/// A step, as a history knows it.
///
/// ```
/// use std::time::SystemTime;
/// use hookgate_conditions::Moment;
///
/// let moment = Moment::new("session-1", "step-7", SystemTime::now()).turn(2);
/// assert_eq!((moment.session, moment.turn), ("session-1", 2));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Moment<'a> {
    /// The session.
    pub session: &'a str,
    /// The step: equal for all hooks of one step, different for any other step.
    pub step: &'a str,
    /// When it is.
    pub at: SystemTime,
    /// The turn.
    pub turn: u64,
}

impl<'a> Moment<'a> {
    /// Makes a moment in turn 0.
    #[must_use]
    pub const fn new(session: &'a str, step: &'a str, at: SystemTime) -> Self {
        Self { session, step, at, turn: 0 }
    }

    /// Sets the turn.
    #[must_use]
    pub const fn turn(mut self, turn: u64) -> Self {
        self.turn = turn;
        self
    }
}

/// When a mark was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Marked {
    /// The place of its step in the order of the session's steps. Marks of one step have the same.
    pub order: u64,
    /// The time.
    pub at: SystemTime,
}

impl Marked {
    /// Makes one.
    #[must_use]
    pub const fn new(order: u64, at: SystemTime) -> Self {
        Self { order, at }
    }
}

/// Over what something is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Period {
    /// The whole session.
    Session,
    /// The turn of the step.
    Turn,
    /// The time before the step.
    Last(Duration),
}

/// How many steps were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counted {
    /// Those before this step.
    pub before: u64,
    /// Whether this step was counted already.
    pub this: bool,
}

impl Counted {
    /// Makes one.
    #[must_use]
    pub const fn new(before: u64, this: bool) -> Self {
        Self { before, this }
    }

    /// Returns how many these are together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.before.saturating_add(self.this as u64)
    }
}

/// How many different names were noted, such as the files that were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Numbered {
    /// How many there are.
    pub total: u64,
    /// The highest number of those of this step: 1 is the name that was noted first. `None` if the step has noted
    /// none.
    pub this: Option<u64>,
}

impl Numbered {
    /// Makes one.
    #[must_use]
    pub const fn new(total: u64, this: Option<u64>) -> Self {
        Self { total, this }
    }
}

/// Keeps what happened in sessions. [`MemoryHistory`] keeps it in memory; for a host that runs
/// for one step only, and for several hosts of one session, there is [`KeptHistory`].
///
/// Its methods are called from any thread, and while a step is evaluated: they must be quick. An error says
/// that it is not known what happened; a condition is then unknown.
pub trait History: Send + Sync {
    /// Sets a mark. Setting it again at the same step changes nothing.
    ///
    /// # Errors
    /// It cannot be kept.
    fn mark(&self, moment: &Moment<'_>, name: &str) -> Result<(), StateError>;

    /// Returns when a mark was last set, at a step before this one.
    ///
    /// # Errors
    /// It is not known.
    fn marked(&self, moment: &Moment<'_>, name: &str) -> Result<Option<Marked>, StateError>;

    /// Counts the step once. The times of the last `keep` steps must be kept at least.
    ///
    /// # Errors
    /// It cannot be kept.
    fn count(&self, moment: &Moment<'_>, counter: &str, keep: usize) -> Result<(), StateError>;

    /// Returns how many steps were counted in a period, up to `keep` of them exactly.
    ///
    /// # Errors
    /// It is not known.
    fn counted(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        period: Period,
    ) -> Result<Counted, StateError>;

    /// Notes the names of a step, of which each new one gets the next number. At least `keep` different ones must be
    /// kept; those beyond are one more.
    ///
    /// # Errors
    /// It cannot be kept.
    fn note_names(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        names: &[String],
        keep: usize,
    ) -> Result<(), StateError>;

    /// Returns how many names were noted.
    ///
    /// # Errors
    /// It is not known.
    fn numbered(&self, moment: &Moment<'_>, counter: &str) -> Result<Numbered, StateError>;

    /// Returns whether one of some names was noted, at this step or an earlier one.
    ///
    /// # Errors
    /// It is not known.
    fn find_name(
        &self,
        moment: &Moment<'_>,
        counter: &str,
        names: &[String],
    ) -> Result<WasNoted, StateError>;
}
