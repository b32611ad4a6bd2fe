//! Values that are known to be secret, in every form in which they may be written.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;

use crate::encoding;
use crate::finder::Finder;

/// Shorter values are words such as `true` or `dev`: to hide them would tell less, not more.
const SHORTEST: usize = 6;

/// Of longer values the plain forms are known only.
const LONGEST_ENCODED: usize = 4096;

/// At a cut, so many characters of a value are hidden.
const SHORTEST_PIECE: usize = 4;

/// What stands in the place of a secret that is known by its shape.
const HIDDEN: &str = "[secret]";

/// Parts of the names of variables that hold secrets.
const TELLING: &[&str] = &["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE"];

/// By its shapes, with what this module leaves as the placeholders.
static SHAPED: LazyLock<Option<Finder>> =
    LazyLock::new(|| Finder::build(&[], &[], r"\[[A-Za-z_][0-9A-Za-z_]*\]").ok());

/// The values that a handler was given and that nobody is to read in what it answers.
///
/// A value is known as it is, line by line, as JSON and URLs write it, in base64 (also in the
/// middle of a longer text) and in hexadecimal digits. Beside these, texts lose whatever has one of
/// the [`SHAPES`](crate::SHAPES).
///
/// Hide first, then cut: of a value that was cut before, no more than the piece is known. Where a
/// text comes cut, use [`Secrets::hide_cut`].
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
    /// Hides these values, each behind its name.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut values: Vec<_> = values
            .into_iter()
            .map(|(name, value)| (name, value.trim().to_owned()))
            .filter(|(_, value)| value.len() >= SHORTEST)
            .collect();
        values.sort_by(|(_, a), (_, b)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self { values }
    }

    /// Whether a variable of this name holds a secret, as far as its name tells.
    #[must_use]
    pub fn tells(name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        TELLING.iter().any(|part| name.contains(part)) || crate::is_secret_key(&name)
    }

    /// Whether a value holds a secret, as far as its shape tells: a URL with a password in it.
    #[must_use]
    pub fn is_telling_value(value: &str) -> bool {
        Finder::catalogue().suspects(value)
    }

    /// The text with `[NAME]` in place of each value, and `[secret]` in place of what has the shape
    /// of one.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        self.hide_pieces(text, Vec::new())
    }

    /// Hides, and then cuts to so many characters; a cut ends in `…`.
    #[must_use]
    pub fn hide_and_cut(&self, text: &str, most: usize) -> String {
        let mut hidden = self.hide(text);
        if let Some((end, _)) = hidden.char_indices().nth(most) {
            hidden.truncate(end);
            hidden.push('…');
        }
        hidden
    }

    /// Hides in a text that was cut already, at its beginning or at its end: there a piece of a
    /// value is hidden as well.
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
            for form in forms(value) {
                let found = memmem::find_iter(text.as_bytes(), form.as_bytes());
                pieces.extend(found.map(|at| (at..at + form.len(), index)));
            }
        }
        let known = self.named(text, pieces);
        let put = |_: &'static str, out: &mut String| out.push_str(HIDDEN);
        let shaped = SHAPED.as_ref().and_then(|finder| finder.replace(&known, put));
        shaped.map_or(known, |(text, _)| text)
    }

    /// The text with names in place of these pieces; where pieces overlap, all of them are covered.
    fn named(&self, text: &str, mut pieces: Vec<(Range<usize>, usize)>) -> String {
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
        // A value of text begins and ends between characters; a piece of one may not.
        while !text.is_char_boundary(end) {
            end += 1;
        }
        out.push_str(text.get(end..).unwrap_or_default());
        out
    }
}

/// How much of the end of `before` is the beginning of `after`, if that is more than a few letters
/// and not all of the value.
fn overlap(before: &[u8], after: &[u8]) -> Option<usize> {
    let most = before.len().min(after.len());
    // The prefix function of `after`, run over the end of `before`: linear in both.
    let after = after.get(..most)?;
    let before = before.get(before.len() - most..)?;
    let mut fallback = vec![0; most];
    let mut length = 0;
    for at in 1..most {
        length = extend(after, &fallback, length, after.get(at).copied());
        if let Some(slot) = fallback.get_mut(at) {
            *slot = length;
        }
    }
    length = 0;
    for byte in before {
        if length == most {
            length = fallback.get(most - 1).copied().unwrap_or_default();
        }
        length = extend(after, &fallback, length, Some(*byte));
    }
    (length >= SHORTEST_PIECE).then_some(length)
}

fn extend(pattern: &[u8], fallback: &[usize], mut length: usize, byte: Option<u8>) -> usize {
    while length > 0 && pattern.get(length).copied() != byte {
        length = fallback.get(length - 1).copied().unwrap_or_default();
    }
    if pattern.get(length).copied() == byte { length + 1 } else { length }
}

/// The forms in which a value is written.
fn forms(value: &str) -> Vec<String> {
    // The lines of a value stand alone in a trace.
    let mut forms: Vec<String> = value.lines().map(|line| line.trim().to_owned()).collect();
    let escaped = encoding::json(value);
    forms.push(escaped.replace('/', "\\/"));
    forms.extend([value.to_owned(), escaped]);
    if value.len() <= LONGEST_ENCODED {
        for (upper, space) in [(true, "%20"), (false, "%20"), (true, "+"), (false, "+")] {
            forms.push(encoding::percent(value, upper, space));
        }
        for before in 0..3 {
            let base64 = encoding::base64_inside(value, before);
            forms.push(encoding::url_safe(&base64));
            forms.push(base64);
        }
        let hex = encoding::hex(value);
        forms.push(hex.to_ascii_uppercase());
        forms.push(hex);
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms.sort();
    forms.dedup();
    forms
}

/// The names only.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.iter().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(values: &[(&str, &str)]) -> Secrets {
        Secrets::new(values.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn the_longer_value_goes_first() {
        let secrets = secrets(&[("A", "secret"), ("B", "secret-and-more\n"), ("C", "dev")]);
        assert_eq!(secrets.hide("secret-and-more, secret, dev"), "[B], [A], dev");
    }

    #[test]
    fn values_that_overlap_are_both_hidden() {
        let secrets = secrets(&[("A", "abcdefgh"), ("B", "efghijkl")]);
        assert_eq!(secrets.hide("-abcdefghijkl-"), "-[A]-");
    }

    #[test]
    fn a_value_is_found_line_by_line_and_escaped() {
        let secrets = secrets(&[("KEY", "first-line\nsecond-line"), ("QUOTED", "say \"please\"")]);
        assert_eq!(secrets.hide("at second-line of it"), "at [KEY] of it");
        assert_eq!(secrets.hide(r#"in "say \"please\" now""#), r#"in "[QUOTED] now""#);
    }

    #[test]
    fn a_value_is_found_in_every_encoding() {
        let secrets = secrets(&[("KEY", "pa/ss wörd:42!")]);
        for text in [
            "pa/ss wörd:42!",
            "pa%2Fss%20w%C3%B6rd%3A42%21",
            "pa%2fss+w%c3%b6rd%3a42%21",
            "70612f73732077c3b672643a343221",
            r"pa\/ss wörd:42!",
            // `user:` before it, then one and two bytes more.
            "dXNlcjpwYS9zcyB3w7ZyZDo0MiE=",
            "dXNlcjE6cGEvc3Mgd8O2cmQ6NDIh",
            "dXNlcjEyOnBhL3NzIHfDtnJkOjQyIQ==",
        ] {
            let hidden = secrets.hide(text);
            assert!(hidden.contains("[KEY]"), "{text}: {hidden}");
        }
    }

    #[test]
    fn a_cut_hides_what_is_left_of_a_value() {
        let secrets = secrets(&[("KEY", "hunter2-and-more")]);
        assert_eq!(secrets.hide_and_cut("it is hunter2-and-more", 10), "it is [KEY…");
        assert_eq!(secrets.hide_cut("and-more then", true, false), "[KEY] then");
        assert_eq!(secrets.hide_cut("it is hunter2-and-mo", false, true), "it is [KEY]");
        assert_eq!(
            secrets.hide_cut("ter2-and-", false, true),
            "ter2-and-",
            "it is no end of a text"
        );
        assert_eq!(secrets.hide_cut("more or less", true, true), "[KEY] or less");
        assert_eq!(secrets.hide_cut("ore or hun", true, true), "ore or hun");
    }

    #[test]
    fn shapes_are_hidden_and_the_scheme_before_them_is_not() {
        let hide = |text: &str| Secrets::default().hide(text);
        let key = format!("sk-{}", "a1B2".repeat(8));
        assert_eq!(hide(&format!("it was {key}, no")), "it was [secret], no");
        assert_eq!(
            hide("Authorization: Bearer abcdef0123456789"),
            "Authorization: Bearer [secret]"
        );
        assert_eq!(hide("postgres://me:hunter2@db/x"), "postgres://me:[secret]@db/x");
        for text in
            ["Basic knowledge", "-----BEGIN CERTIFICATE-----", "the task-list and risk-free"]
        {
            assert_eq!(hide(text), text);
        }
    }

    #[test]
    fn a_name_in_the_place_of_a_value_stays() {
        let secrets = secrets(&[("DB_PASSWORD", "hunter2-x")]);
        for text in ["password=hunter2-x", "postgres://me:hunter2-x@db", "password: \"hunter2-x\""]
        {
            let hidden = secrets.hide(text);
            assert_eq!(hidden, text.replace("hunter2-x", "[DB_PASSWORD]"));
            assert_eq!(secrets.hide(&hidden), hidden);
        }
    }
}
