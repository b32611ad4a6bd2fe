//! Reads what was written about dispatches: reports, records, events.
//!
//! Plain `serde_json` keeps the last of two equal keys and can miss a double by its last bit. A record
//! that is read must be the record that was written, so every number is read exactly and a repeated key
//! is refused. That a key is known is the business of the types: they refuse unknown ones.

use hookgate_contract::json::{self, Integers};
use serde::de::DeserializeOwned;

/// Reads one value of a type, and nothing after it.
///
/// # Errors
/// What makes the bytes something else than one such value.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    json::parse_with(bytes, Integers::Exact).and_then(serde_json::from_value)
}
