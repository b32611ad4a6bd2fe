//! Hashes that no one can make two values for.

use hmac_sha256::Hash;

/// Returns the SHA-256 of some bytes.
pub(crate) fn hash(bytes: &[u8]) -> [u8; 32] {
    Hash::hash(bytes)
}

/// Returns the SHA-256 of some bytes in hexadecimal digits.
pub(crate) fn hex_hash(bytes: &[u8]) -> String {
    hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
