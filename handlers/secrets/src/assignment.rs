//! Values behind a name that tells: `key = value`, `"key": "value"`, `<key>value</key>`.

use std::cell::Cell;
use std::ops::Range;

use memchr::memchr3;

use crate::key::{self, Tells};
use crate::value::Place;

/// Quoted values are read so far.
const QUOTED: usize = 4096;

/// A name is looked for so far before the sign behind it.
const KEY: usize = 80;

/// What tells that a name of the caller's own holds a secret.
pub(crate) type OwnKey<'a> = &'a dyn Fn(&str) -> bool;

/// Takes what was found, and says whether to go on.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(Range<usize>, &'static str) -> bool;

/// Schemes of an `Authorization` header, of which what follows is secret.
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

/// Finds them in the order of the text.
pub(crate) fn find(text: &str, own: OwnKey<'_>, found: Sink<'_>) -> bool {
    let bytes = text.as_bytes();
    let words = Words::default();
    let mut from = 0;
    while let Some(next) = memchr3(b':', b'=', b'>', bytes.get(from..).unwrap_or_default()) {
        let sign = from + next;
        from = sign + 1;
        let Some((start, tag)) = separator(bytes, sign) else { continue };
        let Some(name) = name(text, sign, tag) else { continue };
        let Some((secret, kind)) = secret(text, name, sign, start, tag, own, &words) else {
            continue;
        };
        from = secret.end.max(from);
        if !found(secret, kind) {
            return false;
        }
    }
    true
}

/// Where the value begins behind a sign, and whether the sign closes a tag.
fn separator(bytes: &[u8], sign: usize) -> Option<(usize, bool)> {
    let before = sign.checked_sub(1).and_then(|at| bytes.get(at))?;
    let after = bytes.get(sign + 1);
    match bytes.get(sign)? {
        b'=' if after == Some(&b'=') || b"=!<>~:".contains(before) => None,
        b'=' if after == Some(&b'>') => Some((sign + 2, false)),
        b'=' => Some((sign + 1, false)),
        b':' if after == Some(&b':') || *before == b':' => None,
        b':' if after == Some(&b'=') => Some((sign + 2, false)),
        b':' if bytes.get(sign + 1..)?.starts_with(b"//") => None,
        b':' => Some((sign + 1, false)),
        _ => before.is_ascii_alphanumeric().then_some((sign + 1, true)),
    }
}

/// The name before a sign.
fn name(text: &str, sign: usize, tag: bool) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut end = sign;
    let back = |end: usize, signs: &[u8], most: usize| {
        let piece = bytes.get(..end).unwrap_or_default();
        end - piece.iter().rev().take(most).take_while(|byte| signs.contains(byte)).count()
    };
    if !tag {
        end = back(end, b" \t", 8);
        end = back(end, b"]?!", 1);
        end = back(end, b"\"'`", 1);
        end = back(end, b"\\", 3);
    }
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$-".contains(byte) || tag && *byte == b':';
    let length = bytes.get(..end)?.iter().rev().take(KEY).take_while(|byte| is_part(byte)).count();
    let start = end - length;
    if tag && !bytes.get(..start)?.ends_with(b"<") {
        return None;
    }
    // The name in a placeholder, `[redacted:jwt_token]`, is no name of what follows.
    let placeholder = bytes.get(..start)?.ends_with(b"[redacted:");
    text.get(start..end).filter(|name| !name.is_empty() && !placeholder)
}

fn secret(
    text: &str,
    name: &str,
    sign: usize,
    start: usize,
    tag: bool,
    own: OwnKey<'_>,
    words: &Words,
) -> Option<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let tells = if own(name) { Tells::Secret } else { key::tells(name) };
    let equals = bytes.get(sign) == Some(&b'=');
    let place = |key, value: &Value| Place {
        key,
        quoted: value.quoted || tag,
        equals,
        ends_line: value.ends_line,
        if_random: tells == Tells::IfRandom,
    };
    if tells == Tells::Nothing {
        // `name: DB_PASSWORD, value: …`
        if !["name", "key"].iter().any(|word| word.eq_ignore_ascii_case(name)) {
            return None;
        }
        let called = Value::read(text, start, words)?;
        let real = called.text(text)?;
        let tells = real.len() <= KEY && (own(real) || key::is_secret_key(real));
        let start = tells.then(|| second(bytes, called.range.end)).flatten()?;
        let value = Value::read(text, start, words)?;
        let held = Place { equals: true, ..place(real, &value) }.holds(value.text(text)?);
        return held.then_some((value.range, "assignment"));
    }
    if tag {
        let length = bytes.get(start..)?.iter().take(QUOTED).position(|byte| *byte == b'<')?;
        let range = start..start + length;
        let closed = bytes.get(range.end + 1) == Some(&b'/');
        let value = Value { range, quoted: true, ends_line: false };
        let held = closed && place(name, &value).holds(value.text(text)?);
        return held.then_some((value.range, "assignment"));
    }
    if key::last_word(name).eq_ignore_ascii_case("authorization")
        && let Some(range) = credentials(text, start)
    {
        return Some((range, "authorization"));
    }
    let value = Value::read(text, start, words)?;
    if place(name, &value).holds(value.text(text)?) {
        return Some((value.range, "assignment"));
    }
    // A type may stand between the name and the value: `token: &str = "…"`.
    if equals || value.quoted {
        return None;
    }
    let line = bytes.get(start..)?;
    let sign = line.iter().take(KEY).position(|byte| b"=,;(){\n\"".contains(byte))?;
    let typed = line.get(sign) == Some(&b'=') && !matches!(line.get(sign + 1), Some(b'=' | b'>'));
    let value = typed.then(|| Value::read(text, start + sign + 1, words)).flatten()?;
    let held = value.quoted && place(name, &value).holds(value.text(text)?);
    held.then_some((value.range, "assignment"))
}

/// Where the value of a pair begins: behind `, "value":` and the like.
fn second(bytes: &[u8], end: usize) -> Option<usize> {
    const VALUE: &[u8] = b"value";
    let mut at = end;
    loop {
        match bytes.get(at..)? {
            _ if at - end > 64 => return None,
            [b'\\', b'n' | b'r' | b't' | b'"', ..] => at += 2,
            [byte, ..] if byte.is_ascii_whitespace() || b",;\"'{}-".contains(byte) => at += 1,
            _ => break,
        }
    }
    if !bytes.get(at..at + VALUE.len())?.eq_ignore_ascii_case(VALUE) {
        return None;
    }
    at += VALUE.len();
    let rest = bytes.get(at..)?;
    let gap = rest.iter().take(8).take_while(|byte| b"\\\"' \t".contains(byte)).count();
    matches!(rest.get(gap), Some(b':' | b'=')).then_some(at + gap + 1)
}

/// The credentials of an `Authorization` header: what stands behind its scheme.
fn credentials(text: &str, start: usize) -> Option<Range<usize>> {
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
    let within = (begin..begin + QUOTED).find(ends);
    let mut cut = within.unwrap_or(begin + QUOTED);
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    // Its beginning tells whether it is secret: what is none may hold many others.
    let secret = text.get(begin..cut)?;
    let words = secret.bytes().all(|byte| byte.is_ascii_alphabetic());
    let plain =
        crate::value::is_reference(secret) || secret.len() < 8 || words && secret.len() < 20;
    let held = !plain || scheme == &"Basic" && crate::encoding::is_user_and_password(secret);
    if !held {
        return None;
    }
    let end = within.or_else(|| (cut..=bytes.len()).find(ends))?;
    Some(begin..end)
}

/// The word that was read last, from where it was read to its end. What ends a word does not depend
/// on where it begins, so one with many signs in it (`token=a(token=a(`) is read once.
#[derive(Default)]
pub(crate) struct Words(Cell<(usize, usize)>);

/// A value behind a sign.
pub(crate) struct Value {
    pub(crate) range: Range<usize>,
    pub(crate) quoted: bool,
    pub(crate) ends_line: bool,
}

impl Value {
    pub(crate) fn text<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.get(self.range.clone())
    }

    /// The value that begins here, on this line.
    pub(crate) fn read(text: &str, start: usize, words: &Words) -> Option<Self> {
        let bytes = text.as_bytes();
        let count = |at: usize, most: usize, is: &dyn Fn(&u8) -> bool| {
            bytes
                .get(at..)
                .unwrap_or_default()
                .iter()
                .take(most)
                .take_while(|byte| is(byte))
                .count()
        };
        let start = start + count(start, 64, &|byte| b" \t".contains(byte));
        // `b"…"`, `@"…"`
        let prefix = count(start, 2, &|byte| byte.is_ascii_alphabetic() || *byte == b'@');
        let slashes = count(start + prefix, 3, &|byte| *byte == b'\\');
        let open = start + prefix + slashes;
        if let Some(quote) = bytes.get(open).filter(|byte| b"\"'`".contains(byte)) {
            let range = quoted(bytes, open + 1, *quote, slashes);
            return Some(Self { range, quoted: true, ends_line: false });
        }
        let range = start..bare(bytes, start, words);
        let ends_line = matches!(bytes.get(range.end), None | Some(b'\r' | b'\n'))
            || bytes.get(range.end..).is_some_and(|rest| rest.starts_with(b"\\n"));
        Some(Self { range, quoted: false, ends_line })
    }
}

/// Up to the closing quote; where there is none, to the end of the line.
fn quoted(bytes: &[u8], start: usize, quote: u8, slashes: usize) -> Range<usize> {
    let mut end = start;
    let mut escaped = 0;
    for byte in bytes.get(start..).unwrap_or_default().iter().take(QUOTED) {
        if *byte == b'\n' || *byte == b'\r' {
            break;
        }
        if *byte == b'\\' {
            escaped += 1;
        } else {
            if *byte == quote
                && (slashes == 0 && escaped % 2 == 0 || slashes > 0 && escaped <= slashes)
            {
                return start..end - escaped.min(end - start).min(slashes);
            }
            escaped = 0;
        }
        end += 1;
    }
    // What is cut here may not be cut inside a character.
    while bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end += 1;
    }
    start..end
}

/// Up to what ends a word; a sign that separates ends it where another `key=` follows.
fn bare(bytes: &[u8], start: usize, words: &Words) -> usize {
    let (from, known) = words.0.get();
    let mut end = if (from..known).contains(&start) { known } else { start };
    while let Some(byte) = bytes.get(end) {
        let next = bytes.get(end + 1);
        let stops = match byte {
            b'"' | b'\'' | b'`' | b'<' | 0..=b' ' | 0x7f => true,
            b'\\' => next.is_some_and(|next| b"nrt\"'\\".contains(next)),
            b',' | b';' | b'&' | b')' | b'|' => {
                let rest = bytes.get(end + 1..).unwrap_or_default();
                let name = rest
                    .iter()
                    .take(40)
                    .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
                    .count();
                next.is_none_or(|next| next.is_ascii_whitespace() || b"\"'`,;)\\".contains(next))
                    || name > 0 && matches!(rest.get(name), Some(b'=' | b':'))
            }
            _ => false,
        };
        if stops {
            break;
        }
        end += 1;
    }
    words.0.set((start, end));
    let piece = bytes.get(start..end).unwrap_or_default();
    end - piece.iter().rev().take(4).take_while(|byte| b",;.)]}>:".contains(byte)).count()
}
