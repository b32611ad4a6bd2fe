//! Characters that a pattern cannot mean, and how a pattern is shown in a message.
//!
//! A quotation mark of a word processor or a zero-width space in a pattern looks right on the
//! screen and matches nothing. Such patterns are refused, and messages spell the character out. An
//! escape that TOML has read is shown as it was written.

use hookgate_contract::quote;

/// How many characters of a pattern are shown in a message.
const SHOWN: usize = 200;

/// Returns a pattern as it is shown in a message: invisible characters are spelled out, and a long
/// pattern is cut.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(SHOWN) {
        if c.is_control() || (is_odd(c) && !c.is_alphanumeric()) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

/// Returns whether no name has such a character: it cannot be seen, or a word processor has put it
/// there.
pub(super) fn is_odd(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || quote::is_invisible(c)
        || matches!(c, '\u{2018}'..='\u{201f}' | '«' | '»' | '‹' | '›' | '–' | '—' | '…')
        || c.is_whitespace()
}

/// Describes a character that no name has, for a message.
pub(super) fn described(c: char) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    if c.is_control() {
        format!("the control character {code}")
    } else if "\"'`".contains(c) {
        format!("the quotation mark {c}")
    } else if c.is_whitespace() || quote::is_invisible(c) {
        format!("the invisible character {code}")
    } else if c.is_ascii() {
        format!("the sign `{c}`")
    } else {
        format!("the sign {c} ({code}) of a word processor")
    }
}

/// Returns a pattern as it was most likely written: `\b`, where TOML has read an escape.
pub(super) fn as_written(pattern: &str) -> String {
    pattern.replace('\u{8}', "\\b").replace('\u{c}', "\\f").replace('\u{1b}', "\\e")
}
