//! Hides values that are known to be secret, in every form in which they may be written.
//!
//! A handler gets credentials from its config, and what it runs may repeat them: in an error, in a
//! reason, in a trace. Two steps take them out: the known values are replaced by their names, so that
//! a reader sees *which* credential was there; then the catalogue finds what else looks like a secret.

mod forms;
mod overlap;

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::Regex;

use self::forms::{MIN_LENGTH, forms_of_value};
use self::overlap::overlap;
use crate::finder::Finder;

/// The placeholder of a secret that was found by a pattern.
const HIDDEN: &str = "[secret]";

/// Parts of the names of variables that hold secrets.
const SECRET_PARTS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE"];

/// The finder of the catalogue, which leaves the placeholders of this module alone.
static PATTERNS: Finder = Finder::with_placeholder(&NAMES);

/// The placeholders of this module.
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant; a test builds it")]
    Regex::new(r"\[[A-Za-z_][0-9A-Za-z_]*\]").unwrap()
});

/// The values that a handler was given, and that must not appear in what it returns.
///
/// A value is found as it is, line by line, as JSON and URLs write it, in base64 (also in the middle
/// of a longer text) and in hexadecimal digits. Besides, texts lose whatever matches the
/// [catalogue](crate::SECRET_PATTERNS). Values of fewer than 6 bytes are not hidden, since they are
/// words such as `true`.
///
/// Hide first, then cut: of a value that was cut, only a piece is left to find. If a text arrives cut,
/// use [`Secrets::hide_cut`]. The time is linear in the text, for each form of each value.
///
/// ```
/// use hookgate_secrets::Secrets;
///
/// let secrets = Secrets::new([("API_KEY".to_owned(), "hunter2-and-more".to_owned())]);
/// assert_eq!(secrets.hide("401 for hunter2-and-more"), "401 for [API_KEY]");
/// assert_eq!(secrets.hide("401 for aHVudGVyMi1hbmQtbW9yZQ=="), "401 for [API_KEY]Q==");
/// assert_eq!(Secrets::default().hide("AKIAIOSFODNN7EXAMPLE"), "[secret]");
/// ```
#[derive(Clone, Default)]
pub struct Secrets {
    /// Names and values; the longest first.
    values: Vec<(String, String)>,
}

impl Secrets {
    /// Creates a set of values, each of which will be replaced by its name.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut values: Vec<_> = values
            .into_iter()
            .map(|(name, value)| (name, value.trim().to_owned()))
            .filter(|(_, value)| value.len() >= MIN_LENGTH)
            .collect();
        values.sort_by(|(_, a), (_, b)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self { values }
    }

    /// Returns whether a variable of this name holds a secret, as far as its name says.
    ///
    /// It is broader than [`is_secret_key`](crate::is_secret_key), because to hide the value of a
    /// variable costs little.
    ///
    /// ```
    /// use hookgate_secrets::Secrets;
    ///
    /// assert!(Secrets::is_secret_name("AUTH_HEADER") && !Secrets::is_secret_name("LANG"));
    /// ```
    #[must_use]
    pub fn is_secret_name(name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        SECRET_PARTS.iter().any(|part| name.contains(part)) || crate::is_secret_key(&name)
    }

    /// Returns whether a value holds something that looks like a secret: a URL with a password.
    ///
    /// ```
    /// use hookgate_secrets::Secrets;
    ///
    /// assert!(Secrets::has_secret("postgres://me:hunter2@db") && !Secrets::has_secret("C.UTF-8"));
    /// ```
    #[must_use]
    pub fn has_secret(value: &str) -> bool {
        Finder::catalogue().suspects(value)
    }

    /// Returns the text with `[NAME]` in place of each value, and `[secret]` in place of what else
    /// looks like a secret. To hide twice is to hide once.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        self.hide_pieces(text, Vec::new())
    }

    /// Hides, and then cuts to `most` characters; a text that was cut ends in `…`.
    ///
    /// ```
    /// use hookgate_secrets::Secrets;
    ///
    /// let secrets = Secrets::new([("KEY".to_owned(), "hunter2-and-more".to_owned())]);
    /// assert_eq!(secrets.hide_and_cut("it is hunter2-and-more", 10), "it is [KEY…");
    /// ```
    #[must_use]
    pub fn hide_and_cut(&self, text: &str, most: usize) -> String {
        let mut hidden = self.hide(text);
        if let Some((end, _)) = hidden.char_indices().nth(most) {
            hidden.truncate(end);
            hidden.push('…');
        }
        hidden
    }

    /// Hides in a text that was cut already, at its beginning or at its end. There a piece of a value
    /// is hidden as well, from four characters on.
    ///
    /// ```
    /// use hookgate_secrets::Secrets;
    ///
    /// let secrets = Secrets::new([("KEY".to_owned(), "hunter2-and-more".to_owned())]);
    /// assert_eq!(secrets.hide_cut("the key is hunter2-an", false, true), "the key is [KEY]");
    /// ```
    #[must_use]
    pub fn hide_cut(&self, text: &str, at_beginning: bool, at_end: bool) -> String {
        let mut pieces = Vec::new();
        for (index, (_, value)) in self.values.iter().enumerate() {
            for form in std::iter::once(value.as_str()).chain(value.lines()) {
                if at_beginning && let Some(length) = overlap(form.as_bytes(), text.as_bytes()) {
                    pieces.push((0..length, index));
                }
                if at_end && let Some(length) = overlap(text.as_bytes(), form.as_bytes()) {
                    pieces.push((text.len() - length..text.len(), index));
                }
            }
        }
        self.hide_pieces(text, pieces)
    }

    fn hide_pieces(&self, text: &str, mut pieces: Vec<(Range<usize>, usize)>) -> String {
        for (index, (_, value)) in self.values.iter().enumerate() {
            for form in forms_of_value(value) {
                let found = memmem::find_iter(text.as_bytes(), form.as_bytes());
                pieces.extend(found.map(|at| (at..at + form.len(), index)));
            }
        }
        self.add_broken(text, &mut pieces);
        let known = self.replace_with_names(text, pieces);
        let put = |_: &'static str, out: &mut String| out.push_str(HIDDEN);
        PATTERNS.replace(&known, put).map_or(known, |(text, _)| text)
    }

    /// Adds the values that line breaks have cut in pieces.
    fn add_broken(&self, text: &str, pieces: &mut Vec<(Range<usize>, usize)>) {
        if self.values.is_empty() || !text.contains('\n') {
            return;
        }
        // The text without its line ends, and where each byte of it was.
        let is_kept = |(_, byte): &(usize, u8)| !matches!(byte, b'\r' | b'\n');
        let (places, joined): (Vec<usize>, Vec<u8>) =
            text.bytes().enumerate().filter(is_kept).unzip();
        for (index, (_, value)) in self.values.iter().enumerate() {
            for form in forms_of_value(value) {
                for at in memmem::find_iter(&joined, form.as_bytes()) {
                    let first = places.get(at).copied();
                    let last = places.get(at + form.len().saturating_sub(1)).copied();
                    let (Some(first), Some(last)) = (first, last) else { continue };
                    if last + 1 - first > form.len() {
                        pieces.push((first..last + 1, index));
                    }
                }
            }
        }
    }

    /// Returns the text with names in place of these pieces. If pieces overlap, all are covered.
    fn replace_with_names(&self, text: &str, mut pieces: Vec<(Range<usize>, usize)>) -> String {
        pieces.sort_by_key(|(range, index)| (range.start, std::cmp::Reverse(range.end), *index));
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for (range, index) in pieces {
            if range.start >= end {
                out.push_str(text.get(end..range.start).unwrap_or_default());
                let name = self.values.get(index).map_or("secret", |(name, _)| name);
                out.extend(["[", name, "]"]);
            }
            end = end.max(range.end);
        }
        // A value begins and ends between characters, but a piece of one may not.
        while !text.is_char_boundary(end) {
            end += 1;
        }
        out.push_str(text.get(end..).unwrap_or_default());
        out
    }
}

impl std::fmt::Debug for Secrets {
    /// Writes the names only.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests;
