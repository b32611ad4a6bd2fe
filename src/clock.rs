//! The wall clock of the machine. No other file of the engine reads it, so that a test or a reader
//! finds every use of the time of day here.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the milliseconds since 1970; 0 if the clock is set to an earlier time.
pub(crate) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a new id for a step that the host has not named: a UUID of version 7, which sorts by time
/// and is unique across machines.
pub(crate) fn step_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
