//! The head of the chain: the last entry and its hash. A chain alone does not show that its end was cut off, so
//! heads can be kept elsewhere.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use hmac_sha256::HMAC;
use serde::{Deserialize, Serialize};

use crate::row::hex;

/// The last entry of a chain at a time, as a line of a file of heads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Head {
    /// When it was the head, in milliseconds since 1970.
    pub time: u64,
    /// The number of the entry; 0 if there is none.
    pub seq: u64,
    /// Its hash, in hexadecimal digits.
    pub hash: String,
    /// The signature with the key of the owner, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// The key by which heads are signed.
#[derive(Clone)]
pub struct HeadKey(Vec<u8>);

impl fmt::Debug for HeadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeadKey")
    }
}

impl HeadKey {
    /// Makes a key of these bytes.
    pub fn new(key: impl Into<Vec<u8>>) -> Self {
        Self(key.into())
    }

    /// Returns the key in an environment variable; `None` if it is not set, or empty.
    #[must_use]
    pub fn of_variable(name: &str) -> Option<Self> {
        let key = std::env::var_os(name)?.into_encoded_bytes();
        (!key.is_empty()).then_some(Self(key))
    }
}

impl Head {
    pub(crate) fn new(time: u64, seq: u64, hash: &[u8; 32]) -> Self {
        Self { time, seq, hash: hex(hash), signature: None }
    }

    /// Signs it.
    #[must_use]
    pub fn signed(mut self, key: &HeadKey) -> Self {
        self.signature = Some(hex(&HMAC::mac(self.signed_text(), &key.0)));
        self
    }

    /// Returns whether its signature was made with this key.
    #[must_use]
    pub fn is_signed_with(&self, key: &HeadKey) -> bool {
        let decode = |text: &String| data_encoding::HEXLOWER.decode(text.as_bytes()).ok();
        let given = self.signature.as_ref().and_then(decode);
        let given = given.and_then(|given| <[u8; 32]>::try_from(given).ok());
        given.is_some_and(|given| HMAC::verify(self.signed_text(), &key.0, &given))
    }

    /// What a signature is made of.
    fn signed_text(&self) -> String {
        format!("hookgate head {} {} {}", self.time, self.seq, self.hash)
    }

    /// Reads the heads of a file, one a line.
    ///
    /// # Errors
    /// The file cannot be read, or a line is no head.
    pub fn read_all(file: &Path) -> io::Result<Vec<Self>> {
        let text = std::fs::read_to_string(file)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(index, line)| {
                serde_json::from_str(line).map_err(|error| {
                    let message = format!("{}:{}: no head: {error}", file.display(), index + 1);
                    io::Error::new(io::ErrorKind::InvalidData, message)
                })
            })
            .collect()
    }

    /// Adds it to a file of heads.
    pub(crate) fn append(&self, file: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut line = serde_json::to_string(self).map_err(io::Error::other)?;
        line.push('\n');
        // In one write: several processes add to the file.
        options.open(file)?.write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_for_its_head_and_key_only() {
        let (key, other) = (HeadKey::new(*b"one"), HeadKey::new(*b"two"));
        let head = Head::new(1, 2, &[3; 32]).signed(&key);
        assert!(head.is_signed_with(&key) && !head.is_signed_with(&other));
        let later = Head { seq: 3, ..head.clone() };
        assert!(!later.is_signed_with(&key));
        assert!(!Head { signature: None, ..head }.is_signed_with(&key));
    }
}
