//! Why a session ends before its work is done.

use std::error::Error;

/// Why a session ends before its work is done.
pub(crate) enum Ended {
    /// A hook stopped the run, or refused something without which it cannot go on.
    Stopped(String),
    /// The user pressed Esc.
    Cancelled,
}

impl<E: Error> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Stopped(error.to_string())
    }
}
