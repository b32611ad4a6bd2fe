//! Globs of nothing but text and `*`, which almost all globs are.
//!
//! To compile a regular expression costs some hundred times what such a glob needs: its text is compared
//! piece by piece. `tests/laws/matcher` holds both ways to the same naive matcher.

use std::sync::Arc;

/// A glob of nothing but text and `*`, taken apart at each `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wildcard {
    /// The text before the first `*`, with which a name must begin.
    head: Arc<str>,
    /// The texts between two `*`, which must follow each other.
    middle: Vec<String>,
    /// The text after the last `*`, with which a name must end; `None` without any `*`.
    tail: Option<String>,
}

impl Wildcard {
    /// Takes a glob apart; `None` if it holds more than text and `*`, or an escape at its end.
    #[must_use]
    pub fn parse(glob: &str) -> Option<Self> {
        if !glob.contains(['?', '[', '{', '}', '\\']) {
            return Some(Self::of(glob.split('*')));
        }
        let (mut parts, mut part) = (Vec::new(), String::new());
        let mut chars = glob.chars();
        while let Some(c) = chars.next() {
            match c {
                '*' => parts.push(std::mem::take(&mut part)),
                '?' | '[' | '{' | '}' => return None,
                '\\' => part.push(chars.next()?),
                literal => part.push(literal),
            }
        }
        parts.push(part);
        Some(Self::of(parts.iter().map(String::as_str)))
    }

    /// Takes a text apart in which only `*` means something, as some agents write rules.
    #[must_use]
    pub fn of_stars(text: &str) -> Self {
        Self::of(text.split('*'))
    }

    /// Makes it of the texts before, between and after each `*`.
    fn of<'g>(mut parts: impl DoubleEndedIterator<Item = &'g str>) -> Self {
        let head = parts.next().unwrap_or_default().into();
        let tail = parts.next_back().map(str::to_owned);
        let middle = parts.filter(|between| !between.is_empty()).map(str::to_owned).collect();
        Self { head, middle, tail }
    }

    /// Returns the text with which a name must begin.
    #[must_use]
    pub const fn head(&self) -> &Arc<str> {
        &self.head
    }

    /// Returns whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(&*self.head) else { return false };
        let Some(tail) = &self.tail else { return rest.is_empty() };
        let Some(mut rest) = rest.strip_suffix(tail.as_str()) else { return false };
        // The first place of each text leaves the most for those after it.
        self.middle.iter().all(|text| match rest.split_once(text.as_str()) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::NameGlob;
    use super::*;

    #[test]
    fn only_text_and_stars_are_taken_apart() {
        for other in ["a?", "[ab]", "{a,b}", "a}", "a\\"] {
            assert_eq!(Wildcard::parse(other), None, "{other}");
        }
        let escaped = Wildcard::parse(r"\*\{a*").unwrap();
        assert!(escaped.matches("*{ab") && !escaped.matches("x{ab"));
        let plain = Wildcard::parse("a,b").unwrap();
        assert!(plain.matches("a,b") && !plain.matches("a,bc"));
        let stars = Wildcard::of_stars(r"a\*[b");
        assert!(stars.matches(r"a\x[b") && !stars.matches("a*[b"));
    }

    proptest! {
        #[test]
        fn it_matches_what_the_glob_matches(pattern in "[aé*\\n]{0,8}", name in "[aé\\n]{0,8}") {
            let glob = NameGlob::parse(&pattern).unwrap();
            prop_assert_eq!(Wildcard::parse(&pattern).unwrap().matches(&name), glob.matches(&name));
        }
    }
}
