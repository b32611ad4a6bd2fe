//! Patterns that are searched for together.

use regex::RegexSet;

use super::compiled_pattern::CompiledPattern;
use super::piece::Piece;

/// Patterns of which one pass over a text finds out which match.
#[derive(Clone)]
pub(super) struct Patterns {
    set: RegexSet,
    /// The same patterns one by one, in the order of the set.
    each: Vec<CompiledPattern>,
}

impl Patterns {
    /// Compiles the patterns into a set.
    ///
    /// # Errors
    /// One is not a regular expression, or together they are too large.
    pub(super) fn new(each: Vec<CompiledPattern>) -> Result<Self, regex::Error> {
        Ok(Self { set: RegexSet::new(each.iter().map(CompiledPattern::source))?, each })
    }

    /// Tells whether one of them matches.
    pub(super) fn have_match(&self, text: &str) -> bool {
        self.set.is_match(text)
    }

    /// Adds what they find.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Piece>) {
        for index in &self.set.matches(text) {
            let Some(pattern) = self.each.get(index) else { continue };
            let piece = |range| Piece { range, kind: pattern.kind, rank: pattern.rank };
            found.extend(pattern.ranges(text).into_iter().map(piece));
        }
    }
}
