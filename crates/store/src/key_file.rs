//! The key by which a database is sealed, and how many changes there were: what the database is held against.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek as _, Write as _};
use std::path::Path;

use hmac_sha256::HMAC;

use crate::place;

/// How many bytes a key has, and a seal.
const BYTES: usize = 32;

/// How many bytes the number of changes has.
const NUMBER: usize = 8;

/// What shows that something was written by who has the key.
pub(crate) type Seal = [u8; BYTES];

/// The key of a user.
pub(crate) struct Key([u8; BYTES]);

impl Key {
    /// Draws a key.
    pub(crate) fn draw() -> io::Result<Self> {
        let mut key = [0; BYTES];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(key))
    }

    /// Returns the seal of some parts. The first one says what sort of thing they are.
    pub(crate) fn seal(&self, parts: &[&[u8]]) -> Seal {
        let mut seal = HMAC::new(self.0);
        for part in parts {
            // No part can be mistaken for the end of another one.
            seal.update((part.len() as u64).to_be_bytes());
            seal.update(part);
        }
        seal.finalize()
    }

    /// Returns the seal that the former version gave to a file: of its name and its content.
    pub(crate) fn former_seal(&self, name: &str, content: &[u8]) -> Seal {
        HMAC::mac([name.as_bytes(), b"\0", content].concat(), self.0)
    }
}

/// What is in the file of a key.
pub(crate) enum Found {
    /// Nothing: it is new.
    Nothing,
    /// A key that knows of no change: one of the former version.
    Former(Key),
    /// A key, and how many changes there were at least.
    Counted(Key, u64),
    /// Something else.
    Altered,
}

/// The file of a key, whose lock this process holds until it is dropped.
pub(crate) struct KeyFile(File);

impl KeyFile {
    /// Waits for the lock. The file is made if it is not there.
    pub(crate) fn lock(path: &Path) -> io::Result<Self> {
        place::check_plain(path)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        place::for_owner_alone(&mut options);
        let file = options.open(path)?;
        file.lock()?;
        Ok(Self(file))
    }

    /// Reads what is in it.
    pub(crate) fn read(&mut self) -> io::Result<Found> {
        let mut bytes = Vec::new();
        self.0.rewind()?;
        let whole = BYTES + NUMBER + BYTES;
        Read::by_ref(&mut self.0).take(whole as u64 + 1).read_to_end(&mut bytes)?;
        Ok(parse(&bytes).unwrap_or(Found::Altered))
    }

    /// Keeps the key and the number of changes. It is one write of a few bytes, so that nobody finds half of it.
    pub(crate) fn write(&mut self, key: &Key, changes: u64) -> io::Result<()> {
        self.0.rewind()?;
        let number = changes.to_be_bytes();
        let seal = seal_of_number(key, number);
        self.0.write_all(&[key.0.as_slice(), &number, &seal].concat())
    }
}

fn parse(bytes: &[u8]) -> Option<Found> {
    let Some((key, rest)) = bytes.split_first_chunk::<BYTES>() else {
        return bytes.is_empty().then_some(Found::Nothing);
    };
    let key = Key(*key);
    let Some((number, seal)) = rest.split_first_chunk::<NUMBER>() else {
        return rest.is_empty().then_some(Found::Former(key));
    };
    let is_sealed = seal == seal_of_number(&key, *number);
    is_sealed.then(|| Found::Counted(key, u64::from_be_bytes(*number)))
}

fn seal_of_number(key: &Key, number: [u8; NUMBER]) -> Seal {
    key.seal(&[b"changes", &number])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_for_one_key_and_for_its_parts() {
        let (key, other) = (Key::draw().unwrap(), Key::draw().unwrap());
        let seal = key.seal(&[b"value", b"ab", b"c"]);
        assert_eq!(key.seal(&[b"value", b"ab", b"c"]), seal);
        assert_ne!(other.seal(&[b"value", b"ab", b"c"]), seal);
        for parts in
            [&[b"value".as_slice(), b"a", b"bc"][..], &[b"value", b"abc"], &[b"valu", b"eab", b"c"]]
        {
            assert_ne!(key.seal(parts), seal, "{parts:?}");
        }
    }

    #[test]
    fn a_file_of_a_key_is_whole_or_altered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.key");
        KeyFile::lock(&path).unwrap().write(&Key::draw().unwrap(), 7).unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert!(matches!(parse(&whole), Some(Found::Counted(_, 7))));
        for length in (1..whole.len()).filter(|length| *length != BYTES) {
            assert!(parse(&whole[..length]).is_none(), "{length}");
        }
        assert!(matches!(parse(&whole[..BYTES]), Some(Found::Former(_))));
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(parse(&changed).is_none(), "byte {at}");
        }
    }
}
