//! Reads the value at a position: in quotes or bare, in code, JSON, a shell or a query.
//!
//! | at the position | the value is |
//! |---|---|
//! | a quote, also after `b` or `@` | what is between the quotes; to the end of the line if they do not close |
//! | `\"` | what is up to the next `\"`, as JSON inside of a string has it |
//! | anything else | a word: up to white space, a quote, or a separator before another `key=` |
//!
//! A text may be JSON inside of a string, so quotes may have backslashes before them and a line end
//! may be two characters; both are understood.

use std::cell::Cell;
use std::ops::Range;

use crate::scan::MAX_QUOTED;

/// The range of the word that was read last.
///
/// Where a word ends does not depend on where it begins. So a word with many signs in it
/// (`token=a(token=a(`) is read once, and not once for each of its signs.
#[derive(Default)]
pub(crate) struct LastWord(Cell<(usize, usize)>);

/// A value in a text.
///
/// It is read within one line, and up to 4 KiB of it in quotes; a bare word is read to its end.
pub(crate) struct WrittenValue {
    /// Where it is, without its quotes.
    pub(crate) range: Range<usize>,
    /// Whether it is in quotes.
    pub(crate) quoted: bool,
    /// Whether nothing follows it on its line.
    pub(crate) ends_line: bool,
}

impl WrittenValue {
    /// Returns the value itself.
    pub(crate) fn content<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.get(self.range.clone())
    }

    /// Reads the value that begins here, after blanks, on this line.
    pub(crate) fn read(text: &str, start: usize, last_word: &LastWord) -> Option<Self> {
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
        let range = start..bare(bytes, start, last_word);
        let ends_line = matches!(bytes.get(range.end), None | Some(b'\r' | b'\n'))
            || bytes.get(range.end..).is_some_and(|rest| rest.starts_with(b"\\n"));
        Some(Self { range, quoted: false, ends_line })
    }
}

/// Returns the range up to the closing quote, or to the end of the line if there is none.
fn quoted(bytes: &[u8], start: usize, quote: u8, slashes: usize) -> Range<usize> {
    let mut end = start;
    let mut escaped = 0;
    for byte in bytes.get(start..).unwrap_or_default().iter().take(MAX_QUOTED) {
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
    // A cut must not fall inside a character.
    while bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end += 1;
    }
    start..end
}

/// Returns the end of a word. A separator ends it if another `key=` follows.
fn bare(bytes: &[u8], start: usize, last_word: &LastWord) -> usize {
    let (from, known) = last_word.0.get();
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
    last_word.0.set((start, end));
    let piece = bytes.get(start..end).unwrap_or_default();
    end - piece.iter().rev().take(4).take_while(|byte| b",;.)]}>:".contains(byte)).count()
}
