//! How a hook judges a text that still comes: by windows.

use hookgate_contract::Event;

/// The events whose text can come in parts.
pub(super) const STREAMED: [Event; 2] = [Event::PostLlmResponse, Event::PostToolUse];

/// The most bytes of a window, and of its overlap.
const MOST: usize = 1 << 20;

/// The fewest bytes of a window.
const FEWEST: usize = 16;

/// The pieces by which a guard judges a text that still comes: each of so many bytes that it has not seen, to the end of a
/// sentence, with some that it has seen before them.
///
/// Without windows such a hook waits for the whole text, and so does all that is held back for it. With them it is called
/// about each window as soon as that has come, and about the whole at the end. What it denies only if it sees two places
/// at once that are further apart than the overlap, it denies at the end, when the text was shown: that is what the
/// windows cost.
///
/// ```
/// use hookgate::table::TextWindow;
///
/// let window = TextWindow::bytes(2000).overlap(400);
/// assert_eq!(window.to_string(), "windows of 2000 bytes and the 400 before");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextWindow {
    /// How many bytes that were not judged before a window has at most.
    pub bytes: usize,
    /// How many bytes before them the hook sees again.
    pub overlap: usize,
}

impl TextWindow {
    /// The bytes of a window, if nothing is said: about two hundred tokens.
    pub const BYTES: usize = 800;

    /// Makes windows of so many bytes, each with a quarter of that before it.
    #[must_use]
    pub const fn bytes(bytes: usize) -> Self {
        Self { bytes, overlap: bytes / 4 }
    }

    /// Sets how many bytes before a window the hook sees again.
    #[must_use]
    pub const fn overlap(mut self, overlap: usize) -> Self {
        self.overlap = overlap;
        self
    }

    /// Returns what is wrong with the sizes.
    pub(super) fn problem(self) -> Option<String> {
        let Self { bytes, overlap } = self;
        if !(FEWEST..=MOST).contains(&bytes) {
            return Some(format!("a window has {FEWEST} to {MOST} bytes, not {bytes}"));
        }
        // Each byte is judged at most so often as a window and its overlap have bytes of it.
        (overlap > bytes)
            .then(|| format!("the overlap of {overlap} bytes is longer than the window of {bytes}"))
    }

    /// Returns where the first window of a text ends: at the end of the last sentence in its second half, else behind the
    /// last white space there. `None` if so much has not come yet.
    ///
    /// It depends on the bytes of the window alone, and not on what comes after them.
    pub(crate) fn end_in(self, text: &str) -> Option<usize> {
        let window = text.get(..floor(text, self.bytes))?;
        if text.len() < self.bytes || window.is_empty() {
            return None;
        }
        let half = window.len() / 2;
        let ends = |is_end: fn(char, char) -> bool| {
            let pairs = window.char_indices().zip(window.chars().skip(1));
            let ends = pairs.filter(|((_, c), next)| is_end(*c, *next));
            ends.map(|((at, c), _)| at + c.len_utf8()).filter(|end| *end > half).last()
        };
        let sentence = ends(|c, next| c == '\n' || (is_full_stop(c) && next.is_whitespace()));
        sentence.or_else(|| ends(|c, _| c.is_whitespace())).or(Some(window.len()))
    }

    /// Returns where the overlap before a place of a text begins.
    pub(crate) fn overlap_before(self, text: &str, at: usize) -> usize {
        floor(text, at.saturating_sub(self.overlap))
    }
}

impl std::fmt::Display for TextWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "windows of {} bytes", self.bytes)?;
        if self.overlap > 0 {
            write!(f, " and the {} before", self.overlap)?;
        }
        Ok(())
    }
}

const fn is_full_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

/// Returns the last border of characters that is not behind a place.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_with_a_sentence_in_its_second_half() {
        let window = TextWindow::bytes(20);
        let end =
            |text: &str| window.end_in(text).and_then(|end| text.get(..end)).map(str::to_owned);
        assert_eq!(end("It is short."), None, "so much has not come");
        assert_eq!(end("One two three. Four five six.").as_deref(), Some("One two three."));
        assert_eq!(end("A. Four five six seven").as_deref(), Some("A. Four five six "));
        assert_eq!(end("One two\nthree four five").as_deref(), Some("One two\nthree four "));
        assert_eq!(end("abcdefghijklmnopqrstuvwxyz").as_deref(), Some("abcdefghijklmnopqrst"));
        assert_eq!(end("äöüäöüäöüäöüäöü").as_deref(), Some("äöüäöüäöüä"));
        // What comes behind the window changes nothing.
        assert_eq!(end("It costs 3.5 or 4... more"), end("It costs 3.5 or 4...x"));
    }
}
