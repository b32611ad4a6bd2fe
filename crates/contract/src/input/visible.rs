//! Text from outside, made fit to be shown: on a terminal, in a log, in a message.
//!
//! What a model, a tool or the writer of a config wrote could move the cursor, paint over other text,
//! reverse the order of the characters, or look like a line of hookgate.

use std::borrow::Cow;

use crate::quote::is_invisible;

/// The character that replaces a hidden one.
const SUBSTITUTE: char = '\u{fffd}';

/// Tells whether a character is hidden: it controls the terminal, changes the order of what follows, or
/// cannot be seen.
///
/// ```
/// use hookgate_contract::visible::is_hidden;
///
/// assert!(is_hidden('\x1b') && is_hidden('\u{202e}') && is_hidden('\u{200b}'));
/// assert!(!is_hidden('a') && !is_hidden(' ') && !is_hidden('é'));
/// ```
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}') || is_invisible(c)
}

/// Iterates over the characters of a text as one line: line ends and runs of blanks become one blank,
/// and what is hidden becomes `U+FFFD`.
pub fn characters(text: &str) -> impl Iterator<Item = char> {
    let mut blank = false;
    text.trim().chars().filter_map(move |c| {
        if c.is_whitespace() {
            return (!std::mem::replace(&mut blank, true)).then_some(' ');
        }
        blank = false;
        Some(if is_hidden(c) { SUBSTITUTE } else { c })
    })
}

/// Returns the text on one line, with at most `most` characters.
///
/// ```
/// use hookgate_contract::visible::line;
///
/// assert_eq!(line("a\x1b[2Jb\r\nhookgate: c", 80), "a\u{fffd}[2Jb hookgate: c");
/// assert_eq!(line("abcdef", 4), "abc…");
/// ```
#[must_use]
pub fn line(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (index, c) in characters(text).enumerate() {
        if index == most {
            out.pop();
            out.push('…');
            break;
        }
        out.push(c);
    }
    out
}

/// Replaces all that is hidden but line ends by as many bytes, so that spans stay valid.
///
/// ```
/// use hookgate_contract::visible::in_place;
///
/// assert_eq!(in_place("a\x1b[2J\nb"), "a?[2J\nb");
/// ```
#[must_use]
pub fn in_place(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| c != '\n' && is_hidden(c);
    if !text.chars().any(hidden) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.len_utf8() {
            _ if c == '\t' || c == '\r' => out.push(' '),
            _ if !hidden(c) => out.push(c),
            1 => out.push('?'),
            2 => out.push('¿'),
            3 => out.push(SUBSTITUTE),
            _ => out.extend([SUBSTITUTE, '?']),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_what_they_were() {
        let text = "a\x1b\u{85}\u{202e}\u{e0041}é\tb\r\nc";
        let shown = in_place(text);
        assert_eq!(shown, "a?¿\u{fffd}\u{fffd}?é b \nc");
        assert_eq!(shown.len(), text.len());
        assert!(matches!(in_place("plain\ntext"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_hidden_is_left_in_a_line() {
        let every: String = (0..0x11_0000).filter_map(char::from_u32).collect();
        let line = line(&every, usize::MAX);
        assert!(!line.chars().any(is_hidden));
        assert!(line.chars().all(|c| !c.is_control()));
    }
}
