//! Hashes of several parts.

use hmac_sha256::Hash;

/// A SHA-256 hash.
pub(crate) type Digest = [u8; 32];

/// Hashes parts, each with its length in front of it: no part can be mistaken for the end of another.
pub(crate) fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut hash = Hash::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize()
}
