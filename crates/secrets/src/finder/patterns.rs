//! Patterns of the caller's own, which are searched for together.

use regex::{RegexSet, RegexSetBuilder};

use super::compiled_pattern::CompiledPattern;
use super::piece::Piece;

/// How many bytes the states may have that a search of the set has made so far. With less, many patterns make the same
/// states over and over in long texts.
const STATES: usize = 8 << 20;

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
        let mut set = RegexSetBuilder::new(each.iter().map(CompiledPattern::source));
        Ok(Self { set: set.dfa_size_limit(STATES).build()?, each })
    }

    /// Tells whether one of them matches.
    pub(super) fn have_match(&self, text: &str) -> bool {
        self.set.is_match(text)
    }

    /// Adds what they find.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Piece>) {
        for index in &self.set.matches(text) {
            let Some(pattern) = self.each.get(index) else { continue };
            pattern.find(text, found);
        }
    }
}
