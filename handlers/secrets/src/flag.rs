//! Values behind the flags of a program: `--password x`, `curl -u a:b`.

use memchr::{memchr_iter, memmem, memrchr};

use crate::assignment::{OwnKey, Sink, Value, Words};
use crate::key::{self, Tells};
use crate::value::Place;

/// How far before a flag its program is looked for.
const LINE: usize = 512;

/// Finds them in the order of the text.
pub(crate) fn find(text: &str, own: OwnKey<'_>, found: Sink<'_>) -> bool {
    let bytes = text.as_bytes();
    let words = Words::default();
    let mut done = 0;
    for dash in memchr_iter(b'-', bytes) {
        let begins = dash
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|before| before.is_ascii_whitespace() || b"\"'`([,".contains(before));
        if dash < done || !begins {
            continue;
        }
        let Some((name, start)) = flag(text, dash) else { continue };
        let Some(value) = Value::read(text, start, &words) else { continue };
        let Some(content) = value.text(text) else { continue };
        // A value that is cut off at a sign in it is more than the name of another flag.
        if content.starts_with('-') {
            continue;
        }
        let range = if own(name) || key::tells(name) == Tells::Secret {
            let quoted = value.quoted && content.bytes().any(|byte| !byte.is_ascii_alphabetic());
            let place =
                Place { key: name, quoted, equals: false, ends_line: false, if_random: false };
            // A word is more often the next word of a sentence.
            place.holds(content).then_some(value.range)
        } else {
            user(bytes, dash, name, content).map(|at| value.range.start + at..value.range.end)
        };
        if let Some(range) = range {
            done = range.end;
            if !found(range, "assignment") {
                return false;
            }
        }
    }
    true
}

/// The name of a flag, and where its value begins; none where `=` follows, which is an assignment.
fn flag(text: &str, dash: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let start = dash + if bytes.get(dash + 1) == Some(&b'-') { 2 } else { 1 };
    let length = bytes
        .get(start..)?
        .iter()
        .take(40)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte))
        .count();
    let end = start + length;
    let name = text.get(start..end)?;
    match bytes.get(end..)? {
        [b' ' | b'\t', ..] => Some((name, end)),
        // The next word of a list: `"--token", "…"`.
        [quote @ (b'"' | b'\''), b',', ..] => {
            let rest = bytes.get(end + 2..)?;
            let gap = rest.iter().take(16).take_while(|byte| byte.is_ascii_whitespace()).count();
            (rest.get(gap) == Some(quote)).then_some((name, end + 2 + gap))
        }
        // `-u` needs no blank before its value, and `--user=` takes one.
        [b'=', ..] if name == "user" || name == "proxy-user" => Some((name, end + 1)),
        _ => None,
    }
}

/// Where the password begins in what `-u` or `-p` takes, if its program takes one there.
fn user(bytes: &[u8], dash: usize, name: &str, content: &str) -> Option<usize> {
    let line = bytes.get(dash.saturating_sub(LINE)..dash)?;
    let line = line.get(memrchr(b'\n', line).map_or(0, |at| at + 1)..)?;
    let runs = |program: &str| memmem::find(line, program.as_bytes()).is_some();
    let start = match name {
        "u" | "U" | "user" | "proxy-user" => {
            let colon = content
                .bytes()
                .take(LINE)
                .position(|byte| byte == b':')
                .filter(|_| runs("curl") || runs("wget") || runs("http"))?;
            // `--user 1000:1000` are ids.
            content
                .bytes()
                .any(|byte| byte != b':' && !byte.is_ascii_digit())
                .then_some(colon + 1)?
        }
        "p" if runs("sshpass") || runs(" login ") => 0,
        _ => return None,
    };
    let password = content.get(start..)?;
    (!password.is_empty() && !crate::value::is_reference(password)).then_some(start)
}
