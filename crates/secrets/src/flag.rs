//! Finds values after the flags of a program: `--password x`, `curl -u a:b`.
//!
//! | spelling | counts |
//! |---|---|
//! | `--password …`, `-token …`, `"--token", "…"` | if the name of the flag holds a secret |
//! | `curl -u user:…`, `wget --user user:…` | the part after the colon, unless both parts are numbers |
//! | `sshpass -p …`, `docker login -p …` | all of the value |
//! | `--password=…` | is an assignment, and found by that scanner |
//!
//! A long flag is read like the name of a field. The short flags `-u` and `-p` mean something else to
//! each program, so they count only on a line that runs a program for which they take a password.

use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr};

use crate::field_name::{self, NameHint};
use crate::scan::{OwnKey, Sink};
use crate::value::{ValueContext, is_reference};
use crate::written_value::{LastWord, WrittenValue};

/// How many bytes before a flag its program is searched for.
const MAX_LINE: usize = 512;

/// Finds the values in the order of the text; returns whether it came to the end.
pub(crate) fn find(text: &str, own: OwnKey<'_>, found: Sink<'_>) -> bool {
    let bytes = text.as_bytes();
    let last_word = LastWord::default();
    let mut done = 0;
    for dash in memchr_iter(b'-', bytes) {
        let begins = dash
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|before| before.is_ascii_whitespace() || b"\"'`([,".contains(before));
        if dash < done || !begins {
            continue;
        }
        if let Some(range) = attached_password(text, dash) {
            done = range.end;
            if !found(range, "assignment") {
                return false;
            }
            continue;
        }
        let Some((name, start)) = read_flag(text, dash) else { continue };
        let Some(value) = WrittenValue::read(text, start, &last_word) else { continue };
        let Some(content) = value.content(text) else { continue };
        // Another flag follows instead of a value.
        if content.starts_with('-') {
            continue;
        }
        let range = if own(name) || field_name::name_hint(name) == NameHint::Secret {
            let quoted = value.quoted && content.bytes().any(|byte| !byte.is_ascii_alphabetic());
            // Neither after `=` nor at the end of a line: a bare word is more often the next word of
            // a sentence than a value.
            let context = ValueContext {
                key: name,
                quoted,
                equals: false,
                ends_line: false,
                if_random: false,
            };
            context.is_secret(content).then_some(value.range)
        } else {
            password_of_short_flag(bytes, dash, name, content)
                .map(|at| value.range.start + at..value.range.end)
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

/// Returns the password of `mysql -pPASSWORD` and `sshpass -pPASSWORD`.
fn attached_password(text: &str, dash: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = dash + 2;
    if bytes.get(dash + 1) != Some(&b'p') || bytes.get(start).is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let line = line_before(bytes, dash)?;
    let programs: [&[u8]; 4] = [b"mysql", b"mariadb", b"sshpass", b"7z"];
    programs.iter().find(|program| memmem::find(line, program).is_some())?;
    let value = WrittenValue::read(text, start, &LastWord::default())?;
    let content = value.content(text)?;
    let is_word = content.bytes().all(|byte| byte.is_ascii_lowercase())
        || content.bytes().all(|byte| byte.is_ascii_uppercase());
    (content.len() >= 4 && !is_word && !is_reference(content)).then_some(value.range)
}

/// What stands before a flag on its line.
fn line_before(bytes: &[u8], dash: usize) -> Option<&[u8]> {
    let line = bytes.get(dash.saturating_sub(MAX_LINE)..dash)?;
    line.get(memrchr(b'\n', line).map_or(0, |at| at + 1)..)
}

/// Returns the name of a flag and where its value begins, or `None` if `=` follows, which makes it an
/// assignment.
fn read_flag(text: &str, dash: usize) -> Option<(&str, usize)> {
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

/// Returns where the password begins in the value of `-u` or `-p`, if the program of the line takes
/// one there.
fn password_of_short_flag(bytes: &[u8], dash: usize, name: &str, content: &str) -> Option<usize> {
    let line = line_before(bytes, dash)?;
    let runs = |program: &str| memmem::find(line, program.as_bytes()).is_some();
    let start = match name {
        "U" if runs("smb") || runs("rpcclient") || runs("net ") => content.find('%')? + 1,
        "u" | "U" | "user" | "proxy-user" => {
            let colon = content
                .bytes()
                .take(MAX_LINE)
                .position(|byte| byte == b':')
                .filter(|_| runs("curl") || runs("wget") || runs("http"))?;
            // `--user 1000:1000` has ids.
            content
                .bytes()
                .any(|byte| byte != b':' && !byte.is_ascii_digit())
                .then_some(colon + 1)?
        }
        "p" if runs("sshpass") || runs(" login ") => 0,
        "a" if runs("redis-cli") || runs("valkey-cli") => 0,
        // openssl: `-passin pass:…`
        "passin" | "passout" | "pass" if content.starts_with("pass:") && content.len() > 8 => 5,
        _ => return None,
    };
    let password = content.get(start..)?;
    (!password.is_empty() && !is_reference(password)).then_some(start)
}
