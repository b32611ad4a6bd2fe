//! Which pack is meant: where it is, and the hash of its content.

use std::fmt;

/// What stands between the place of a pack and its hash.
const SEPARATOR: &str = "@sha256:";

/// How many digits a hash has.
const DIGITS: usize = 64;

/// What an `extends` names: where a pack is, and the hash of its content.
///
/// ```
/// use hookgate::config::PackReference;
///
/// let hash = "a".repeat(64);
/// let pack = PackReference::read(&format!("packs/guards.pack@sha256:{hash}")).unwrap();
/// assert_eq!((pack.place(), pack.hash()), ("packs/guards.pack", hash.as_str()));
/// assert!(PackReference::read("packs/guards.pack").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackReference {
    place: String,
    hash: String,
}

impl PackReference {
    /// Reads `PLACE@sha256:HASH`; `None` if the hash is missing, or is none.
    #[must_use]
    pub fn read(written: &str) -> Option<Self> {
        let (place, hash) = written.rsplit_once(SEPARATOR)?;
        let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        let is_hash = hash.len() == DIGITS && hash.bytes().all(is_digit);
        (is_hash && !place.is_empty())
            .then(|| Self { place: place.to_owned(), hash: hash.to_owned() })
    }

    /// Returns where the pack is: a path or a URL.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the SHA-256 hash of the pack, as 64 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl fmt::Display for PackReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{SEPARATOR}{}", self.place, self.hash)
    }
}
