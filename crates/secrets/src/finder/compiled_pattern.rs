//! A pattern that is ready to be searched for.

use std::sync::OnceLock;

use regex::Regex;

use super::piece::Piece;

/// A regular expression of the catalogue or of the caller.
///
/// It is compiled when it is needed first: the signs of a text (`signs.rs`), or the set of the caller's own patterns,
/// tell that it can match. Most never are.
#[derive(Clone)]
pub(super) struct CompiledPattern {
    pub(super) kind: &'static str,
    pub(super) rank: usize,
    source: String,
    regex: OnceLock<Option<Regex>>,
    accept: fn(&str) -> bool,
}

impl CompiledPattern {
    pub(super) fn new(
        kind: &'static str,
        source: &str,
        accept: fn(&str) -> bool,
        rank: usize,
    ) -> Self {
        Self { kind, rank, source: source.to_owned(), regex: OnceLock::new(), accept }
    }

    /// Returns the regular expression as it was written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Tells whether it matches.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.compiled().is_some_and(|regex| regex.is_match(text))
    }

    /// Adds the secrets in a text: of each match the first group that took part, or the match itself if the pattern has
    /// no group.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Piece>) {
        let captures = self.compiled().into_iter().flat_map(|regex| regex.captures_iter(text));
        found.extend(captures.filter_map(|captures| {
            let group = captures.iter().skip(1).flatten().next().or_else(|| captures.get(0))?;
            let piece = Piece { range: group.range(), kind: self.kind, rank: self.rank };
            (self.accept)(group.as_str()).then_some(piece)
        }));
    }

    /// Of the caller's own the set has shown that they compile, of the catalogue a test.
    fn compiled(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(&self.source).ok()).as_ref()
    }
}
