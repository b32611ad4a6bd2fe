//! Finds values after a name that gives them away: `key = value`, `"key": "value"`,
//! `<key>value</key>`, `{"name": "key", "value": "value"}`.
//!
//! | spelling | example |
//! |---|---|
//! | environments, shells, properties | `DB_PASS=…`, `export API_KEY="…"`, `spring.datasource.password=…` |
//! | JSON, also inside of a string | `"apiKey": "…"`, `{\"apiKey\":\"…\"}` |
//! | YAML | `password: …`, and `name: DB_PASSWORD` with `value: …` on the next line |
//! | code | `token := "…"`, `let token: &str = "…"`, `'password' => '…'`, `user[password]=…` |
//! | markup | `<password>…</password>`, `<add key="DbPassword" value="…" />` |
//! | queries and connection strings | `?access_token=…&page=2`, `Server=x;Password=…;` |
//!
//! The scanner goes from one sign (`=`, `:`, `>`) to the next, reads the name before it and, if the
//! name says so, the value after it. It understands the spellings of most languages and config
//! formats without knowing in which it is: a log may hold any of them, one inside of another.

use std::ops::Range;

use memchr::memchr3;

use crate::authorization::credentials;
use crate::field_name::{self, NameHint};
use crate::scan::{MAX_NAME, MAX_QUOTED, OwnKey, Sink};
use crate::value::{ValueContext, is_reference};
use crate::written_value::{LastWord, WrittenValue};

/// The kind of a value after a name.
const ASSIGNMENT: &str = "assignment";

/// How many bytes after a sign the value on the next line is searched for.
const MAX_LINE_END: usize = 64;

/// Finds the values in the order of the text; returns whether it came to the end.
pub(crate) fn find(text: &str, own: OwnKey<'_>, found: Sink<'_>) -> bool {
    let bytes = text.as_bytes();
    let last_word = LastWord::default();
    let mut from = 0;
    while let Some(next) = memchr3(b':', b'=', b'>', bytes.get(from..).unwrap_or_default()) {
        let sign = from + next;
        from = sign + 1;
        let Some((start, tag)) = separator(bytes, sign) else { continue };
        let Some(name) = name_before(text, sign, tag) else { continue };
        let assignment = Assignment { text, name, sign, start, tag, own, last_word: &last_word };
        let Some((secret, kind)) = assignment.secret() else { continue };
        from = secret.end.max(from);
        if !found(secret, kind) {
            return false;
        }
    }
    true
}

/// Returns whether the last line of a text names a secret whose value is on the next one. The text ends with a line end.
pub(crate) fn waits_for_next_line(before: &str, own: OwnKey<'_>) -> bool {
    let bytes = before.as_bytes();
    let from = bytes.len().saturating_sub(MAX_LINE_END);
    let end = bytes.get(from..).unwrap_or_default();
    end.iter().enumerate().filter(|(_, byte)| b":=>".contains(byte)).any(|(at, _)| {
        let sign = from + at;
        let Some((start, false)) = separator(bytes, sign) else { return false };
        let is_empty = before.get(start..).is_some_and(is_no_value);
        // What stands before the name may be a secret itself, and be taken out.
        let may_end = |name: &str| {
            let mut ends = name.char_indices().filter_map(|(at, _)| name.get(at..));
            ends.any(|end| may_name(end, own))
        };
        is_empty && name_before(before, sign, false).is_some_and(may_end)
    })
}

/// Returns whether a sign `>` closes a tag whose content may be a secret.
pub(crate) fn opens_tag(text: &str, sign: usize, own: OwnKey<'_>) -> bool {
    matches!(separator(text.as_bytes(), sign), Some((_, true)))
        && name_before(text, sign, true).is_some_and(|name| may_name(name, own))
}

/// Whether a name says something about what follows it, alone or with the words before it.
fn may_name(name: &str, own: OwnKey<'_>) -> bool {
    own(name)
        || name.eq_ignore_ascii_case("key")
        || field_name::name_hint(name) != NameHint::Nothing
}

/// Whether what stands between a sign and the end of its line leaves the value to the next one.
fn is_no_value(line: &str) -> bool {
    matches!(line.trim(), "" | "|" | "|-" | "|+" | ">" | ">-" | ">+" | "\\")
}

/// Returns where the value after a sign begins, and whether the sign closes a tag.
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

/// Returns the name before a sign.
fn name_before(text: &str, sign: usize, tag: bool) -> Option<&str> {
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
    let length =
        bytes.get(..end)?.iter().rev().take(MAX_NAME).take_while(|byte| is_part(byte)).count();
    let start = end - length;
    if tag && !bytes.get(..start)?.ends_with(b"<") {
        return None;
    }
    // The name in a placeholder, `[redacted:jwt_token]`, is not the name of what follows.
    let placeholder = bytes.get(..start)?.ends_with(b"[redacted:");
    text.get(start..end).filter(|name| !name.is_empty() && !placeholder)
}

/// A name, a sign, and the position of a value.
struct Assignment<'a> {
    text: &'a str,
    name: &'a str,
    sign: usize,
    /// Where the value begins.
    start: usize,
    /// Whether the sign closes a tag.
    tag: bool,
    own: OwnKey<'a>,
    last_word: &'a LastWord,
}

impl Assignment<'_> {
    /// Returns the range and the kind of the value if it is a secret.
    fn secret(&self) -> Option<(Range<usize>, &'static str)> {
        let mut hint = self.hint(self.name);
        if hint == NameHint::Nothing
            && self.long_name().is_some_and(|name| self.hint(name) == NameHint::Secret)
        {
            hint = NameHint::Secret;
        }
        if hint == NameHint::Nothing {
            let found = if self.tag {
                self.next_tag()
            } else {
                self.named_pair().or_else(|| self.short_pass())
            };
            return Some((found?, ASSIGNMENT));
        }
        if self.tag {
            return Some((self.content_of_tag(hint)?, ASSIGNMENT));
        }
        if let Some(range) = self.value_on_next_line(hint) {
            return Some((range, ASSIGNMENT));
        }
        if field_name::last_word(self.name).eq_ignore_ascii_case("authorization")
            && let Some(range) = credentials(self.text, self.start)
        {
            return Some((range, "authorization"));
        }
        let value = self.read(self.start)?;
        if self.context(self.name, &value, hint).is_secret(value.content(self.text)?) {
            return Some((value.range, ASSIGNMENT));
        }
        if self.equals() || value.quoted {
            return None;
        }
        Some((self.value_after_type(hint)?, ASSIGNMENT))
    }

    /// Reads `name: DB_PASSWORD, value: …`.
    fn named_pair(&self) -> Option<Range<usize>> {
        if !["name", "key"].iter().any(|name| name.eq_ignore_ascii_case(self.name)) {
            return None;
        }
        let named = self.read(self.start)?;
        let name = named.content(self.text)?;
        if name.len() > MAX_NAME || self.hint(name) != NameHint::Secret {
            return None;
        }
        let bytes = self.text.as_bytes();
        if let Some(range) = self.content_behind(named.range.end, name) {
            return Some(range);
        }
        let value = self.read(value_of_pair(bytes, named.range.end)?)?;
        let context = self.context(name, &value, NameHint::Nothing);
        let secret = ValueContext { equals: true, ..context }.is_secret(value.content(self.text)?);
        secret.then_some(value.range)
    }

    /// The name with the words before it: `Secret access key: …`.
    fn long_name(&self) -> Option<&str> {
        if self.tag || !self.name.eq_ignore_ascii_case("key") {
            return None;
        }
        let end = self.text.get(..self.sign)?.rfind(self.name)? + self.name.len();
        let before = self.text.as_bytes().get(..end)?;
        let is_part = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b' ';
        let length = before.iter().rev().take(32).take_while(|byte| is_part(byte)).count();
        self.text.get(end - length..end)
    }

    /// Reads `"pass": "…"`: in quotes, with letters and digits, it is no count of tests.
    fn short_pass(&self) -> Option<Range<usize>> {
        if !self.name.eq_ignore_ascii_case("pass") {
            return None;
        }
        let value = self.read(self.start)?;
        let content = value.content(self.text)?;
        let digit = content.bytes().any(|byte| byte.is_ascii_digit());
        let letter = content.bytes().any(|byte| byte.is_ascii_alphabetic());
        let context = self.context(self.name, &value, NameHint::Secret);
        (value.quoted && digit && letter && context.is_secret(content)).then_some(value.range)
    }

    /// Reads `<key>apiToken</key><string>…</string>`.
    fn next_tag(&self) -> Option<Range<usize>> {
        if !self.name.eq_ignore_ascii_case("key") {
            return None;
        }
        let rest = self.text.get(self.start..)?;
        let length = rest.bytes().take(MAX_NAME).position(|byte| byte == b'<')?;
        let name = rest.get(..length)?;
        let after = rest.get(length..)?.strip_prefix("</")?;
        let after = after.split_once('>').filter(|(tag, _)| tag.len() <= 8)?.1;
        let tag = after.trim_start_matches([' ', '\t', '\r', '\n']).strip_prefix("<string>")?;
        let start = self.text.len() - tag.len();
        (self.hint(name) == NameHint::Secret).then(|| self.content(start, name)).flatten()
    }

    /// Reads the content of a tag whose attribute has the name: `<entry key="password">…</entry>`.
    fn content_behind(&self, end: usize, name: &str) -> Option<Range<usize>> {
        let rest = self.text.as_bytes().get(end..)?;
        let quote = usize::from(rest.first().is_some_and(|byte| b"\"'".contains(byte)));
        (rest.get(quote) == Some(&b'>')).then(|| self.content(end + quote + 1, name)).flatten()
    }

    /// Reads what stands up to the next tag, if it is a secret.
    fn content(&self, start: usize, name: &str) -> Option<Range<usize>> {
        let rest = self.text.as_bytes().get(start..)?;
        let length = rest.iter().take(MAX_QUOTED).position(|byte| *byte == b'<')?;
        let value = WrittenValue { range: start..start + length, quoted: true, ends_line: false };
        let context = self.context(name, &value, NameHint::Secret);
        let closed = rest.get(length + 1) == Some(&b'/');
        (closed && context.is_secret(value.content(self.text)?)).then_some(value.range)
    }

    /// Reads a value that stands alone on the next line: after `password:`, `token: |` or `PASSWORD=\\`.
    fn value_on_next_line(&self, hint: NameHint) -> Option<Range<usize>> {
        let rest = self.text.get(self.start..)?;
        let (line, below) =
            rest.get(..rest.len().min(MAX_LINE_END)).unwrap_or(rest).split_once('\n')?;
        if !is_no_value(line) {
            return None;
        }
        let blanks = below.len() - below.trim_start_matches([' ', '\t']).len();
        let start = self.start + line.len() + 1 + blanks;
        let value = self.read(start)?;
        let content = value.content(self.text)?;
        let mixed = content.bytes().any(|byte| byte.is_ascii_digit())
            && content.bytes().any(|byte| byte.is_ascii_alphabetic());
        let alone = value.quoted || value.ends_line;
        let context = self.context(self.name, &value, hint);
        (alone
            && mixed
            && content.len() >= 8
            && !is_reference(content)
            && context.is_secret(content))
        .then_some(value.range)
    }

    /// Reads `<password>…</password>`.
    fn content_of_tag(&self, hint: NameHint) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let rest = bytes.get(self.start..)?;
        let length = rest.iter().take(MAX_QUOTED).position(|byte| *byte == b'<')?;
        let range = self.start..self.start + length;
        let closed = bytes.get(range.end + 1) == Some(&b'/');
        let value = WrittenValue { range, quoted: true, ends_line: false };
        let context = self.context(self.name, &value, hint);
        (closed && context.is_secret(value.content(self.text)?)).then_some(value.range)
    }

    /// Reads the value after a type: `token: &str = "…"`.
    fn value_after_type(&self, hint: NameHint) -> Option<Range<usize>> {
        let line = self.text.as_bytes().get(self.start..)?;
        let sign = line.iter().take(MAX_NAME).position(|byte| b"=,;(){\n\"".contains(byte))?;
        let assigns =
            line.get(sign) == Some(&b'=') && !matches!(line.get(sign + 1), Some(b'=' | b'>'));
        let value = assigns.then(|| self.read(self.start + sign + 1)).flatten()?;
        let context = self.context(self.name, &value, hint);
        (value.quoted && context.is_secret(value.content(self.text)?)).then_some(value.range)
    }

    fn hint(&self, name: &str) -> NameHint {
        if (self.own)(name) { NameHint::Secret } else { field_name::name_hint(name) }
    }

    fn read(&self, start: usize) -> Option<WrittenValue> {
        WrittenValue::read(self.text, start, self.last_word)
    }

    fn equals(&self) -> bool {
        self.text.as_bytes().get(self.sign) == Some(&b'=')
    }

    fn context<'n>(&self, key: &'n str, value: &WrittenValue, hint: NameHint) -> ValueContext<'n> {
        ValueContext {
            key,
            quoted: value.quoted || self.tag,
            equals: self.equals(),
            ends_line: value.ends_line,
            if_random: hint == NameHint::IfRandom,
        }
    }
}

/// Returns where the value of a pair begins: after `, "value":` and the like.
fn value_of_pair(bytes: &[u8], end: usize) -> Option<usize> {
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
