//! The files of a session, for conditions that ask what an earlier step has written.

use crate::envelope::Envelope;
use crate::state::StateError;

/// Whether a session has noted one of some names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WasNoted {
    /// The one at this place.
    Yes(usize),
    /// None of them.
    No,
    /// There are so many names that it is not known.
    TooMany,
}

/// Keeps the names of files that a session has written: a host hands it to the conditions that ask for them.
pub trait SessionFiles: Send + Sync {
    /// Notes names, for the session of a step.
    ///
    /// # Errors
    /// They cannot be kept.
    fn note(&self, step: &Envelope<'_>, names: &[String]) -> Result<(), StateError>;

    /// Returns whether the session of a step has noted one of these names, the step itself included.
    ///
    /// # Errors
    /// It is not known.
    fn was_noted(&self, step: &Envelope<'_>, names: &[String]) -> Result<WasNoted, StateError>;
}
