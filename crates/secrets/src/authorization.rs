//! The credentials of an `Authorization` header.
//!
//! The scheme (`Bearer`, `Basic`) stays in the text, so that a reader sees what kind of credentials
//! were there. Some schemes have parameters with blanks between them (`Digest username="me", …`):
//! of those all up to the end of the line is taken. Without a known scheme the value is read like any
//! other after a name. What is only a word (`Authorization: Basic knowledge`) stays; after `Basic` it is
//! taken if it decodes to `user:password`.

use std::ops::Range;

use crate::encoding::is_user_and_password;
use crate::scan::MAX_QUOTED;
use crate::value::is_reference;

/// Schemes of an `Authorization` header, after which a secret follows.
const SCHEMES: &[&str] = &[
    "Bearer",
    "Basic",
    "Token",
    "Digest",
    "ApiKey",
    "Api-Key",
    "Key",
    "Negotiate",
    "NTLM",
    "Bot",
    "OAuth",
    "AWS4-HMAC-SHA256",
    "SharedKey",
    "HMAC",
    "JWT",
    "Splunk",
];

/// Returns the range of the credentials that begin here: what follows the scheme.
///
/// Returns `None` if no known scheme follows, or if what follows it is a word or a reference.
pub(crate) fn credentials(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_end = |at: &usize| match bytes.get(*at..) {
        Some([b'\r' | b'\n', ..]) | None | Some([]) => true,
        Some([b'\\', next, ..]) => b"nrt\"'".contains(next),
        _ => false,
    };
    let rest = bytes.get(start..)?;
    let blanks = rest.iter().take(16).take_while(|byte| b" \t\\\"'`".contains(byte)).count();
    let from = start + blanks;
    let quote = rest.get(..blanks)?.last().copied().filter(|byte| b"\"'`".contains(byte));
    let scheme = SCHEMES.iter().find(|scheme| {
        bytes
            .get(from..from + scheme.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(scheme.as_bytes()))
            && bytes.get(from + scheme.len()) == Some(&b' ')
    })?;
    let mut begin = from + scheme.len();
    while bytes.get(begin) == Some(&b' ') && begin - from < 64 {
        begin += 1;
    }
    let whole = ["Digest", "AWS4-HMAC-SHA256", "OAuth"].contains(scheme);
    let ends = |at: &usize| {
        let byte = bytes.get(*at).copied();
        is_end(at)
            || quote.is_some() && byte == quote
            || !whole
                && byte.is_some_and(|byte| byte.is_ascii_whitespace() || b"\"'`".contains(&byte))
    };
    let within = (begin..begin + MAX_QUOTED).find(ends);
    let mut cut = within.unwrap_or(begin + MAX_QUOTED);
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    // Its beginning decides whether it is a secret: a text that is not one may be long.
    let secret = text.get(begin..cut)?;
    let words = secret.bytes().all(|byte| byte.is_ascii_alphabetic());
    let plain = is_reference(secret) || secret.len() < 8 || words && secret.len() < 20;
    let held = !plain || scheme == &"Basic" && is_user_and_password(secret);
    if !held {
        return None;
    }
    let end = within.or_else(|| (cut..=bytes.len()).find(ends))?;
    Some(begin..end)
}
