//! Finds passwords and tokens in URLs: `postgres://me:PASSWORD@db`, `https://TOKEN@github.com`.
//!
//! | URL | what is found |
//! |---|---|
//! | `postgres://me:…@db` | the password, even with `@`, `:` or `/` in it |
//! | `https://…@github.com` | the user, if it looks random |
//! | `https://…:x-oauth-basic@github.com` | the user, since the password is a fixed word |
//! | `ssh://git@host`, `http://host:8080/a@b` | nothing |
//!
//! The parser of a URL would refuse most of what is found in logs: passwords with `/` or `@` in them,
//! URLs that are cut off. So the scanner looks for `://` and reads what follows up to white space or
//! a quote.

use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr};

use crate::value::{is_random, is_reference};

/// Finds the secrets in the order of the text; returns whether it came to the end. Each run of
/// characters without white space is read once.
pub(crate) fn find(text: &str, found: &mut dyn FnMut(Range<usize>) -> bool) -> bool {
    let bytes = text.as_bytes();
    let mut done = 0;
    // The end of the run that holds the last mark, and the mark that follows.
    let mut run_end = 0;
    let mut marks = memmem::find_iter(bytes, b"://").peekable();
    while let Some(mark) = marks.next() {
        let start = mark + 3;
        let follows_scheme = mark
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte));
        if start < done || !follows_scheme {
            continue;
        }
        if start > run_end {
            run_end = start
                + bytes
                    .get(start..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|byte| !byte.is_ascii_whitespace() && !b"\"'<>`\\".contains(byte))
                    .count();
        }
        let end = marks.peek().map_or(run_end, |next| run_end.min(*next));
        let Some(piece) = bytes.get(start..end) else { continue };
        if let Some(secret) = secret(text, piece, start) {
            done = secret.end;
            if !found(secret) {
                return false;
            }
        }
    }
    true
}

/// Returns the range of the secret in what follows `://`.
fn secret(text: &str, url: &[u8], start: usize) -> Option<Range<usize>> {
    let path = memchr::memchr3(b'/', b'?', b'#', url).unwrap_or(url.len());
    let authority = url.get(..path)?;
    let range = |from: usize, to: usize| start + from..start + to;
    let (colon, at) = match memrchr(b'@', authority) {
        Some(at) => (memchr_iter(b':', authority.get(..at)?).next(), at),
        // A password with a slash in it: but a number before the slash is a port.
        None => {
            let colon = memchr_iter(b':', authority).next()?;
            let port = authority.get(colon + 1..)?;
            if port.iter().all(u8::is_ascii_digit) || port.starts_with(b"$") || colon == 0 {
                return None;
            }
            (Some(colon), memrchr(b'@', url)?)
        }
    };
    let user = colon.unwrap_or(at);
    if let Some(colon) = colon {
        let password = text.get(range(colon + 1, at))?;
        if !password.is_empty() && password != "x-oauth-basic" {
            return (!is_reference(password)).then(|| range(colon + 1, at));
        }
    }
    let name = text.get(range(0, user))?;
    (is_random(name) || is_uuid(name)).then(|| range(0, user))
}

/// Whether a text is a UUID: no name of a user is one.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_tokens_are_found_and_ports_are_not() {
        for (text, expected) in [
            ("postgres://me:p@ss:w@db/x", Some("p@ss:w")),
            ("postgres://me:pa/ss@db/x", Some("pa/ss")),
            ("redis://:hunter2@localhost:6379/0", Some("hunter2")),
            ("see https://0aB1cD2eF3gH4iJ5kL6m@github.com/a/b.", Some("0aB1cD2eF3gH4iJ5kL6m")),
            ("https://0aB1cD2eF3gH4iJ5kL6m:x-oauth-basic@github.com", Some("0aB1cD2eF3gH4iJ5kL6m")),
            ("https://example.com:8080/a@b", None),
            ("http://localhost:4873/@scope/package", None),
            ("ssh://git@github.com/a/b", None),
            ("postgres://me:$PASSWORD@db, postgres://me:${PASS}@db, x://u:<password>@h", None),
            ("https://a/b https://c:x", None),
        ] {
            let mut all = Vec::new();
            find(text, &mut |range| {
                all.push(text.get(range).unwrap());
                true
            });
            assert_eq!(all, Vec::from_iter(expected), "{text}");
        }
    }
}
