//! The envelope on stdin.

use std::io::{self, Read};

use hookgate::contract::json::{self, Integers};
use serde_json::{Map, Value};

use super::error::HookError;

/// How many bytes an envelope may have. What a hook may get of it is bounded by `[limits] payload`.
pub(crate) const LIMIT: u64 = 16 << 20;

/// Reads the whole of stdin.
///
/// # Errors
/// [`HookError::Input`].
pub(super) fn read(mut source: impl Read) -> Result<Vec<u8>, HookError> {
    let mut bytes = Vec::new();
    let wrong = |error: io::Error| HookError::Input(error.to_string());
    source.by_ref().take(LIMIT + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() as u64 > LIMIT {
        // Some agents fail a hook that does not read all that they write.
        io::copy(&mut source, &mut io::sink()).map_err(wrong)?;
        return Err(HookError::Input(format!("it is larger than {} MiB", LIMIT >> 20)));
    }
    Ok(bytes)
}

/// Reads the envelope. Its integers are checked when the config is known.
///
/// # Errors
/// [`HookError::Input`].
pub(super) fn parse(bytes: &[u8]) -> Result<Map<String, Value>, HookError> {
    if bytes.trim_ascii().is_empty() {
        return Err(HookError::Input("it is empty".to_owned()));
    }
    match json::parse_with(bytes, Integers::Exact) {
        Ok(Value::Object(envelope)) => Ok(envelope),
        Ok(_) => Err(HookError::Input("it is not a JSON object".to_owned())),
        Err(error) => Err(HookError::Input(format!("it is not one JSON object: {error}"))),
    }
}
