//! The key of a user, and the line that seals a file with it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use data_encoding::HEXLOWER;
use hmac_sha256::HMAC;

use crate::files;

/// How many bytes a key has.
const KEY: usize = 32;

/// What a sealed file begins with; the seal in hexadecimal digits and a line feed follow.
const HEAD: &str = "hookgate-state 1 ";

/// Tells whether a file begins as a sealed one does, whatever the key was.
pub(crate) fn is_sealed(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD.len() as u64).read_to_end(&mut head)?;
    Ok(head == HEAD.as_bytes())
}

/// The key of a user.
pub(crate) struct Key([u8; KEY]);

impl Key {
    /// Draws a key.
    pub(crate) fn draw() -> io::Result<Self> {
        let mut key = [0; KEY];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(key))
    }

    /// Reads a key; `None` if there is none.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        let Some(bytes) = files::read(path, KEY as u64)? else { return Ok(None) };
        let key = <[u8; KEY]>::try_from(bytes.as_slice());
        let wrong = |_| io::Error::new(io::ErrorKind::InvalidData, "it is no key");
        key.map(|key| Some(Self(key))).map_err(wrong)
    }

    /// Keeps it.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        files::replace(path, &self.0)
    }

    /// Returns content with its seal, for a file of this name.
    pub(crate) fn seal(&self, name: &str, content: &[u8]) -> Vec<u8> {
        let seal = HEXLOWER.encode(&self.seal_of(name, content));
        [HEAD.as_bytes(), seal.as_bytes(), b"\n", content].concat()
    }

    /// Returns what a file of this name was sealed with; `None` if that was not with this key, not for this
    /// name, or not this content.
    pub(crate) fn open<'a>(&self, name: &str, sealed: &'a [u8]) -> Option<&'a [u8]> {
        let (seal, content) = sealed.strip_prefix(HEAD.as_bytes())?.split_at_checked(2 * KEY)?;
        let content = content.strip_prefix(b"\n")?;
        let seal = HEXLOWER.decode(seal).ok()?;
        (seal == self.seal_of(name, content)).then_some(content)
    }

    fn seal_of(&self, name: &str, content: &[u8]) -> [u8; KEY] {
        // No name has a zero byte, so that it cannot be mistaken for the beginning of the content.
        HMAC::mac([name.as_bytes(), b"\0", content].concat(), self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_for_one_key_one_name_and_one_content() {
        let (key, other) = (Key::draw().unwrap(), Key::draw().unwrap());
        let sealed = key.seal("a", b"content");
        assert_eq!(key.open("a", &sealed), Some(b"content".as_slice()));
        assert_eq!(key.open("b", &sealed), None);
        assert_eq!(other.open("a", &sealed), None);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(key.open("a", &changed), None, "byte {at}");
            assert_eq!(key.open("a", &sealed[..at]), None, "cut at {at}");
        }
    }
}
