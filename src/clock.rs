//! The wall clock, read in this place only.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub(crate) fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A name for a step that the host gave none: sortable by time, unique across machines.
pub(crate) fn step_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
