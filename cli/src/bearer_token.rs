//! The secret that a client shows to a server of this program: random, and compared in a time that says nothing of it.

use std::{fmt, io};

use data_encoding::BASE64URL_NOPAD;
use hmac_sha256::HMAC;

/// How many bytes of chance a token has.
const BYTES: usize = 32;

/// What stands before a token in the header `Authorization`, in letters of either case.
const SCHEME: &str = "Bearer ";

/// A token.
#[derive(Clone)]
pub(crate) struct BearerToken {
    text: String,
    /// The key of the digests that are compared: nobody can know what they come to.
    key: [u8; BYTES],
}

impl BearerToken {
    /// Makes a new one.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(crate) fn random() -> io::Result<Self> {
        Self::of(BASE64URL_NOPAD.encode(&random()?))
    }

    /// Takes one that was made elsewhere.
    ///
    /// # Errors
    /// As [`BearerToken::random`].
    pub(crate) fn of(text: String) -> io::Result<Self> {
        Ok(Self { text, key: random()? })
    }

    /// Returns the text, for the one who is to show it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a header `Authorization` shows this token.
    pub(crate) fn admits(&self, header: &[u8]) -> bool {
        let (scheme, given) = header.split_at_checked(SCHEME.len()).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(SCHEME.as_bytes()) {
            return false;
        }
        let digests = HMAC::mac(given, self.key).into_iter().zip(HMAC::mac(&self.text, self.key));
        digests.fold(0, |differs, (given, own)| differs | (given ^ own)) == 0
    }
}

fn random() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_admitted() {
        let token = BearerToken::random().unwrap();
        let text = token.text().to_owned();
        assert_eq!(text.len(), 43, "256 bits");
        assert!(token.admits(format!("Bearer {text}").as_bytes()));
        let shorter = text.chars().take(42).collect::<String>();
        assert!(token.admits(format!("bearer {text}").as_bytes()), "the scheme has no case");
        for wrong in ["", "Bearer ", &text, &format!("Basic {text}"), &format!("Bearer {shorter}")]
        {
            assert!(!token.admits(wrong.as_bytes()), "{wrong}");
        }
        assert!(!token.admits(format!("Bearer {text}=").as_bytes()));
        assert_ne!(BearerToken::random().unwrap().text(), text);
        assert!(!format!("{token:?}").contains(&text));
    }
}
