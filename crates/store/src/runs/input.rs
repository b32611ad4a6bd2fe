//! What a run is done with, sealed: it has whatever the step has, secrets included, so it is not left readable in a file
//! from which the journal has taken them out.
//!
//! The text is combined with a stream that HMAC-SHA-256 makes of the key, a random number and a counter; then the whole
//! is sealed with the name of the run, so that it can be neither changed nor put to another one. Who has the file of the
//! key can read it.

use std::io;

use crate::key_file::Key;

/// How many bytes the random number has.
const NONCE: usize = 24;

/// How many bytes a seal has, and a block of the stream.
const SEAL: usize = 32;

/// Seals a text for a run.
pub(crate) fn seal(key: &Key, run: &str, text: &[u8]) -> io::Result<Vec<u8>> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|error| io::Error::other(error.to_string()))?;
    let mut hidden = text.to_vec();
    combine(key, &nonce, &mut hidden);
    let seal = seal_of(key, run, &nonce, &hidden);
    Ok([nonce.as_slice(), &seal, &hidden].concat())
}

/// Returns the text that was sealed for a run; `None` if it was not, or by another key.
pub(crate) fn open(key: &Key, run: &str, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, rest) = sealed.split_first_chunk::<NONCE>()?;
    let (seal, hidden) = rest.split_first_chunk::<SEAL>()?;
    if *seal != seal_of(key, run, nonce, hidden) {
        return None;
    }
    let mut text = hidden.to_vec();
    combine(key, nonce, &mut text);
    Some(text)
}

fn seal_of(key: &Key, run: &str, nonce: &[u8], hidden: &[u8]) -> [u8; SEAL] {
    key.seal(&[b"input", run.as_bytes(), nonce, hidden])
}

/// Combines a text with the stream: once to hide it, once more to have it back.
fn combine(key: &Key, nonce: &[u8], text: &mut [u8]) {
    for (number, block) in (0_u64..).zip(text.chunks_mut(SEAL)) {
        let stream = key.seal(&[b"stream", nonce, &number.to_be_bytes()]);
        block.iter_mut().zip(stream).for_each(|(byte, with)| *byte ^= with);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_hidden_and_for_one_run_and_one_key() {
        let (key, other) = (Key::draw().unwrap(), Key::draw().unwrap());
        let text = b"password = hunter2, and more than one block of a stream".as_slice();
        let sealed = seal(&key, "run", text).unwrap();
        assert_eq!(open(&key, "run", &sealed).as_deref(), Some(text));
        assert!(!sealed.windows(7).any(|window| window == b"hunter2"));
        assert_ne!(seal(&key, "run", text).unwrap(), sealed, "no stream is used twice");
        assert_eq!(open(&key, "another", &sealed), None);
        assert_eq!(open(&other, "run", &sealed), None);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(open(&key, "run", &changed), None, "byte {at}");
            assert_eq!(open(&key, "run", &sealed[..at]), None);
        }
        let empty = seal(&key, "run", b"").unwrap();
        assert_eq!(open(&key, "run", &empty).as_deref(), Some(b"".as_slice()));
    }
}
