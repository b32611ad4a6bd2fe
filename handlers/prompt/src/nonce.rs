//! A number that nobody can have known before.

use hookgate_contract::{Failure, FailureClass};

/// What a nonce looks like, for servers that hold a model to the form of its answer: without it
/// small models write something else there. 64 bits: an answer holds one guess, once; and models
/// make mistakes when they copy longer ones.
pub(crate) const PATTERN: &str = "^[0-9a-f]{16}$";

/// A nonce that does not occur in the data.
pub(crate) fn nonce(data: &str) -> Result<String, Failure> {
    loop {
        let mut bytes = [0_u8; 8];
        getrandom::fill(&mut bytes).map_err(|_| {
            Failure::new(FailureClass::Spawn, "the machine gives no random numbers")
        })?;
        let nonce = hex(&bytes);
        if !data.contains(&nonce) {
            return Ok(nonce);
        }
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
