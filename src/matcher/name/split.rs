//! Splits a pattern for names into its alternatives, and notices regular expressions on the way.
//!
//! Signs that only regular expressions have (`^`, `$`, `(`, `+`, `\w`, `.*`, `]{2}`) end the
//! attempt. Within a class (`[a|b]`) and within braces nothing separates.

use std::iter::Peekable;
use std::str::Chars;

/// The two ways in which a pattern can be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// That of `tool` and `agent`: alternatives with `|`.
    Names,
    /// That of `tool_glob`: `\` makes the next character literal, alternatives are in braces.
    Glob,
}

/// Returns the alternatives of a pattern; `None` if it looks like a regular expression.
pub(super) fn split(text: &str, dialect: Dialect) -> Option<Vec<&str>> {
    if text.len() > 2 && text.starts_with('/') && text.ends_with('/') {
        return None;
    }
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    let mut chars = text.chars().peekable();
    let mut before = '\0';
    let mut at = 0;
    while let Some(c) = chars.next() {
        let here = at;
        at += c.len_utf8();
        match c {
            '\\' if dialect == Dialect::Glob => match chars.next() {
                // `\w`, `\d`, `\b`: no letter needs to be made literal.
                Some(next) if next.is_alphanumeric() => return None,
                next => at += next.map_or(0, char::len_utf8),
            },
            '\\' | '^' | '$' | '(' | ')' | '+' => return None,
            '*' | '?' if before == '.' => return None,
            '{' if matches!(before, '.' | ']') && is_count(chars.clone()) => return None,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '[' => at += skip_class(&mut chars),
            '|' if depth > 0 => return None,
            '|' => {
                parts.push(text.get(start..here)?);
                start = at;
            }
            _ => {}
        }
        before = if c == '[' { ']' } else { c };
    }
    parts.push(text.get(start..)?);
    Some(parts)
}

/// Skips the rest of a class, and returns how many bytes it has. A class that is not closed is
/// reported by the translation.
fn skip_class(chars: &mut Peekable<Chars<'_>>) -> usize {
    let mut length = 0;
    let mut first = true;
    if let Some(c) = chars.next_if(|c| matches!(c, '!' | '^')) {
        length += c.len_utf8();
    }
    while let Some(c) = chars.next() {
        length += c.len_utf8();
        match c {
            ']' if !first => break,
            '\\' => length += chars.next().map_or(0, char::len_utf8),
            _ => {}
        }
        first = false;
    }
    length
}

/// Returns whether a brace is followed by the count of a regular expression: `2}`, `1,3}`.
fn is_count(chars: Peekable<Chars<'_>>) -> bool {
    let inside: String = chars.take_while(|c| *c != '}').collect();
    inside.starts_with(|c: char| c.is_ascii_digit())
        && inside.chars().all(|c| c.is_ascii_digit() || c == ',')
}

/// Returns whether a comma is outside of braces and classes.
pub(super) fn has_comma(part: &str) -> bool {
    let mut chars = part.chars().peekable();
    let mut depth = 0_u32;
    while let Some(c) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '\\' => {
                chars.next();
            }
            '[' => {
                skip_class(&mut chars);
            }
            ',' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}
