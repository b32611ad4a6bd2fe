//! The digest of a JSON value, as records, jobs, contributions and questions have it.

use hookgate_contract::json::canonical;
use serde_json::Value;

use crate::hex;

/// Returns the SHA-256 of a value in canonical form (RFC 8785), whatever the order of its keys: `sha256:` and 64 hexadecimal
/// digits.
pub(crate) fn digest(value: &Value) -> String {
    let hash = hmac_sha256::Hash::hash(canonical(value).as_bytes());
    ["sha256:", &hex::encode(&hash)].concat()
}
