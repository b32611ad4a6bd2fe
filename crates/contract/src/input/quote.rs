//! Text from outside in messages: bounded, on one line, and without characters that cannot be seen.

use std::fmt::{self, Write};

/// The most characters of a text that is quoted whole.
const WHOLE: usize = 200;

/// How many characters of a longer text are shown: so few that a piece of a secret tells nothing. Only
/// a whole secret can be found in a message and hidden.
const PIECE: usize = 8;

/// The most characters of the message of another parser.
const MESSAGE: usize = 500;

/// The most characters of an error that is shown with its lines.
const LINES: usize = 4000;

/// Tells whether a character cannot be seen, or changes the order in which others are shown. This is
/// the only list of them.
///
/// ```
/// use hookgate_contract::quote::is_invisible;
///
/// assert!(is_invisible('\u{202e}') && is_invisible('\u{200b}') && is_invisible('\u{e0041}'));
/// assert!(!is_invisible('a') && !is_invisible('ü') && !is_invisible('字'));
/// ```
#[must_use]
pub const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Tells whether a character must be escaped in a message.
fn is_escaped(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// A text as a message quotes it; it is written with [`Display`](fmt::Display).
///
/// Control characters and [invisible ones](is_invisible) are escaped. A long text is not quoted at
/// all: its first characters and its length are shown instead.
///
/// ```
/// use hookgate_contract::quote::Quoted;
///
/// assert_eq!(Quoted("a\u{1b}[2J\n").to_string(), r"a\u001b[2J\n");
/// assert_eq!(Quoted(&"x".repeat(5000)).to_string(), "xxxxxxxx… (5000 characters)");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.chars().nth(WHOLE).is_none() {
            return self.0.chars().try_for_each(|c| escape(c, f));
        }
        self.0.chars().take(PIECE).try_for_each(|c| escape(c, f))?;
        write!(f, "… ({} characters)", self.0.chars().count())
    }
}

/// Bounds the message of another parser, which may quote what it read, and puts it on one line. It is
/// cut between words.
#[must_use]
pub fn message(text: &str) -> String {
    bounded(text, MESSAGE, is_escaped)
}

/// Bounds the message of another parser and keeps its lines, such as one that points into a pattern.
#[must_use]
pub fn lines(text: &str) -> String {
    bounded(text, LINES, |c| c != '\n' && is_escaped(c))
}

fn bounded(text: &str, most: usize, escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    let cut = text.char_indices().nth(most).map(|(end, _)| {
        let head = text.get(..end).unwrap_or_default();
        head.get(..head.rfind(char::is_whitespace).unwrap_or(0)).unwrap_or_default()
    });
    for c in cut.unwrap_or(text).chars() {
        if escaped(c) {
            // Writing into memory cannot fail.
            let _ = escape(c, &mut out);
        } else {
            out.push(c);
        }
    }
    if cut.is_some() {
        let _ = write!(out, "… ({} characters)", text.chars().count());
    }
    out
}

/// Writes a character, as JSON escapes it if it must be escaped.
fn escape(c: char, out: &mut impl Write) -> fmt::Result {
    match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c if is_escaped(c) => {
            let mut units = [0_u16; 2];
            c.encode_utf16(&mut units).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
        }
        c => out.write_char(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_whole_or_next_to_nothing() {
        let secret = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3";
        for length in 0..600 {
            let text = format!("{}{secret}", "x".repeat(length));
            let quoted = Quoted(&text).to_string();
            assert!(
                quoted.contains(secret) || !quoted.contains(secret.get(..9).unwrap()),
                "{quoted}"
            );
            assert!(quoted.chars().count() <= WHOLE + 40);
        }
    }

    #[test]
    fn a_message_is_cut_between_words() {
        let long = format!("unknown field `{}`, expected one of", "s".repeat(5000));
        assert_eq!(message(&long), format!("unknown field… ({} characters)", long.len()));
        assert_eq!(message("a\u{202e}\nb"), r"a\u202e\nb");
        assert_eq!(lines("a\u{1b}\nb"), "a\\u001b\nb");
    }

    #[test]
    fn nothing_raw_is_left() {
        let all: String = ('\0'..=char::MAX).filter(|c| is_escaped(*c)).collect();
        let chars: Vec<char> = all.chars().collect();
        for piece in chars.chunks(100).map(String::from_iter) {
            let escaped = [Quoted(&piece).to_string(), message(&piece), lines(&piece)].concat();
            assert!(escaped.chars().all(|c| c == '\n' || !is_escaped(c)), "{escaped}");
        }
    }
}
